"""The anchors of a note, to which links can point: its headings and its `^blocks` (S1.11).

Obsidian writes `#heading`, `#one#two` for a heading below another, `#^block`, compared without case
and punctuation. Dendron writes slugs (`#my-heading`, `#my-heading-1` for the second of that name),
lines behind a heading (`#one,1`), ranges (`#one:#two`, `#one:#*`), `#^begin` and `#^end`.
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
        self._headings: list[tuple[int, str]] = []
        for found in _HEADING.finditer(text):
            level = len(found[1]) if found[1] else 1 + found[4].startswith("-")
            # Code in a heading is blanked in `text`, so it is read from the body.
            start, end = found.span(2 if found[1] else 3)
            self._headings.append((level, heading_key(body[start:end])))

    def has(self, fragment: str) -> bool:
        """Whether the note has every anchor that stands behind `#` in a link."""
        return all(self._has_one(part.lstrip("#").strip()) for part in fragment.split(":#"))

    def _has_one(self, part: str) -> bool:
        part = _OFFSET.sub("", part)
        if not part or part.lower() in _EDGES:
            return True
        if part.startswith("^"):
            return part[1:].lower() in self._blocks
        return self._has_path(part.split("#")) or self._has_second(part)

    def _has_path(self, parts: list[str]) -> bool:
        """Whether there are such headings, each one deeper than the one before it."""
        if parts[-1].startswith("^"):
            return parts[-1][1:].lower() in self._blocks
        wanted = [heading_key(part) for part in parts if part.strip()]
        met = above = 0
        for level, key in self._headings:
            if met < len(wanted) and key == wanted[met] and level > above:
                met, above = met + 1, level
        return met == len(wanted)

    def _has_second(self, part: str) -> bool:
        """Whether a slug with a number means one of several equal headings (GitHub's rule)."""
        found = _SECOND.search(part)
        if found is None:
            return False
        key = heading_key(part[: found.start()])
        return sum(key == other for _, other in self._headings) > int(found[1])


def heading_key(written: str) -> str:
    """Return the key by which headings are compared: their folded letters and digits, or the
    heading itself if it has none."""
    folded = fold(_CLOSING.sub("", written.strip()).strip())
    return _NOT_SAID.sub("", folded) or folded
