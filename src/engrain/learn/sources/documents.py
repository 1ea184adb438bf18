"""A text as its blocks: headings, list items and paragraphs, less what nobody says in it.

Frontmatter, code, comments, and what was recalled from this memory are left out.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from engrain.language.text.days import SECONDS
from engrain.language.text.fences import FENCE, TAG, without_fences
from engrain.language.text.instants import read_instant
from engrain.language.text.periods import find_periods

HEADING, ITEM, PARAGRAPH = "heading", "item", "paragraph"

_HEADING = re.compile(r"\s{0,3}(#{1,6})\s+(.+?)\s*#*\s*$")
_ITEM = re.compile(r"\s*(?:[-*+•]|\d{1,3}[.)])\s+(?:\[[ xX]\]\s+)?(.*)$")
_LABEL = re.compile(r"\s{0,3}\**@?[^\W\d_][\w'’.\-]*(?: [\w'’.\-]+){0,3}\**\s*:\**\s+\S")
_ROW = re.compile(r"\s*(\|.*)$")
_CODE = re.compile(r"\s{0,3}(?:[-*+]\s+)?(```+|~~~+)")
_RULE = re.compile(r"\s{0,3}(?:[-*_=]\s*){3,}$")
_COMMENT = re.compile(r"<!--.*?(?:-->|\Z)", re.DOTALL)
_FENCE = re.compile(FENCE)
_FIELD = re.compile(r"\s{0,3}(?:[-*]\s+)?\**(?:date|day|when|created)\**\s*:\**\s*(.+)", re.I)
_ISO = re.compile(r"(?<!\d)((?:19|20)\d\d)([-_.]?)(0[1-9]|1[0-2])\2(0[1-9]|[12]\d|3[01])(?!\d)")
_MOST_RECALLED = 2000
_MOST_FRONTMATTER = 200
_LONGEST = 20_000
_EARLIEST = 10 * 365 * SECONDS
_HEAD_LINES = 30


@dataclass(slots=True, eq=False)
class Block:
    """One block: its kind, and its text on one line."""

    kind: str
    text: str


def read_blocks(lines: Iterable[str]) -> Iterator[Block]:
    """Yield the blocks of a text in order; a heading keeps its marks. What begins with a label,
    such as the name of who says it, is a block of its own."""
    kind, parts, size = PARAGRAPH, list[str](), 0
    for line in _spoken_lines(lines):
        heading, item = _HEADING.match(line), _ITEM.match(line) or _ROW.match(line)
        blank = not line.strip() or bool(_RULE.match(line))
        begins = any((blank, heading, item, size > _LONGEST, _is_labelled(line)))
        if parts and begins:
            yield Block(kind, " ".join(parts))
            kind, parts, size = PARAGRAPH, [], 0
        if heading:
            yield Block(HEADING, f"{heading[1]} {heading[2]}")
        elif not blank:
            kind, line = (ITEM, item[1]) if item else (kind, line)
            if said := " ".join(line.split()).removeprefix("> "):
                parts.append(said)
                size += len(said)
    if parts:
        yield Block(kind, " ".join(parts))


def _is_labelled(line: str) -> bool:
    return not line.lstrip(" *@")[:1].islower() and bool(_LABEL.match(line))


def find_day(name: str, head: str) -> float | None:
    """Return the day of a text in epoch seconds, from its file's name, its frontmatter, a line such
    as "Date: 1 March 2026" or its first heading; None where none of these names one."""
    base = name.rpartition("/")[2]
    if found := _ISO.search(base):
        return read_instant(f"{found[1]}-{found[3]}-{found[4]}")
    heading = ""
    for line in head.split("\n")[:_HEAD_LINES]:
        if field := _FIELD.match(line):
            if (day := day_in(field[1])) is not None:
                return day
        elif not heading and (found := _HEADING.match(line)):
            heading = found[2]
    return day_in(heading)


def day_in(text: str) -> float | None:
    """Return the one day that some words name with its year, in epoch seconds."""
    text = text.strip().strip("\"'")
    if found := _ISO.search(text):
        return read_instant(f"{found[1]}-{found[3]}-{found[4]}")
    for period in find_periods(text, 0):
        # Words such as "in ten days" are days of 1970 here, and no date.
        if period.end - period.start == SECONDS and period.start > _EARLIEST:
            return None if period.yearless else period.start
    return None


def _spoken_lines(lines: Iterable[str]) -> Iterator[str]:
    code = ""
    comment = False
    for line in _without_recalled(_without_frontmatter(lines)):
        fence = _CODE.match(line)
        if code or fence:
            if fence and not code:
                code = fence[1]
            elif fence and fence[1].startswith(code) and not line.strip(" `~"):
                code = ""
            continue
        if comment:
            _, closed, line = line.partition("-->")
            comment = not closed
            if comment:
                continue
        if "<!--" in line:
            comment = "-->" not in line[line.rfind("<!--") :]
            line = _COMMENT.sub("", line)
            if not line.strip():
                continue
        yield line


def _without_frontmatter(lines: Iterable[str]) -> Iterator[str]:
    rest = iter(lines)
    first = next(rest, None)
    if first is None:
        return
    if first.strip() != "---":
        yield first
        yield from rest
        return
    held = []
    for line in rest:
        held.append(line)
        if line.strip() in ("---", "..."):
            held = []
            break
        if len(held) >= _MOST_FRONTMATTER:
            break
    yield from held
    yield from rest


def _without_recalled(lines: Iterable[str]) -> Iterator[str]:
    """Without blocks of recalled memory; one that is not closed in so many lines is text."""
    rest = iter(lines)
    for line in rest:
        opening = _FENCE.search(line)
        if opening is None or opening[1]:
            yield line
            continue
        held = [line]
        closing = f"/{TAG} {opening[2]}"
        while closing not in held[-1] and len(held) < _MOST_RECALLED:
            following = next(rest, None)
            if following is None:
                break
            held.append(following)
        yield from without_fences("\n".join(held)).split("\n")
