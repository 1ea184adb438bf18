"""A frontmatter field: its value, and where its text stands."""

from __future__ import annotations

from engrain.language.text.patterns import late

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import TypeAlias

Value: TypeAlias = "str | int | float | bool | list[Value] | dict[str, Value] | None"

MAX_FRONTMATTER = 64 * 1024
"""Characters of frontmatter at most."""
MAX_DEPTH = 16
"""How deep its values may be nested."""
BREAKS = "\n\r\x85\u2028\u2029"
"""What YAML takes for the end of a line; text editors and the fences know only the first two."""

_NULLS = frozenset(("", "~", "null", "Null", "NULL"))
_TRUE = frozenset(("true", "True", "TRUE"))
_FALSE = frozenset(("false", "False", "FALSE"))
_INT_DIGITS = 18
_BASED = late(r"0(?:o[0-7]{1,20}|x[0-9a-fA-F]{1,15})\Z")
# Digits alone are no float: a number too long for an integer is text, so that no digit is lost.
_FLOAT = late(r"[-+]?(?![0-9]+\Z)(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?\Z")


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


def resolve_scalar(text: str) -> str | int | float | bool | None:
    """A plain scalar's value by the YAML 1.2 core schema, not-a-number and infinities left text."""
    if text in _NULLS:
        return None
    if text in _TRUE:
        return True
    if text in _FALSE:
        return False
    if not text.isascii():
        return text
    digits = text[1:] if text[0] in "+-" else text
    if digits.isdigit() and len(digits) <= _INT_DIGITS:
        return int(text)
    if text.startswith(("0o", "0x")) and _BASED.match(text):
        return int(text, 0)
    if not text.strip("0123456789+-.eE") and _FLOAT.match(text):
        number = float(text)
        return number if abs(number) != float("inf") else text
    return text
