"""A day's note: a list of lines with times (S4.2).

The day and the times are local where the note was written. The offset from UTC is in the note's
frontmatter; a line with another offset, after a journey or a change of clocks, has its own.
"""

from __future__ import annotations

import re
import time
from collections.abc import Iterable
from dataclasses import dataclass

FOLDER = "Memory/daily"
KIND = "daily"
OFFSET = "utc_offset"
"""The field with the offset of the note's times from UTC, such as `+02:00`."""

_ITEM = re.compile(r"- (?P<minute>\d\d:\d\d)(?: \((?P<offset>[+-]\d\d:\d\d)\))? (?=\S)")

_NAMED = 8
"""Last characters of a session's name, which distinguish it from the others of a day."""
_SIGNED = re.compile(r" \(session [0-9a-z_-]+\)\s*\Z")


class LocalTime:
    """A moment in local time, `offset` seconds ahead of UTC."""

    def __init__(self, at: float, offset: int) -> None:
        year, month, day, hour, minute, *_ = time.gmtime(at + offset)
        self.day = f"{year:04d}-{month:02d}-{day:02d}"
        self.minute = f"{hour:02d}:{minute:02d}"
        self.offset = format_offset(offset)


def format_offset(seconds: int) -> str:
    """Return an offset from UTC as ISO 8601 writes it."""
    sign = "-" if seconds < 0 else "+"
    hours, rest = divmod(abs(seconds), 3600)
    return f"{sign}{hours:02d}:{rest // 60:02d}"


def place_of(day: str) -> str:
    """Return the place of the note of a day (YYYY-MM-DD)."""
    return f"{FOLDER}/{day}.md"


def compose_line(local: LocalTime, text: str, *, noted: str | None, project: str = "") -> str:
    """Return a text as one item of the note's list, without a line end and with its further lines
    indented. `noted` is the note's own offset from UTC, None for none."""
    stamp = local.minute
    if noted is not None and noted != local.offset:
        stamp += f" ({local.offset})"
    said = f"[{project}] " if project else ""
    first, *rest = text.strip().split("\n")
    below = [f"  {line.rstrip()}" if line.strip() else "" for line in rest]
    return "\n".join([f"- {stamp} {said}{first.strip()}", *below])


def sign_session(text: str, session: str) -> str:
    """Return the line of a session: a text, and the mark by which it is recognised."""
    return f"{text} (session {session[-_NAMED:]})"


def is_of_session(line: str) -> bool:
    """Whether a line is about a session, whose transcript is read by itself."""
    return _SIGNED.search(line) is not None


def append_line(body: str, line: str, eol: str) -> str:
    """Return a note's body with one more item; the rest stays byte for byte."""
    gap = "" if not body or body.endswith("\n") else eol
    return f"{body}{gap}{line.replace(chr(10), eol)}{eol}"


@dataclass(slots=True, eq=False)
class DailyItem:
    """One item of a day's list: its time, the offset from UTC ("" if unknown), and its text with
    the lines below it."""

    minute: str
    offset: str
    text: str

    def values(self) -> list[str]:
        """Return the values that distinguish it from another."""
        return [self.minute, self.offset, self.text]

    def moment(self) -> int:
        """Return its time in minutes of UTC, by which the items of a day are sorted."""
        sign = -1 if self.offset.startswith("-") else 1
        ahead = _minutes(self.offset[1:]) if self.offset else 0
        return _minutes(self.minute) - sign * ahead


def _minutes(written: str) -> int:
    hours, _, minutes = written.partition(":")
    return int(hours) * 60 + int(minutes)


def split_day(body: str, noted: str | None) -> tuple[str, list[DailyItem]]:
    """Split a day's note into the text above its list and the items; lines below an item belong to
    it."""
    head: list[str] = []
    items: list[DailyItem] = []
    for line in body.splitlines():
        found = _ITEM.match(line)
        if found:
            offset = found["offset"] or noted or ""
            items.append(DailyItem(found["minute"], offset, line[found.end() :].rstrip()))
        elif items:
            items[-1].text += f"\n{line}"
        else:
            head.append(line)
    for item in items:
        item.text = item.text.rstrip()
    return "".join(f"{line}\n" for line in head), items


def join_day(head: str, items: Iterable[DailyItem], noted: str | None) -> str:
    """Return the body of a day's note with the offset `noted`; an item with another offset states
    its own."""
    lines = []
    for item in items:
        own = f" ({item.offset})" if item.offset and item.offset != noted else ""
        lines.append(f"- {item.minute}{own} {item.text}\n")
    return head + "".join(lines)
