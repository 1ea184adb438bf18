"""Long notes in chunks: by heading, then by block, then by sentence (S1.21).

A chunk is a span of characters, so that what is found can be shown where it stands. Splitting
takes time linear in the text, whatever the text is.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from engrain.language.text.blocks import read_blocks

if TYPE_CHECKING:
    from engrain.language.text.blocks import Section, Spans


_SMALL = 4  # the part of the most under which a chunk is better joined


@dataclass(slots=True, eq=False)
class Chunk:
    """Characters `start` to `end` of a text, neither starting nor ending with blanks.

    `heading` is the path of headings that all of it stands under, its own included
    (`Setup > Linux`); empty if there is none. Headings with nothing under them don't count.
    """

    start: int
    end: int
    heading: str = ""


def split_chunks(text: str, most: int) -> list[Chunk]:
    """Return the chunks of `text`, in order: they don't overlap and leave out nothing but blanks.

    No chunk has more than `most` characters, and a text that is no longer is one chunk. A section
    that fits is whole; short neighbours are joined, a chapter's end with the next chapter only if
    it is tiny. A longer one is cut between blocks: a paragraph, a fenced block or a table is cut
    only if it is longer than `most`, together with the heading it follows; then between list items,
    sentences, lines, words, and only then anywhere. Raises ValueError if `most` is not positive.
    """
    if most < 1:
        raise ValueError(f"a chunk of at most {most} characters can't hold text")
    sections, spans = read_blocks(text)
    if not sections:
        return []
    first, last = _trim(text, 0, len(text))
    if last - first <= most:
        return [Chunk(first, last, " > ".join(_common([part.path for part in sections])))]
    joined: list[tuple[int, int, tuple[str, ...]]] = []
    for section in sections:
        whole = _trim(text, section.start, section.end)
        parts = [whole] if whole[1] - whole[0] <= most else _cut(text, section, spans, most)
        for start, end in parts:
            path = section.path
            if joined and end - joined[-1][0] <= most:
                before, upto, other = joined[-1]
                shared = _common([other, path])
                # A section under the last, or beside it; or the last is too small to stand alone.
                under = len(shared) == len(other)
                beside = len(shared) >= max(len(other), len(path)) - 1
                if under or beside or upto - before < most // _SMALL:
                    joined.pop()
                    start, path = before, shared
            joined.append((start, end, path))
    return [Chunk(start, end, " > ".join(path)) for start, end, path in joined]


_BLANK_LINE = re.compile(r"\n[ \t\r]*+\n")
_LINES = (re.compile(r"\n"), re.compile(r"\s"))
_PROSE = (
    # A line that ends a sentence or precedes a list item.
    re.compile(r"(?<=[.!?:…。！？])[ \t\r]*+\n|\n(?=[ \t>]*+(?:[-*+]|[0-9]{1,9}[.)])[ \t])"),
    # It begins with one sign of a set, for which a text is searched several times as fast.
    re.compile(
        r"[.!?…。！？｡؟।](?:(?<=[.!?…])[\"'”’)\]*_]*+(?=\s)|(?<=[。！？｡؟।])[。！？｡؟।]*+[”’」』）]*+)"
    ),
    *_LINES,
    re.compile(r"[、，；：]"),
)
_IN_LINE = (_PROSE[1], *_PROSE[3:])
"""The patterns of `_PROSE` that a text within one line can have."""
_CODE = re.compile(r"(?<![^\n])(?: {4}|\t|[^\n]*[;{}][ \t\r]*+(?:\n|\Z))")
"""A line of code that nothing fences: indented, or with an end that no line of prose has."""
_JOINS = re.compile(  # what belongs to the character before it
    "[\u0300-\u036f\u0610-\u061a\u064b-\u065f\u093a-\u094f\u200d\u20d0-\u20ff\ufe00-\ufe0f"
    "\U0001f3fb-\U0001f3ff]"
)
_CLUSTER = 16  # characters that are one to the eye, at most


def _common(paths: list[tuple[str, ...]]) -> tuple[str, ...]:
    """Return the headings that all of `paths` begin with."""
    least, greatest = min(paths), max(paths)
    length = 0
    while length < len(least) and least[length] == greatest[length]:
        length += 1
    return least[:length]


def _trim(text: str, start: int, end: int) -> tuple[int, int]:
    first = start
    while first < end and text[first].isspace():
        first += 1
    if first >= end:
        return start, start
    while text[end - 1].isspace():
        end -= 1
    return first, end


def _cut(text: str, section: Section, spans: Spans, most: int) -> Iterator[tuple[int, int]]:
    start, end = _trim(text, section.start, section.end)
    body, _ = _trim(text, section.body, end)
    gaps = _Gaps(text, body, end, spans, most)
    while end - start > most:
        at = gaps.best(start)
        if at is None:
            at = _inside_block(text, start, spans, most)
        yield _trim(text, start, at)
        start, _ = _trim(text, at, end)
    yield start, end


class _Gaps:
    """Finds the places where a section may be cut with every block whole."""

    def __init__(self, text: str, body: int, end: int, spans: Spans, most: int) -> None:
        self._text = text
        self._body = body
        self._end = end
        self._spans = spans
        self._most = most

    def best(self, start: int) -> int | None:
        """Return where to end the part that starts at `start`; None if a block must be cut for
        it."""
        wall = start + self._most
        if lines := self._blank_lines(start + self._most // 2, wall):
            return lines[-1]
        at = max(self._all(start, wall), default=start)
        small = at - start < self._most // _SMALL
        return at if at > start and (not small or self._fits(at)) else None

    def _fits(self, start: int) -> bool:
        """Whether the block that follows `start` needs no cut."""
        start, _ = _trim(self._text, start, self._end)
        wall = start + self._most
        return self._end <= wall or bool(self._all(start, wall))

    def _all(self, after: int, to: int) -> list[int]:
        return [*self._blank_lines(after, to), *self._spans.edges(max(after, self._body), to)]

    def _blank_lines(self, after: int, to: int) -> list[int]:
        """Return the blank lines after `after` and up to `to`, in order, without those inside a
        block that fits."""
        found = _BLANK_LINE.finditer(self._text, max(after, self._body) + 1, to + 2)
        return [at for line in found if not self._is_inside(at := line.start())]

    def _is_inside(self, at: int) -> bool:
        around = self._spans.around(at)
        return around is not None and around[1] - around[0] <= self._most


def _inside_block(text: str, start: int, spans: Spans, most: int) -> int:
    """Return where to cut a block that is too long, from half of `most` to all of it."""
    low, high = start + most // 2, start + most
    line = text.rfind("\n", low, high) + 1
    code = spans.around(high) or (line and _CODE.match(text, line, high + most))
    for pattern in _LINES if code else _PROSE if line else _IN_LINE:
        found = pattern.finditer(text, low, high + 1)
        ends = [at for match in found if start < (at := match.end()) <= high]
        if ends:
            return ends[-1]
    for at in range(high, max(low, high - _CLUSTER), -1):
        if not _JOINS.match(text, at) and text[at - 1] != "\u200d":
            return at
    return high
