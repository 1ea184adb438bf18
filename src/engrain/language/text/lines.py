"""Text of others on one line: cut to a length, or as code that is no markup and no link."""

from __future__ import annotations

import re
from unicodedata import category

_SPAN = re.compile(r"(?<!`)(`+)(?!`).+?(?<!`)\1(?!`)")
_TICKS = re.compile("`+")
_LINKS = re.compile(r"[\[\]<>]|%%")


_WIDE = re.compile("[\u2e80-\u9fff\ua960-\ua97f\uf900-\ufaff\uff00-\uffef\U00020000-\U0003ffff]")
"""A character of a script that is written without spaces: Chinese and Japanese."""


def shorten(text: str, most: int) -> str:
    """`text` on one line of `most` characters at most; what is cut ends at a word, and a mark."""
    line = " ".join(text.split())
    if len(line) <= most:
        return line
    at = room = max(1, most - 2)
    while at > 1 and line[at] != " " and not _WIDE.search(line, at - 1, at + 1):
        at -= 1
    if at <= 1:  # a long URL, or a script without spaces, is cut where the room ends
        at = room
        while at > 1 and not line[at].isascii() and _joins(line[at]):
            at -= 1
    return line[:at].rstrip() + " …"


def _joins(letter: str) -> bool:
    """Whether a character belongs to the one before it: an accent, a vowel sign, a joiner."""
    return category(letter)[0] == "M" or letter == "\u200d"


def code_span(text: str) -> str:
    """`text` on one line as a code span, whatever backticks are in it (CommonMark 6.1)."""
    text = " ".join(text.split())
    mark = "`" * (1 + max(map(len, _TICKS.findall(text)), default=0))
    blank = " " if text[:1] == "`" or text[-1:] == "`" else ""
    return f"{mark}{blank}{text}{blank}{mark}"


def quote_links(text: str) -> str:
    """`text`, as a code span where a link, an image, HTML or a hidden comment would be read in it
    outside of those that it has."""
    return code_span(text) if _LINKS.search(_SPAN.sub("", text)) else text
