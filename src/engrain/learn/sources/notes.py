"""Notes as turns: a day's, a meeting's, and any other. A block is a turn that nobody in particular
says."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from engrain.language.text.fences import without_fences
from engrain.language.text.instants import SECONDS
from engrain.language.text.written_dates import date_in_name, read_date
from engrain.learn.sources.stream import Items, Stream
from engrain.model.facts.daily import OFFSET, is_of_session
from engrain.model.facts.fact import DOCUMENT, MANUAL, MEETING, Conversation, Turn

HEADING, ITEM, PARAGRAPH = "heading", "item", "paragraph"

_HEADING = re.compile(r"\s{0,3}(#{1,6})\s+(\S(?:.*[^\s#])?)[\s#]*$")
_ITEM = re.compile(r"\s*+(?:[-*+•]|\d{1,3}[.)])\s++(?:\[[ xX]\]\s++)?(.*)$")
_LABEL = re.compile(r"\s{0,3}\**@?[^\W\d_][\w'’.\-]*(?: [\w'’.\-]+){0,3}\**\s*:\**\s+\S")
_ROW = re.compile(r"\s*(\|.*)$")
_CODE = re.compile(r"\s{0,3}(?:[-*+]\s+)?(```+|~~~+)")
_RULE = re.compile(r"\s{0,3}(?:[-*_=]\s*){3,}$")
_COMMENT = re.compile(r"<!--.*?(?:-->|\Z)", re.DOTALL)
_FRONTMATTER = re.compile(r"\A---[ \t]*\n(?:.*\n){0,200}?(?:---|\.\.\.)[ \t]*(?:\n|\Z)")
_FIELD = re.compile(r"\s{0,3}(?:[-*]\s+)?\**(?:date|day|when|created)\**\s*:\**\s*(.+)", re.I)
_LONGEST = 20_000
_LARGEST = 32 << 20
"""Characters of a note."""
_HEAD_LINES = 30


@dataclass(slots=True, eq=False)
class NoteBlock:
    """One block: its kind, and its text on one line."""

    kind: str
    text: str


def read_blocks(text: str) -> Iterator[NoteBlock]:
    """Yield the blocks of a text in order; a heading keeps its marks. What begins with a label,
    such as the name of who says it, is a block of its own."""
    kind, parts, size = PARAGRAPH, list[str](), 0
    for line in _spoken_lines(text):
        heading, item = _HEADING.match(line), _ITEM.match(line) or _ROW.match(line)
        blank = not line.strip() or bool(_RULE.match(line))
        labelled = not line.lstrip(" *@")[:1].islower() and _LABEL.match(line)
        begins = any((blank, heading, item, size > _LONGEST, labelled))
        if parts and begins:
            yield NoteBlock(kind, " ".join(parts))
            kind, parts, size = PARAGRAPH, [], 0
        if heading:
            yield NoteBlock(HEADING, f"{heading[1]} {heading[2]}")
        elif not blank:
            kind, line = (ITEM, item[1]) if item else (kind, line)
            if said := " ".join(line.split()).removeprefix("> "):
                parts.append(said)
                size += len(said)
    if parts:
        yield NoteBlock(kind, " ".join(parts))


def find_day(name: str, head: str) -> float | None:
    """Return the day of a text in epoch seconds, from its file's name, its frontmatter, a line such
    as "Date: 1 March 2026" or its first heading; None where none of these names one."""
    if (day := day_in(name.rpartition("/")[2])) is not None:
        return day
    heading = ""
    for line in head.split("\n")[:_HEAD_LINES]:
        if field := _FIELD.match(line):
            if (day := day_in(field[1])) is not None:
                return day
        elif not heading and (found := _HEADING.match(line)):
            heading = found[2]
    return day_in(heading)


def day_in(text: str) -> float | None:
    """Return the day that some words name with its year, in epoch seconds."""
    at = date_in_name(text)
    at = read_date(text) if at is None else at
    return None if at is None else at // SECONDS * SECONDS


def _spoken_lines(text: str) -> Iterator[str]:
    """Yield the lines of a text without its frontmatter, comments, recalled memory and code."""
    text = _COMMENT.sub("", without_fences(_FRONTMATTER.sub("", text)))
    code = ""
    for line in text.split("\n"):
        fence = _CODE.match(line)
        if not (code or fence):
            yield line
        elif fence and not code:
            code = fence[1]
        elif fence and fence[1].startswith(code) and not line.strip(" `~"):
            code = ""


def _read_text(stream: Stream) -> str:
    """Return the text of a file, its beginning if it is too long."""
    lines: list[str] = []
    size = 0
    for line in stream.texts():
        size += len(line) + 1
        if size > _LARGEST:
            stream.passed["long"] += 1
            break
        lines.append(line)
    return "\n".join(lines)


_DAILY = re.compile(r"(?:19|20)\d\d[-_.]?\d\d[-_.]?\d\d\.\w+$")
_MEETING = re.compile(
    r"\b(?:meeting|minutes of|stand-?up|(?:weekly|daily|team) sync|sync with|1[-: ]?on[-: ]?1|1:1"
    r"|retro(?:spective)?|kick-?off|all-hands|call with)\b",
    re.IGNORECASE,
)
# As `engrain.model.facts.daily` writes one: 09:15 (+02:00) [project] text.
_STAMPED = re.compile(
    r"\[?([01]?\d|2[0-3]):([0-5]\d)(?::\d\d)?\]?(?: \(([+-]\d\d:\d\d)\))?\s+(?:[-–—]\s+)?"
    r"(?:\[(?!\[)[^\]\n]{1,100}\]\s+)?(.+)$",
    re.DOTALL,
)
# A heading over what was written on a day begins with it; any other may speak of one.
_DATED = re.compile(
    r"#+\s*(?:(?:mon|tue|wed|thu|fri|sat|sun)[a-z]*[\s,]+)?"
    r"(?:\d|(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\.?\s+\d)",
    re.IGNORECASE,
)
_DATE_ONLY = re.compile(r"#+[\d\s./_-]+")
_OFFSET = re.compile(rf"\A---\n(?:.*\n){{0,100}}?{OFFSET}: *[\"']?([+-]\d\d:\d\d)")


def is_daily(name: str) -> bool:
    """Return whether the name of a file is that of a day's note."""
    return bool(_DAILY.match(name.rpartition("/")[2]))


def is_meeting(name: str, lines: list[str]) -> bool:
    """Return whether a text is a meeting's notes, by its name or its first headings."""
    if _MEETING.search(re.sub(r"[-_.]+", " ", name.rpartition("/")[2].rpartition(".")[0])):
        return True
    return any(line.startswith("#") and _MEETING.search(line) for line in lines[:5])


def read_notes(stream: Stream) -> Items:
    """Yield the turns of a note. In a day's note, what begins with a time was written then."""
    head = stream.head().decode(errors="replace")
    day = find_day(stream.name, head)
    kind = MEETING if is_meeting(stream.name, head.split("\n")) else MANUAL
    zone = _OFFSET.search(head)
    offset = _seconds(zone[1]) if zone else 0
    yield Conversation(stream.name, kind, (), stream.at if day is None else day)
    at = day
    for block in read_blocks(_read_text(stream)):
        text = block.text
        if block.kind == HEADING:
            if _DATED.match(text) and (dated := day_in(text)) is not None:
                day = at = dated
            if _DATE_ONLY.fullmatch(text):
                continue
        if day is not None and (stamped := _STAMPED.match(text)):
            hours, minutes, text = int(stamped[1]), int(stamped[2]), stamped[4]
            east = offset if stamped[3] is None else _seconds(stamped[3])
            at = day + hours * 3600 + minutes * 60 - east
            if is_of_session(text):
                continue
        yield Turn("", DOCUMENT, text, at)


def _seconds(offset: str) -> int:
    """Return how far ahead of UTC `+02:00` is."""
    seconds = int(offset[1:3]) * 3600 + int(offset[4:]) * 60
    return -seconds if offset[0] == "-" else seconds
