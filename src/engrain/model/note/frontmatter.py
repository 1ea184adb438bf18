"""Frontmatter: read safely, written by patching spans of the original text (S1.10).

Reading goes through libyaml's events, never through constructors: no aliases, no anchors, no
duplicate keys, a bounded depth and size, and scalars by the YAML 1.2 core schema (so `NO`,
`12:30:45` and dates stay text). Writing never re-serialises: a changed field replaces its own span,
so that unknown keys, comments, order and line ends survive byte for byte.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING

from engrain.model.errors import MalformedError, UsageError
from engrain.model.note.field import BREAKS, MAX_FRONTMATTER, Field, resolve_scalar
from engrain.model.note.plain_fields import parse_fields

if TYPE_CHECKING:
    from engrain.model.note.field import Value


# Words that some YAML reader takes for a boolean, null or number: always quoted.
_QUOTED_WORDS = frozenset(("true", "false", "yes", "no", "on", "off", "y", "n", "null"))
_NUMBER_LIKE = re.compile(r"[0-9][0-9a-fA-FxXoOeE_.+-]*\Z")
_PLAIN = re.compile(r"\A[^\W_][\w./+-]*(?: [\w./+-]+)*\Z")
_INSTANT = re.compile(
    r"([0-9]{4})-([01][0-9])-([0-3][0-9])(?:T(?:[01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9]Z)?\Z"
)
_PLAIN_KEY = re.compile(r"[a-z_]{1,24}\Z")
_UNPRINTABLE = re.compile("[\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff]")
_SURROGATE = re.compile("[\ud800-\udfff]")

_WRITTEN: dict[str, str] = {}
"""A cache of short texts as YAML: keys and kinds recur in every note."""
_MOST_WRITTEN, _SHORT = 256, 24

_LINE = re.compile(r"[^\n]*\n|[^\n]+")
_REST_OF_LINE = re.compile(f"[ \t]*(?:#[^{BREAKS}]*)?(?:\r?\n|\\Z)")


def render_value(value: Value) -> str:
    """Return `value` as YAML on one line, quoted if any reader might misunderstand it.

    Raises UsageError for values that would not read back: infinities, numbers of over 18 digits,
    and lone surrogates, which come from an argument that was not UTF-8.
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
    written = _WRITTEN.get(value)
    if written is None:
        written = _render_text(value)
        if len(_WRITTEN) >= _MOST_WRITTEN:
            _WRITTEN.clear()
        if len(value) <= _SHORT:
            _WRITTEN[value] = written
    return written


def _render_text(value: str) -> str:
    plain = _PLAIN.match(value) and value.lower() not in _QUOTED_WORDS
    if (plain and not _NUMBER_LIKE.match(value)) or _is_instant(value):
        return value
    if not value.isascii() and _SURROGATE.search(value):
        raise UsageError(f"not text: {value[:60]!r}", remedy="give text in UTF-8")
    quoted = json.dumps(value, ensure_ascii=False)
    if quoted.isascii() and "\x7f" not in quoted:
        return quoted
    return _UNPRINTABLE.sub(lambda found: f"\\u{ord(found[0]):04x}", quoted)


def _is_instant(text: str) -> bool:
    """Whether `text` is an existing date, or one with a time: other readers fail on other dates."""
    if text[4:5] != "-" or not (found := _INSTANT.match(text)):
        return False
    year, month, day = map(int, found.groups())
    leap = year % 4 == 0 and (year % 100 != 0 or year % 400 == 0)
    days = (31, 28 + leap, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)
    return year > 0 and 1 <= month <= 12 and 1 <= day <= days[month - 1]


def render_fields(fields: Mapping[str, Value], eol: str = "\n") -> tuple[str, dict[str, Field]]:
    """Return fresh frontmatter, one line per field, and the fields as `parse_fields` returns them,
    so that a composed note need not be parsed. Raises UsageError for what would not read back."""
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
    """Return `text` without the lines of these fields. A field that shares its lines with other
    text stays, so that nothing can hide from the substance in a counter's line."""
    spans = (own_lines(text, field) for field in fields)
    for start, end in sorted((span for span in spans if span), reverse=True):
        text = text[:start] + text[end:]
    return text


def own_lines(text: str, field: Field) -> tuple[int, int] | None:
    """Return where the lines of a field begin and end, None if they contain anything else."""
    rest = _REST_OF_LINE.match(text, field.value_end)
    alone = not field.start or text[field.start - 1] in BREAKS
    return (field.start, rest.end()) if alone and rest else None


def patch_fields(
    text: str,
    changes: Mapping[str, Value],
    removed: Iterable[str],
    eol: str,
    fields: dict[str, Field] | None = None,
) -> str:
    """Return `text` with the fields of `changes` set, those of `removed` gone, and the rest
    untouched. `fields` are those of the text, if they have been read already.

    Raises MalformedError when the text is a flow mapping or otherwise can't be patched safely:
    unless each field has its own line and the new values are flat, the result is parsed again and
    must have the wanted values.
    """
    fields = parse_fields(text) if fields is None else fields
    dropped = {key for key in removed if key in fields}
    out = text
    for start, end, new in sorted(_edits(text, fields, changes, dropped), reverse=True):
        out = out[:start] + new + out[end:]
    first = next(iter(fields.values()), None)
    line = text[first.start : first.colon] if first else ""
    indent = " " * (len(line) - len(line.lstrip(" ")))
    added = "".join(
        f"{indent}{render_value(key)}: {render_value(value)}{eol}"
        for key, value in changes.items()
        if key not in fields
    )
    out += (eol if added and out and out[-1] != "\n" else "") + added
    if _has_plain_lines(text, fields, changes.values()) and len(out) <= MAX_FRONTMATTER:
        return out
    wanted = {key: field.value for key, field in fields.items() if key not in dropped}
    wanted.update(changes)
    if not _same(_read_values(out), wanted):
        raise MalformedError(
            "frontmatter is written in a form that can't be changed",
            reason="unpatchable",
            remedy="write it with one `key: value` a line",
        )
    return out


def _is_flat(value: Value) -> bool:
    """Whether a value has no other values in it but texts and numbers, in a list or by plain
    names."""
    inside = value if isinstance(value, list) else [value]
    if isinstance(value, dict) and all(map(_PLAIN_KEY.match, value)):
        inside = [*value.values()]
    return not any(isinstance(item, list | dict) for item in inside)


def _has_plain_lines(text: str, fields: Mapping[str, Field], new: Iterable[Value]) -> bool:
    """Whether a text has a line `key: value` for each field and nothing else, and the new values
    are flat, so that a line which is replaced or added can't change how another one is read."""
    if not all(map(_is_flat, new)):
        return False
    at = 0
    for field in fields.values():
        line = text[at : field.value_end]
        apart = text[field.colon - 1 : field.value_start] == ": " and not line[:1].isspace()
        if field.start != at or not apart or not line.isprintable():
            return False
        at = field.value_end + 1
        if text[field.value_end : at] not in ("\n", ""):
            return False
    return at >= len(text)


def _edits(
    text: str, fields: Mapping[str, Field], changes: Mapping[str, Value], dropped: Iterable[str]
) -> Iterator[tuple[int, int, str]]:
    """Yield (begin, end, new text) of each field that is changed or removed."""
    for key, value in changes.items():
        if key in fields and not _same(fields[key].value, value):
            yield _replace_value(text, fields[key], render_value(value))
    for key in dropped:
        if lines := own_lines(text, fields[key]):
            yield (*lines, "")


def _read_values(text: str) -> dict[str, Value] | None:
    try:
        return {key: field.value for key, field in parse_fields(text).items()}
    except MalformedError as error:
        if error.reason == "frontmatter-too-large":
            raise
        return None


def _same(one: Value, other: Value) -> bool:
    """Whether two values are equal and of one type: `1`, `1.0` and `true` differ."""
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(_same, one, other))
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(_same(one[key], other[key]) for key in one)
    return type(one) is type(other) and one == other


def _replace_value(text: str, field: Field, rendered: str) -> tuple[int, int, str]:
    between = text[field.colon : field.value_start]
    if "\n" not in between and "\r" not in between:
        space = "" if between[-1:] in (" ", "\t") else " "
        return field.value_start, field.value_end, space + rendered
    # The value begins on a later line: it moves up behind its key, and comments stay. (Within a
    # text a line with # is no comment.)
    block = isinstance(field.value, list | dict)
    head, *rest = _LINE.findall(text, field.colon, field.value_end if block else field.value_start)
    comments = "".join(line for line in rest if line.lstrip().startswith("#"))
    eol = head[len(head.rstrip("\r\n")) :]
    trailing = head.rstrip("\r\n")
    kept = (eol + comments.rstrip("\r\n")) if comments else ""
    return field.colon, field.value_end, f" {rendered}{trailing.rstrip()}{kept}"
