"""A frontmatter field: its value, and where its text stands."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TypeAlias

Value: TypeAlias = "str | int | float | bool | list[Value] | dict[str, Value] | None"

MAX_FRONTMATTER = 64 * 1024
"""The most characters of frontmatter."""
MAX_DEPTH = 16
"""The deepest nesting of its values."""
OWN_FIELDS = frozenset((
    "id", "kind", "slug", "title", "status", "created", "updated", "project", "tags", "tag",
    "aliases", "alias", "always_load", "derived_from", "links", "related", "source", "confidence",
    "weight", "recall_count", "last_recalled", "sessions_since_recall", "valid_from", "valid_to",
    "deleted_at", "supersedes", "superseded_by", "imported", "last_used", "usage_count",
    "success_count", "failure_count", "generated", "pinned", "archived",
))  # fmt: skip
"""Fields that Engrain gives a meaning in notes of every kind."""
BREAKS = "\n\r\x85\u2028\u2029"
"""The line ends of YAML; text editors and the fences know only the first two."""

_CONSTANTS: dict[str, bool | None] = {
    **dict.fromkeys(("", "~", "null", "Null", "NULL")),
    **dict.fromkeys(("true", "True", "TRUE"), True),
    **dict.fromkeys(("false", "False", "FALSE"), False),
}
_INT_DIGITS = 18
_BASED = re.compile(r"0(?:o[0-7]{1,20}|x[0-9a-fA-F]{1,15})\Z")
# Digits alone are no float: a number too long for an integer stays text, so that it keeps all
# digits.
_FLOAT = r"\A[-+]?(?![0-9]+\Z)(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?\Z"


@dataclass(slots=True)
class Field:
    """One top-level field: its value and the offsets of its text, in characters of the frontmatter.

    `start` is that of the key's line (of the key, if other text precedes it), `colon` that behind
    the key's colon; `value_start` and `value_end` enclose the value.
    """

    value: Value
    start: int
    colon: int
    value_start: int
    value_end: int


def resolve_scalar(text: str) -> str | int | float | bool | None:
    """Return a plain scalar's value by the YAML 1.2 core schema; NaN and infinities stay text."""
    if text in _CONSTANTS:
        return _CONSTANTS[text]
    if text[0].isalpha() or not text.isascii():
        return text
    digits = text[1:] if text[0] in "+-" else text
    if digits.isdigit() and len(digits) <= _INT_DIGITS:
        return int(text)
    if text.startswith(("0o", "0x")) and _BASED.match(text):
        return int(text, 0)
    if not text.strip("0123456789+-.eE") and re.match(_FLOAT, text):
        number = float(text)
        return number if abs(number) != float("inf") else text
    return text
