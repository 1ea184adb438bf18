"""Transcripts of speech: lines such as "Ada: text", with or without a time before or behind the
name, a name and a time over the text, or a name in angle brackets."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from engrain.language.text.instants import read_instant
from engrain.learn.sources.documents import find_day
from engrain.learn.sources.messages import clean_text, role_of
from engrain.learn.sources.pieces import Items
from engrain.learn.sources.stream import Stream
from engrain.model.facts.fact import TRANSCRIPT
from engrain.model.facts.turns import OTHER, Conversation, Turn

_CLOCK = r"\d{1,2}:\d{2}(?::\d{2})?(?:[.,]\d{1,3})?(?:\s?[AaPp]\.?[Mm]\.?)?"
_STAMP = rf"(?:\d[\d/.\-]{{5,11}}[T, ]+)?{_CLOCK}Z?"
_NAME = r"\**(?P<name>[^\W\d_][\w'’.\-]*(?: [\w'’.\-]+){0,3}(?: \([^()\n]{1,30}\))?)\**"
_FORMS = tuple(
    re.compile(form)
    for form in (
        rf"\s*[\[(](?P<at>{_STAMP})[\])]\s*(?:-\s*)?{_NAME}\s*:\**\s+(?P<text>.+)$",
        rf"\s*(?P<at>{_STAMP})\s+(?:-\s+)?{_NAME}\s*:\**\s+(?P<text>.+)$",
        rf"\s*{_NAME}\s*[\[(](?P<at>{_STAMP})[\])]\s*:\**\s*(?P<text>.+)$",
        rf"\s*{_NAME}\s*:\**\s+(?P<text>.+)$",
        rf"\s*(?:[\[(]?(?P<at>{_STAMP})[\])]?\s+)?<(?P<name>[^<>\s]{{1,40}})>\s+(?P<text>.+)$",
    )
)
_OVER = re.compile(rf"\s*{_NAME}\s{{1,8}}[\[(]?(?P<at>{_STAMP})[\])]?\s*$")
_LABELS = frozenset(
    (
        "note", "notes", "todo", "to do", "date", "time", "attendees", "participants", "present",
        "agenda", "subject", "re", "title", "location", "duration", "summary", "action", "actions",
        "action item", "action items", "decision", "decisions", "status", "owner", "tags", "tag",
        "warning", "error", "info", "debug", "example", "step", "http", "https", "file", "path",
        "next", "next steps", "topic", "host", "from", "to", "cc", "when", "where", "what", "why",
        "how", "goal", "goals", "author", "version", "type", "name", "id", "url", "link", "source",
        "deadline", "due", "priority", "question", "answer", "important", "ps", "p.s", "edit",
        "update", "fyi", "warn", "trace", "fatal", "q", "a", "tip", "usage", "result", "results",
        "output", "input", "context",
    )
)  # fmt: skip
_PARTICLES = frozenset(
    ("al", "bin", "da", "de", "del", "della", "den", "der", "di", "du", "e", "el", "la", "le", "of",
     "ten", "ter", "van", "von", "y", "zu")
)  # fmt: skip
_DATE = re.compile(r"\s*(?:(\d{4})[-/.](\d{2})[-/.](\d{2})|\d{1,2}[-/.]\d{1,2}[-/.]\d{2,4})")
_TIME = re.compile(r"(\d{1,2}):(\d{2})(?::(\d{2}))?(?:[.,]\d{1,3})?\s?(?:([AaPp])\.?[Mm])?")
_EARLY = re.compile(r"0?0:\d\d(?!:)(?!.*[AaPp]\.?[Mm])")
_NOBODY = re.compile(
    r"(?:unknown |unidentified )?(?:speaker|participant|person|voice|caller|guest)(?: \w{1,2})?"
    r"|unknown",
    re.IGNORECASE,
)
_LEAST = 0.5
_MOST_TEXT = 20_000


@dataclass(slots=True, eq=False)
class Utterance:
    """A line that begins what somebody says: the name, the time on the line, and the words."""

    name: str
    stamp: str
    text: str

    @property
    def speaker(self) -> str:
        """The speaker's name, "" where the transcript only numbers its voices."""
        return "" if _NOBODY.fullmatch(self.name) else self.name


def read_utterance(line: str) -> Utterance | None:
    """The beginning of an utterance, None for a line that is none."""
    for form in (*_FORMS, _OVER):
        if found := form.match(line[:2000]):
            name = " ".join(found["name"].split())
            if not _is_name(name) or (form is _OVER and len(name) > 40):
                return None
            text = "" if form is _OVER else line[found.start("text") :].strip()
            return Utterance(name.partition(" (")[0], found.groupdict().get("at") or "", text)
    return None


def is_speech(lines: list[str]) -> bool:
    """Whether a text is a transcript: half of its first lines begin what somebody says, and
    somebody says more than one thing."""
    found = [said for line in lines if (said := read_utterance(line))]
    names = {said.name for said in found}
    over = any(not said.text for said in found)
    share = len(found) / max(1, len(lines))
    if len(found) < 2 or share < (_LEAST / 2 if over else _LEAST):
        return False
    return len(names) < len(found) or (share == 1 and len(names) > 1)


def read_speech(stream: Stream) -> Items:
    """The turns of a transcript. A time is one of the file's day, where that is known; where the
    first is one just after midnight, they count from the recording's beginning."""
    day = find_day(stream.name, stream.head().decode(errors="replace"))
    yield Conversation(stream.name, TRANSCRIPT, (), stream.at if day is None else day)
    elapsed: bool | None = None
    for said, text in _utterances(stream.texts()):
        role = role_of(said.name)
        if elapsed is None and said.stamp:
            elapsed = bool(_EARLY.match(said.stamp))
        if role and (text := clean_text(text, role)):
            speaker = said.speaker if role == OTHER else ""
            at = stamp_time(said.stamp, day, elapsed=bool(elapsed))
            yield Turn(speaker, role, text, at, said.stamp)


def _utterances(lines: Iterator[str]) -> Iterator[tuple[Utterance, str]]:
    begun: Utterance | None = None
    parts: list[str] = []
    for line in lines:
        said = read_utterance(line)
        if said is None:
            if line.strip() and sum(map(len, parts)) < _MOST_TEXT:
                parts.append(line.strip())
            continue
        if begun is not None:
            yield begun, "\n".join(filter(None, parts))
        begun, parts = said, [said.text]
    if begun is not None:
        yield begun, "\n".join(filter(None, parts))


def stamp_time(stamp: str, day: float | None, *, elapsed: bool = False) -> float | None:
    """The instant that a time of a transcript says: by itself where it has a date that reads one
    way only, else on a day. One of two parts is minutes and seconds where time `elapsed`."""
    date, clock = _DATE.match(stamp), _TIME.search(stamp)
    if date and date[1]:
        day = read_instant(f"{date[1]}-{date[2]}-{date[3]}")
    elif date:  # day or month first: nobody can tell
        return day
    if day is None or clock is None:
        return day
    hours, minutes, seconds = int(clock[1]), int(clock[2]), int(clock[3] or 0)
    if clock[4]:
        hours = hours % 12 + (12 if clock[4] in "pP" else 0)
    elif clock[3] is None and (elapsed or hours > 23):
        hours, minutes, seconds = 0, hours, minutes
    return day + hours * 3600 + minutes * 60 + seconds


def _is_name(name: str) -> bool:
    """Whether some words name somebody: each begins with a capital, or with what has none."""
    if name.lower().rstrip(".") in _LABELS:
        return False
    first, *rest = name.partition(" (")[0].split()
    return not first[0].islower() and all(
        not word[0].islower() or word in _PARTICLES for word in rest
    )
