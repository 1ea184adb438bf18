"""Sections of a markdown text, the blocks in it that lose their meaning when they are cut, and the
outline by which one section can be written anew while every byte of the others stays.

Understood: `#` headings and underlined ones, fenced blocks, tables with a `|` before each row. A
`#` in a fenced block is no heading. Reading takes time linear in the text, whatever it is.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TypeAlias

_LINE = 400  # characters of a line looked at for a heading's title
_HEADING_LENGTH = 100  # characters kept of it; a longer one is text


@dataclass(slots=True, eq=False)
class Section:
    """From a heading to the next; what is under it starts at `body`."""

    start: int
    body: int
    end: int
    path: tuple[str, ...]


class Spans:
    """The fenced blocks and tables of a text, in order."""

    __slots__ = ("_ends", "_starts")

    def __init__(self) -> None:
        self._starts: list[int] = []
        self._ends: list[int] = []

    def add(self, start: int, end: int) -> None:
        self._starts.append(start)
        self._ends.append(end)

    def around(self, at: int) -> tuple[int, int] | None:
        """Return the start and end of the span around a position; None if there is none."""
        number = bisect_right(self._starts, at) - 1
        if number >= 0 and self._starts[number] < at < self._ends[number]:
            return self._starts[number], self._ends[number]
        return None

    def edges(self, start: int, end: int) -> Iterator[int]:
        """Yield the starts and ends of spans after `start` and up to `end`, in order."""
        for number in range(max(0, bisect_right(self._starts, start) - 1), len(self._starts)):
            if self._starts[number] > end:
                return
            for edge in (self._starts[number], self._ends[number]):
                if start < edge <= end:
                    yield edge


# Quantifiers that could overlap are possessive, so that none is tried twice.
_MARK = re.compile(
    r"(?m)^(?:"
    r" {0,3}(?P<hashes>#{1,6})(?=\s|\Z)(?P<title>[^\n]*+)"
    r"|[ \t>]*+(?:(?:[-*+]|[0-9]{1,9}[.)])[ \t]++)?+(?P<fence>`{3,}+(?=[^`\n]*+$)|~{3,}+)"
    r"|(?P<table>[ \t]*+\|[^\n]*+(?:\n[ \t]*+\|[^\n]*+)++)"
    r"| {0,3}(?![>|\s]|[-*+][ \t]|[0-9]{1,9}[.)][ \t]|[-*_=][-*_= \t]*+\r?$)"
    r"(?P<over>[^\n]++)\n {0,3}(?P<line>={2,}+|-{2,}+)[ \t\r]*+$"
    r")"
)
_MARKS = ("#", "```", "~~~", "|", "==", "--")
"""A text without these has no headings, and nothing that is not to be cut."""
_FENCE_END = re.compile(r"^(?:[ \t>]*+(`{3,}+|~{3,}+)[ \t\r]*+$|#{1,6}[ \t])", re.MULTILINE)
_SOLID = re.compile(r"\S")
_CLOSING = re.compile(r"(?<!\S)#++\s*\Z")  # `## Title ##`


def read_blocks(text: str) -> tuple[list[Section], Spans]:
    """Return the sections that have text, and the spans not to be cut. Headings with nothing under
    them open the section that follows, or end the last one."""
    sections: list[Section] = []
    spans = Spans()
    stack: list[tuple[int, str]] = []
    start = body = 0
    for at, end, level, title in _headings(text, spans):
        if _SOLID.search(text, body, at):
            sections.append(Section(start, body, at, tuple(name for _, name in stack)))
            start = at
        while stack and stack[-1][0] >= level:
            stack.pop()
        stack.append((level, title))
        body = end
    if sections and not _SOLID.search(text, body):
        sections[-1].end = len(text)
    elif _SOLID.search(text, start):
        sections.append(Section(start, body, len(text), tuple(name for _, name in stack)))
    return sections, spans


def _headings(text: str, spans: Spans) -> Iterator[tuple[int, int, int, str]]:
    """(start, end, level, title) of each heading; adds to `spans` on the way."""
    if not any(map(text.__contains__, _MARKS)):
        return
    pos = last = 0
    while mark := _MARK.search(text, pos):
        start, pos = mark.span()
        if fence := mark["fence"]:
            pos = _fence_end(text, fence, pos, inside=mark.start("fence") > start)
            spans.add(start, pos)
        elif mark["table"]:
            spans.add(start, pos)
        elif hashes := mark["hashes"]:
            yield start, pos, len(hashes), _title(_CLOSING.sub("", mark["title"][:_LINE]))
        elif not _SOLID.search(text, max(last, text.rfind("\n", 0, max(0, start - 1)) + 1), start):
            yield start, pos, 1 if mark["line"][0] == "=" else 2, _title(mark["over"][:_LINE])
        else:
            # The last line of a longer paragraph, over a rule.
            continue
        last = pos


def _fence_end(text: str, fence: str, pos: int, *, inside: bool) -> int:
    """Return where a fenced block ends; one inside a list or a quote no later than that, at a
    heading."""
    for found in _FENCE_END.finditer(text, pos):
        if found[1] is None:
            if inside:
                return found.start()
        elif found[1].startswith(fence):
            return found.end()
    return len(text)


def _title(written: str) -> str:
    return written.strip()[:_HEADING_LENGTH].rstrip()


Part: TypeAlias = "tuple[str, str]"
"""A heading's line, and all the text below it."""

_FENCES = ("```", "~~~")


def split_outline(body: str) -> tuple[str, list[Part]]:
    """Return the text before the first section, and the sections: joined the whole body."""
    lines = _split_lines(body.replace("\r\n", "\n"))
    heads = [at for at in _outside_fences(lines) if is_heading(lines[at])]
    first = next((at for at, line in enumerate(lines) if line.strip("\ufeff \t\n")), 0)
    if heads and heads[0] == first and not lines[first].startswith("##"):
        heads = heads[1:]
    ends = [*heads[1:], len(lines)]
    sections = [
        (lines[at], "".join(lines[at + 1 : end])) for at, end in zip(heads, ends, strict=False)
    ]
    return "".join(lines[: heads[0]] if heads else lines), sections


def join_outline(head: str, sections: Sequence[Part]) -> str:
    """Return the text of both, with an empty line before each section."""
    text = head
    for line, under in sections:
        if text and not text.endswith("\n"):
            text += "\n"
        if text and not text.endswith("\n\n"):
            text += "\n"
        text += line + under
    return text


def is_heading(line: str) -> bool:
    """Whether a line is a heading of the first or second level."""
    return line.startswith(("# ", "## ")) or line.rstrip() in ("#", "##")


def tame(text: str) -> str:
    """Escape with a backslash what would begin another section, or open a fence."""
    lines = text.replace("\r\n", "\n").strip("\n").rstrip().split("\n")
    return "\n".join(
        f"\\{line}" if is_heading(line) or line.lstrip().startswith(_FENCES) else line
        for line in lines
    )


def _split_lines(text: str) -> list[str]:
    """Return the lines with their ends; nothing but `\n` ends one."""
    lines = [f"{line}\n" for line in text.split("\n")]
    lines[-1] = lines[-1][:-1]
    return lines if lines[-1] else lines[:-1]


def _outside_fences(lines: Sequence[str]) -> Iterator[int]:
    """Yield the places of the lines that stand in no fenced block; a fence that nobody closes is
    none."""
    at = 0
    while at < len(lines):
        opened = lines[at].lstrip()[:3]
        if opened in _FENCES:
            closing = (n for n in range(at + 1, len(lines)) if lines[n].strip().startswith(opened))
            at = next(closing, at)
        else:
            yield at
        at += 1
