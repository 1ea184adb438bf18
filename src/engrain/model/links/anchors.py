"""What a link may name within a note: its headings and its `^blocks` (S1.11).

As Obsidian does: `#heading`, `#one#two` for a heading below another, `#^block`, compared without
case and punctuation. As Dendron does: slugs (`#my-heading`, `#my-heading-1` for the second of that
name), lines behind a heading (`#one,1`), ranges (`#one:#two`, `#one:#*`), `#^begin` and `#^end`.
"""

from __future__ import annotations

import re

from engrain.language.text.folding import fold
from engrain.language.text.link_tokens import prose

_HEADING = re.compile(
    r"^[ \t>]{0,12}(#{1,6})[ \t]+([^\n]*)$|^[ ]{0,3}(\S[^\n]*)\r?\n[ ]{0,3}(=+|-{2,})[ \t]*\r?$",
    re.MULTILINE,
)
_BLOCK = re.compile(r"(?:^|\s)\^([\w-]+)[ \t]*\r?$", re.MULTILINE)
_CLOSING = re.compile(r"(?<![ \t])[ \t]++(?:#++|\^[\w-]++)$")
_NOT_SAID = re.compile(r"[\W_]+")
_OFFSET = re.compile(r",-?\d+\Z")
_SECOND = re.compile(r"-(\d+)\Z")
_EDGES = ("*", "^begin", "^end")


class Anchors:
    """The headings of a note, in order, with their levels, and the names of its blocks."""

    def __init__(self, body: str) -> None:
        text = prose(body)
        self._blocks = {found[1].lower() for found in _BLOCK.finditer(text)}
        # The text of a heading may hold code: what is blanked is read from the body.
        self._headings = [
            (
                _level(found[1], found[4]),
                heading_key(body[slice(*found.span(2 if found[1] else 3))]),
            )
            for found in _HEADING.finditer(text)
        ]

    def has(self, fragment: str) -> bool:
        """Whether all that stands behind `#` in a link is there."""
        return all(self._has_one(part.lstrip("#").strip()) for part in fragment.split(":#"))

    def _has_one(self, part: str) -> bool:
        part = _OFFSET.sub("", part)
        if not part or part.lower() in _EDGES:
            return True
        if part.startswith("^"):
            return part[1:].lower() in self._blocks
        return self._has_path(part.split("#")) or self._has_second(part)

    def _has_path(self, parts: list[str]) -> bool:
        """Whether there is a heading, or one below another: each deeper than the one before."""
        if parts[-1].startswith("^"):
            return parts[-1][1:].lower() in self._blocks
        wanted = [heading_key(part) for part in parts if part.strip()]
        met = above = 0
        for level, key in self._headings:
            if met < len(wanted) and key == wanted[met] and level > above:
                met, above = met + 1, level
        return met == len(wanted)

    def _has_second(self, part: str) -> bool:
        """Whether a slug with a number means the heading that is there so often (GitHub's rule)."""
        found = _SECOND.search(part)
        if found is None:
            return False
        key = heading_key(part[: found.start()])
        return sum(key == other for _, other in self._headings) > int(found[1])


def _level(marks: str | None, underline: str | None) -> int:
    return len(marks) if marks else 1 + (underline or "").startswith("-")


def heading_key(written: str) -> str:
    """What headings are compared by: letters and digits of any script, folded. One that has none is
    compared as it is."""
    text = _CLOSING.sub("", written.strip()).strip()
    folded = fold(text)
    return _NOT_SAID.sub("", folded) or folded
