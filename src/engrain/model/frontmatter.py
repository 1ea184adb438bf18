"""Frontmatter: read safely, written by patching spans of the original text (S1.10).

Reading goes through libyaml's events, never through constructors: no aliases, no anchors, no
duplicate keys, a bounded depth and size, and scalars by the YAML 1.2 core schema (so `NO` and
`12:30:45` stay text, and dates are text). Writing never re-serialises: a changed field replaces
its own span, so that unknown keys, comments, order and line ends survive byte for byte.
"""

from __future__ import annotations

import re

from engrain.model.errors import MalformedError, UsageError

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
_TEXT_TAG = "tag:yaml.org,2002:str"
_INT = re.compile(r"[-+]?[0-9]{1,18}\Z")
_BASED = re.compile(r"0(?:o[0-7]{1,20}|x[0-9a-fA-F]{1,15})\Z")
# Digits alone are no float: a number too long for an integer is text, so that no digit is lost.
_FLOAT = re.compile(r"[-+]?(?![0-9]+\Z)(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?\Z")

# Words that some YAML reader somewhere takes for a boolean, null or number: always quoted.
_QUOTED_WORDS = frozenset(("true", "false", "yes", "no", "on", "off", "y", "n", "null"))
_NUMBER_LIKE = re.compile(r"[0-9][0-9a-fA-FxXoOeE_.+-]*\Z")
_PLAIN = re.compile(r"[^\W_][\w./+-]*(?: [\w./+-]+)*\Z")
_INSTANT = re.compile(
    r"([0-9]{4})-([01][0-9])-([0-3][0-9])(?:T(?:[01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9]Z)?\Z"
)
_UNPRINTABLE = re.compile("[\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff]")
_SURROGATE = re.compile("[\ud800-\udfff]")

# What YAML takes for the end of a line; text editors and the fences know only the first two.
_BREAKS = "\n\r\x85\u2028\u2029"
_LINE = re.compile(r"[^\n]*\n|[^\n]+")
_REST_OF_LINE = re.compile(f"[ \t]*(?:#[^{_BREAKS}]*)?(?:\r?\n|\\Z)")


class Field:
    """One top-level field: its value and where its text stands.

    Offsets count characters of the frontmatter's text: `start` of the key's line (of the key, when
    something else stands before it), `colon` after the key, `value_start` and `value_end` around
    the value.
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
    if text.startswith("\ufeff"):
        # libyaml swallows it uncounted, and every offset would be off by one.
        raise _malformed("yaml", "a byte order mark stands inside the frontmatter", first_line)
    try:
        return _Reader(text, first_line).read(yaml.parse(text, Loader=yaml.CSafeLoader))
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        line = mark.line + first_line if mark else 0
        raise _malformed("yaml", f"frontmatter is not YAML: {error.problem}", line) from None
    except yaml.reader.ReaderError as error:
        # Its position counts bytes.
        line = text.encode()[: error.position].count(b"\n") + first_line
        raise _malformed("yaml", f"frontmatter is not YAML: {error.reason}", line) from None


def _malformed(reason: str, message: str, line: int = 0) -> MalformedError:
    return MalformedError(message, reason=reason, line=line)


class _Reader:
    """Descends libyaml's events; the depth cap bounds the recursion."""

    def __init__(self, text: str, first_line: int) -> None:
        self.text = text
        self.first_line = first_line
        self.closed = 0

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
            read = 0
            for key, event in self._pairs(events, fields):
                start, end = _span(key)
                value, value_start, value_end = self._node(event, events, 2)
                line_start = max(self.text.rfind(eol, read, start) for eol in _BREAKS) + 1
                if not self.text[max(line_start, read) : start].strip(" "):
                    start = max(line_start, read)
                read = value_end
                colon = self.text.find(":", end, value_start) + 1 or end
                fields[key.value] = Field(value, start, colon, value_start, value_end)
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
        """Each key of the open mapping with the first event of its value; then `closed` is set."""
        from yaml import MappingEndEvent, ScalarEvent

        while not isinstance(key := next(events), MappingEndEvent):
            self._refuse_alias(key)
            if not isinstance(key, ScalarEvent):
                raise self._at(key, "key", "a frontmatter key is not a plain word")
            if key.value in seen:
                raise self._at(key, "duplicate-key", f"key {key.value[:60]!r} is given twice")
            yield key, next(events)
        self.closed = _span(key)[1]

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
            literal = event.style or event.tag == _TEXT_TAG
            return (event.value if literal else resolve_scalar(event.value)), start, end
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
            self.closed = _span(item)[1]
            value = sequence
        if isinstance(event, CollectionStartEvent) and event.flow_style:
            end = self.closed
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
    """`value` as YAML on one line, quoted where any reader might take it for something else.

    Raises UsageError for what would not read back: a number without end or of over 18 digits, and
    a lone surrogate, which is what is left of an argument that was not UTF-8.
    """
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int | float):
        number = repr(value)
        if resolve_scalar(number) != value:
            raise UsageError(f"not a number that can be kept: {number}")
        return number
    if isinstance(value, list):
        return "[" + ", ".join(render_value(item) for item in value) + "]"
    if isinstance(value, dict):
        items = (f"{render_value(key)}: {render_value(item)}" for key, item in value.items())
        return "{" + ", ".join(items) + "}"
    plain = _PLAIN.match(value) and value.lower() not in _QUOTED_WORDS
    if (plain and not _NUMBER_LIKE.match(value)) or _is_instant(value):
        return value
    if _SURROGATE.search(value):
        raise UsageError(f"not text: {value[:60]!r}", remedy="give text in UTF-8")
    import json

    quoted = json.dumps(value, ensure_ascii=False)
    return _UNPRINTABLE.sub(lambda found: f"\\u{ord(found[0]):04x}", quoted)


def _is_instant(text: str) -> bool:
    """Whether `text` is a date that exists, or one with a time: other readers fail on the rest."""
    if not (found := _INSTANT.match(text)):
        return False
    year, month, day = map(int, found.groups())
    leap = year % 4 == 0 and (year % 100 != 0 or year % 400 == 0)
    days = (31, 28 + leap, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)
    return year > 0 and 1 <= month <= 12 and 1 <= day <= days[month - 1]


def render_fields(fields: Mapping[str, Value], eol: str = "\n") -> tuple[str, dict[str, Field]]:
    """Fresh frontmatter text, a line a field, and the fields as `parse_fields` would give them.

    So a note that was composed need not be read; tests hold the two to each other. Raises
    UsageError for what would not read back.
    """
    text = ""
    spans = {}
    for key, value in fields.items():
        name, rendered = render_value(key), render_value(value)
        colon = len(text) + len(name) + 1
        spans[key] = Field(value, len(text), colon, colon + 1, colon + 1 + len(rendered))
        text += f"{name}: {rendered}{eol}"
    if len(text) > MAX_FRONTMATTER:
        raise UsageError(f"fields of {len(text)} characters are over {MAX_FRONTMATTER}")
    return text, spans


def remove_fields(text: str, fields: Iterable[Field]) -> str:
    """`text` without the lines of these fields; a field that shares its lines with more stays.

    The substance is made with this, so nothing may hide in a counter's line.
    """
    spans = (own_lines(text, field) for field in fields)
    for start, end in sorted((span for span in spans if span), reverse=True):
        text = text[:start] + text[end:]
    return text


def own_lines(text: str, field: Field) -> tuple[int, int] | None:
    """Where the lines of a field begin and end, None when something else stands in them."""
    rest = _REST_OF_LINE.match(text, field.value_end)
    alone = not field.start or text[field.start - 1] in _BREAKS
    return (field.start, rest.end()) if alone and rest else None


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
        if key not in fields:
            added += f"{indent}{render_value(key)}: {render_value(value)}{eol}"
        elif not _same(fields[key].value, value):
            edits.append(_replace_value(text, fields[key], render_value(value)))
    dropped = {key for key in removed if key in fields}
    for key in dropped:
        if lines := own_lines(text, fields[key]):
            edits.append((*lines, ""))
    out = text
    for start, end, new in sorted(edits, reverse=True):
        out = out[:start] + new + out[end:]
    if added and out and out[-1] != "\n":
        out += eol
    out += added
    wanted = {key: field.value for key, field in fields.items() if key not in dropped}
    wanted.update(changes)
    if not _same(_read_values(out), wanted):
        raise MalformedError(
            "frontmatter is written in a form that can't be changed",
            reason="unpatchable",
            remedy="write it with one `key: value` a line",
        )
    return out


def _read_values(text: str) -> dict[str, Value] | None:
    try:
        return {key: field.value for key, field in parse_fields(text).items()}
    except MalformedError as error:
        if error.reason == "frontmatter-too-large":
            raise
        return None


def _same(one: Value, other: Value) -> bool:
    """Whether two values are equal and of one type: `1`, `1.0` and `true` are not the same."""
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(_same, one, other))
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(_same(one[key], other[key]) for key in one)
    return type(one) is type(other) and one == other


def _column(text: str, field: Field) -> int:
    line = text[field.start : field.colon]
    return len(line) - len(line.lstrip(" "))


def _replace_value(text: str, field: Field, rendered: str) -> tuple[int, int, str]:
    between = text[field.colon : field.value_start]
    if "\n" not in between and "\r" not in between:
        space = "" if between[-1:] in (" ", "\t") else " "
        return field.value_start, field.value_end, space + rendered
    # The value begins on a later line: it moves up behind its key, and comments stay. (In a text
    # a line with # is no comment.)
    block = isinstance(field.value, list | dict)
    head, *rest = _LINE.findall(text, field.colon, field.value_end if block else field.value_start)
    comments = "".join(line for line in rest if line.lstrip().startswith("#"))
    eol = head[len(head.rstrip("\r\n")) :]
    trailing = head.rstrip("\r\n")
    kept = (eol + comments.rstrip("\r\n")) if comments else ""
    return field.colon, field.value_end, f" {rendered}{trailing.rstrip()}{kept}"
