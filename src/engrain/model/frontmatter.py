"""Frontmatter: read safely, written by patching spans of the original text (S1.10).

Reading goes through libyaml's events, never through constructors: no aliases, no anchors, no
duplicate keys, a bounded depth and size, and scalars by the YAML 1.2 core schema (so `NO` and
`12:30:45` stay text, and dates are text). Writing never re-serialises: a changed field replaces
its own span, so that unknown keys, comments, order and line ends survive byte for byte.
"""

from __future__ import annotations

import re

from engrain.model.errors import MalformedError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Container, Iterable, Iterator, Mapping
    from typing import TypeAlias

    import yaml

    Value: TypeAlias = "str | int | float | bool | list[Value] | dict[str, Value] | None"

MAX_FRONTMATTER = 64 * 1024
MAX_DEPTH = 16

_NULLS = frozenset(("", "~", "null", "Null", "NULL"))
_TRUE = frozenset(("true", "True", "TRUE"))
_FALSE = frozenset(("false", "False", "FALSE"))
_INT = re.compile(r"[-+]?[0-9]{1,18}\Z")
_BASED = re.compile(r"0(?:o[0-7]{1,20}|x[0-9a-fA-F]{1,16})\Z")
_FLOAT = re.compile(r"[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?\Z")

# Words that some YAML reader somewhere takes for a boolean, null or number: always quoted.
_QUOTED_WORDS = frozenset(("true", "false", "yes", "no", "on", "off", "y", "n", "null"))
_NUMBER_LIKE = re.compile(r"[0-9][0-9a-fA-FxXoOeE_.+-]*\Z")
_PLAIN = re.compile(r"[^\W_][\w./+-]*(?: [\w./+-]+)*\Z")
_INSTANT = re.compile(r"\d{4}-\d\d-\d\d(?:T\d\d:\d\d:\d\dZ)?\Z")
_UNPRINTABLE = re.compile("[\x7f-\x9f\u2028\u2029\ufeff\ud800-\udfff\ufffe\uffff]")


class Field:
    """One top-level field: its value and where its text stands.

    Offsets count characters of the frontmatter's text: `start` of the key's line, `colon` after
    the key, `value_start` and `value_end` around the value.
    """

    __slots__ = ("colon", "start", "value", "value_end", "value_start")

    def __init__(
        self, value: Value, start: int, colon: int, value_start: int, value_end: int
    ) -> None:
        self.value = value
        self.start = start
        self.colon = colon
        self.value_start = value_start
        self.value_end = value_end


def parse_fields(text: str, first_line: int = 2) -> dict[str, Field]:
    """The top-level fields of frontmatter `text`, in order.

    `first_line` is the file's line number of the text's first line, for error messages.
    Raises MalformedError with the line and the reason.
    """
    import yaml

    if len(text) > MAX_FRONTMATTER:
        raise _malformed("frontmatter-too-large", f"frontmatter over {MAX_FRONTMATTER} characters")
    try:
        return _Reader(text, first_line).read(yaml.parse(text, Loader=yaml.CSafeLoader))
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        line = mark.line + first_line if mark else 0
        raise _malformed("yaml", f"frontmatter is not YAML: {error.problem}", line) from None
    except yaml.YAMLError as error:
        reason = str(error).splitlines()[0]
        raise _malformed("yaml", f"frontmatter is not YAML: {reason}") from None


def _malformed(reason: str, message: str, line: int = 0) -> MalformedError:
    return MalformedError(message, reason=reason, line=line)


class _Reader:
    """Descends libyaml's events; the depth cap bounds the recursion."""

    def __init__(self, text: str, first_line: int) -> None:
        self.text = text
        self.first_line = first_line

    def read(self, events: Iterator[yaml.Event]) -> dict[str, Field]:
        from yaml import DocumentStartEvent, MappingStartEvent, StreamEndEvent

        fields: dict[str, Field] = {}
        next(events)  # the stream's start
        opening = next(events)
        if isinstance(opening, StreamEndEvent):
            return fields
        root = next(events)
        if isinstance(root, MappingStartEvent):
            self._refuse_alias(root)
            for key, event in self._pairs(events, fields):
                start, end = _span(key)
                value, value_start, value_end = self._node(event, events, 2)
                line_start = max(self.text.rfind(eol, 0, start) for eol in "\n\r") + 1
                colon = self.text.find(":", end) + 1
                fields[key.value] = Field(value, line_start, colon, value_start, value_end)
        elif self._node(root, events, 1)[0] is not None:
            raise self._at(root, "not-a-mapping", "frontmatter is not a mapping")
        next(events)  # the document's end
        trailing = next(events)
        if isinstance(trailing, DocumentStartEvent):
            raise self._at(trailing, "yaml", "frontmatter holds more than one document")
        return fields

    def _pairs(
        self, events: Iterator[yaml.Event], seen: Container[str]
    ) -> Iterator[tuple[yaml.ScalarEvent, yaml.Event]]:
        """Each key of the open mapping with the first event of its value."""
        from yaml import MappingEndEvent, ScalarEvent

        while not isinstance(key := next(events), MappingEndEvent):
            self._refuse_alias(key)
            if not isinstance(key, ScalarEvent):
                raise self._at(key, "key", "a frontmatter key is not a plain word")
            if key.value in seen:
                raise self._at(key, "duplicate-key", f"key {key.value[:60]!r} is given twice")
            yield key, next(events)

    def _node(
        self, event: yaml.Event, events: Iterator[yaml.Event], depth: int
    ) -> tuple[Value, int, int]:
        """The value that begins at `event`, with the offsets of its text."""
        from yaml import CollectionStartEvent, MappingStartEvent, ScalarEvent, SequenceEndEvent

        self._refuse_alias(event)
        start, end = _span(event)
        if isinstance(event, ScalarEvent):
            # A block scalar's end mark lies behind its last line end; the field ends before it.
            while end > start and self.text[end - 1] in "\r\n":
                end -= 1
            return (event.value if event.style else resolve_scalar(event.value)), start, end
        if depth >= MAX_DEPTH:
            raise self._at(event, "depth", f"frontmatter nested over {MAX_DEPTH} deep")
        value: Value
        if isinstance(event, MappingStartEvent):
            mapping: dict[str, Value] = {}
            for key, item in self._pairs(events, mapping):
                mapping[key.value], _, end = self._node(item, events, depth + 1)
            value = mapping
        else:
            sequence: list[Value] = []
            while not isinstance(item := next(events), SequenceEndEvent):
                element, _, end = self._node(item, events, depth + 1)
                sequence.append(element)
            value = sequence
        if isinstance(event, CollectionStartEvent) and event.flow_style:
            end = self.text.index("]}"[isinstance(value, dict)], end) + 1
        return value, start, end

    def _refuse_alias(self, event: yaml.Event) -> None:
        if getattr(event, "anchor", None) is not None:
            raise self._at(event, "alias", "anchors and aliases are not allowed in frontmatter")

    def _at(self, event: yaml.Event, reason: str, message: str) -> MalformedError:
        line = event.start_mark.line if event.start_mark else 0
        return _malformed(reason, message, line + self.first_line)


def _span(event: yaml.Event) -> tuple[int, int]:
    """Where an event's text begins and ends; libyaml's events always say."""
    assert event.start_mark is not None
    assert event.end_mark is not None
    return event.start_mark.index, event.end_mark.index


def resolve_scalar(text: str) -> str | int | float | bool | None:
    """A plain scalar's value by the YAML 1.2 core schema, not-a-number and infinities left text."""
    if text in _NULLS:
        return None
    if text in _TRUE:
        return True
    if text in _FALSE:
        return False
    if _INT.match(text):
        return int(text)
    if _BASED.match(text):
        return int(text, 0)
    if _FLOAT.match(text):
        number = float(text)
        return number if abs(number) != float("inf") else text
    return text


def render_value(value: Value) -> str:
    """`value` as YAML on one line, quoted where any reader might take it for something else."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int | float):
        return repr(value)
    if isinstance(value, list):
        return "[" + ", ".join(render_value(item) for item in value) + "]"
    if isinstance(value, dict):
        items = (f"{render_value(key)}: {render_value(item)}" for key, item in value.items())
        return "{" + ", ".join(items) + "}"
    plain = _PLAIN.match(value) and value.lower() not in _QUOTED_WORDS
    if _INSTANT.match(value) or (plain and not _NUMBER_LIKE.match(value)):
        return value
    import json

    quoted = json.dumps(value, ensure_ascii=False)
    return _UNPRINTABLE.sub(lambda found: f"\\u{ord(found[0]):04x}", quoted)


def render_fields(fields: Mapping[str, Value], eol: str = "\n") -> str:
    """Fresh frontmatter text, a line a field."""
    return "".join(f"{key}: {render_value(value)}{eol}" for key, value in fields.items())


def patch_fields(text: str, changes: Mapping[str, Value], removed: Iterable[str], eol: str) -> str:
    """`text` with the fields of `changes` set and those of `removed` gone; all else untouched.

    Raises MalformedError when the text is a flow mapping or otherwise can't be patched safely:
    what comes out is read again and must say what was asked for.
    """
    fields = parse_fields(text)
    edits: list[tuple[int, int, str]] = []
    added = ""
    first = next(iter(fields.values()), None)
    indent = " " * _column(text, first) if first else ""
    for key, value in changes.items():
        if key in fields:
            if fields[key].value != value:
                edits.append(_replace_value(text, fields[key], render_value(value)))
        else:
            added += f"{indent}{key}: {render_value(value)}{eol}"
    for key in removed:
        if key in fields:
            end = text.find("\n", fields[key].value_end)
            edits.append((fields[key].start, len(text) if end < 0 else end + 1, ""))
    out = text
    for start, end, new in sorted(edits, reverse=True):
        out = out[:start] + new + out[end:]
    out += added
    wanted = {key: field.value for key, field in fields.items() if key not in set(removed)}
    wanted.update(changes)
    if {key: field.value for key, field in parse_fields(out).items()} != wanted:
        raise _malformed("unpatchable", "frontmatter is written in a form that can't be changed")
    return out


def _column(text: str, field: Field) -> int:
    line = text[field.start : field.colon]
    return len(line) - len(line.lstrip(" "))


def _replace_value(text: str, field: Field, rendered: str) -> tuple[int, int, str]:
    between = text[field.colon : field.value_start]
    if "\n" not in between and "\r" not in between:
        space = "" if between[-1:] in (" ", "\t") else " "
        return field.value_start, field.value_end, space + rendered
    # The value begins on a later line: it moves up behind its key, and comments stay.
    head, *rest = text[field.colon : field.value_end].splitlines(keepends=True)
    comments = "".join(line for line in rest if line.lstrip().startswith("#"))
    eol = head[len(head.rstrip("\r\n")) :]
    trailing = head.rstrip("\r\n")
    kept = (eol + comments.rstrip("\r\n")) if comments else ""
    return field.colon, field.value_end, f" {rendered}{trailing.rstrip()}{kept}"
