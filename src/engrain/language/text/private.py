"""Text between the marks `<private>` and `</private>`, which is never learned, stored or given.

The marks are read in any case, with attributes, and escaped as hosts escape them, also inside code.
Marks nest; what is not closed is private to the end of the text.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

WORD = "private"
_OPEN, _CLOSE = r"(?:<|&(?:amp;)?(?:lt|#60|#x3c);)", r"(?:>|&(?:amp;)?(?:gt|#62|#x3e);)"
_MARK = re.compile(
    rf"{_OPEN}[ \t]*+(/?)[ \t]*+{WORD}(?:[ \t\r\n][^<>&]*?)?(/?){_CLOSE}", re.IGNORECASE
)


def strip_private(text: str, *, begins_inside: bool = False) -> str:
    """Return a text without what is between the marks. With `begins_inside`, for a text whose
    beginning is missing, what stands before a closing mark without an opening one is private."""
    return _strip(text, 0, begins_inside)[0]


def strip_lines(lines: Iterable[str]) -> Iterator[str]:
    """Yield the lines of a text without what is between the marks, which may be in other lines."""
    depth = 0
    for line in lines:
        line, depth = _strip(line, depth, False)
        yield line


def strip_values(value: object) -> object:
    """Return a value of JSON with `strip_private` applied to every text in it."""
    if isinstance(value, str):
        return strip_private(value)
    if isinstance(value, list):
        return [strip_values(part) for part in value]
    if isinstance(value, dict):
        return {key: strip_values(part) for key, part in value.items()}
    return value


def _strip(text: str, depth: int, begins_inside: bool) -> tuple[str, int]:
    """Return a text without what is private, and how many marks are open at its end; `depth` are
    those open at its beginning."""
    if "<" not in text and "&" not in text:
        return ("" if depth else text), depth
    kept: list[str] = []
    end = 0
    for mark in _MARK.finditer(text):
        if not depth:
            kept.append(text[end : mark.start()])
        if mark[1]:
            if not depth and begins_inside:
                kept.clear()
            depth = max(0, depth - 1)
        elif not mark[2]:
            depth += 1
        begins_inside = False
        end = mark.end()
    if not depth:
        kept.append(text[end:])
    return "".join(kept), depth
