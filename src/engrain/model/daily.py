"""A day's note: what was said of it, line by line, with the time (S4.2).

The day and the times are those of the clock on the wall where it was written. How far that is from
UTC stands once in the note's frontmatter; a line that was written at another distance, after a
journey or on the night the clocks change, says its own.
"""

from __future__ import annotations

import re
import time

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

FOLDER = "Memory/daily"
KIND = "daily"
OFFSET = "utc_offset"
"""The field that tells how far the note's times are from UTC, as `+02:00`."""

_LINE = re.compile(
    r"- (?P<minute>\d\d:\d\d)(?: \((?P<offset>[+-]\d\d:\d\d)\))? (?:\[(?P<project>[^\[\]]+)\] )?"
    r"(?P<text>\S.*)"
)


class LocalTime:
    """A moment as the wall clock tells it, `offset` seconds ahead of UTC."""

    __slots__ = ("day", "minute", "offset")

    def __init__(self, at: float, offset: int) -> None:
        year, month, day, hour, minute, *_ = time.gmtime(at + offset)
        self.day = f"{year:04d}-{month:02d}-{day:02d}"
        self.minute = f"{hour:02d}:{minute:02d}"
        self.offset = format_offset(offset)


def format_offset(seconds: int) -> str:
    """A distance from UTC as ISO 8601 writes it."""
    sign = "-" if seconds < 0 else "+"
    hours, rest = divmod(abs(seconds), 3600)
    return f"{sign}{hours:02d}:{rest // 60:02d}"


def place_of(day: str) -> str:
    """Where the note of a day (YYYY-MM-DD) stands."""
    return f"{FOLDER}/{day}.md"


def compose_line(local: LocalTime, text: str, *, noted: str | None, project: str = "") -> str:
    """A text as one item of the note's list, without a line end; its further lines are indented, so
    that they belong to it. `noted` is the distance from UTC that the note tells, None where it
    tells none."""
    stamp = local.minute
    if noted is not None and noted != local.offset:
        stamp += f" ({local.offset})"
    said = f"[{project}] " if project else ""
    first, *rest = text.strip().split("\n")
    below = [f"  {line.rstrip()}" if line.strip() else "" for line in rest]
    return "\n".join([f"- {stamp} {said}{first.strip()}", *below])


def append_line(body: str, line: str, eol: str) -> str:
    """A note's body with one more item; what is there stays byte for byte."""
    gap = "" if not body or body.endswith("\n") else eol
    return f"{body}{gap}{line.replace(chr(10), eol)}{eol}"


def read_lines(body: str, day: str, noted: str | None) -> Iterator[tuple[float, str, str]]:
    """The lines of a day's note as they were composed: when each was said (epoch seconds), in which
    project ("" for none), and what, without further lines of it. What else a person wrote there is
    passed over."""
    from engrain.model.instants import read_instant

    for line in body.splitlines():
        if found := _LINE.fullmatch(line.rstrip()):
            offset = found["offset"] or noted or "+00:00"
            at = read_instant(f"{day}T{found['minute']}:00{offset}")
            if at is not None:
                yield at, found["project"] or "", found["text"]
