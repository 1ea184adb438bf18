"""Notes as turns: a day's, a meeting's, and any other. A block is a turn that nobody in particular
says, but where a meeting's notes say who did."""

from __future__ import annotations

import re

from engrain.learn.sources.documents import HEADING, Block, day_in, find_day, read_blocks
from engrain.learn.sources.pieces import Items
from engrain.learn.sources.stream import Stream
from engrain.model.facts.daily import OFFSET, is_of_session
from engrain.model.facts.fact import MANUAL, MEETING
from engrain.model.facts.turns import DOCUMENT, OTHER, Conversation, Turn

_DAILY = re.compile(r"(?:19|20)\d\d[-_.]?\d\d[-_.]?\d\d\.\w+$")
_MEETING = re.compile(
    r"\b(?:meeting|minutes of|stand-?up|(?:weekly|daily|team) sync|sync with|1[-: ]?on[-: ]?1|1:1"
    r"|retro(?:spective)?|kick-?off|all-hands|call with)\b",
    re.IGNORECASE,
)
_ATTENDEES = re.compile(
    r"\s{0,3}(?:[-*]\s+)?#*\s*\**(?:attendees|participants|present|attending|in attendance)\**"
    r"\s*:?\**\s*(.*)$",
    re.IGNORECASE,
)
_SAID = re.compile(
    r"\**(?:@)?([^\W\d_][\w'’.\-]*(?: [\w'’.\-]+){0,3})\**\s*:\**\s+(.+)$", re.DOTALL
)
_NAME_PARTS = re.compile(r"\s*(?:[,;&]|\band\b)\s*")
_ASIDE = re.compile(r"\s*\(.*?\)|[\[\]*@\"']")
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
_HEAD_LINES = 30
_MOST_NAMES, _LONGEST_LIST = 100, 4000


def is_daily(name: str) -> bool:
    """Whether the name of a file is that of a day's note."""
    return bool(_DAILY.match(name))


def is_meeting(name: str, lines: list[str]) -> bool:
    """Whether a text is a meeting's notes, by its name, its headings or a list of attendees."""
    head = lines[:_HEAD_LINES]
    stem = re.sub(r"[-_.]+", " ", name.rpartition(".")[0])
    if _MEETING.search(stem) or any(_ATTENDEES.match(line) for line in head):
        return True
    return any(line.startswith("#") and _MEETING.search(line) for line in head[:5])


def read_notes(stream: Stream, kind: str = MANUAL) -> Items:
    """Yield the turns of a note of a kind. In a day's note, what begins with a time was written
    then; in a meeting's, what begins with a name was said by whoever was there."""
    head = stream.head().decode(errors="replace")
    day = find_day(stream.name, head)
    zone = _OFFSET.search(head)
    offset = _seconds(zone[1]) if zone else 0
    yield Conversation(stream.name, kind, (), stream.at if day is None else day)
    present = _Present()
    at = day
    for block in read_blocks(stream.texts()):
        text = block.text
        if block.kind == HEADING:
            if _DATED.match(text) and (dated := day_in(text)) is not None:
                day = at = dated
            if _DATE_ONLY.fullmatch(text):
                continue
        if kind == MEETING:
            present.read(block)
        if day is not None and (stamped := _STAMPED.match(text)):
            hours, minutes, text = int(stamped[1]), int(stamped[2]), stamped[4]
            east = offset if stamped[3] is None else _seconds(stamped[3])
            at = day + hours * 3600 + minutes * 60 - east
            if is_of_session(text):
                continue
        yield present.attribute(text, at)


class _Present:
    """Who was at a meeting, by whole and by first name, as its notes list them."""

    def __init__(self) -> None:
        self._names: dict[str, str] = {}
        self._listing = False

    def read(self, block: Block) -> None:
        """Take the names in a block that lists who was there."""
        begins = _ATTENDEES.match(block.text)
        if block.kind == HEADING:
            self._listing = bool(begins)
        elif begins:
            self._add(begins[1])
            self._listing = not begins[1]
        elif self._listing:
            self._add(block.text)

    def attribute(self, text: str, at: float | None) -> Turn:
        """Return the turn that a text is: that of somebody who was there and is named as saying
        it, else nobody's."""
        said = _SAID.match(text)
        if said and (speaker := self._names.get(said[1].lower())):
            return Turn(speaker, OTHER, said[2], at)
        return Turn("", DOCUMENT, text, at)

    def _add(self, text: str) -> None:
        for part in _NAME_PARTS.split(_ASIDE.sub("", text[:_LONGEST_LIST])):
            name = " ".join(part.split())
            if name and len(name) <= 60 and len(self._names) < _MOST_NAMES:
                self._names[name.lower()] = name
                self._names.setdefault(name.split()[0].lower(), name)


def _seconds(offset: str) -> int:
    """How far ahead of UTC `+02:00` is."""
    seconds = int(offset[1:3]) * 3600 + int(offset[4:]) * 60
    return -seconds if offset[0] == "-" else seconds
