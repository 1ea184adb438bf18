"""Transcripts of speech: captions (WebVTT, SubRip), and lines such as "Ada: text", with or without
a time before or behind the name, or a name and a time over the text."""

from __future__ import annotations

import html
import re
from collections.abc import Iterator
from dataclasses import dataclass

from engrain.language.lexicons import read_rows
from engrain.language.text.fences import without_fences
from engrain.language.text.instants import read_instant
from engrain.learn.sources.notes import find_day
from engrain.learn.sources.stream import Items, Stream, clean_text, role_of
from engrain.model.facts.fact import OTHER, TRANSCRIPT, Conversation, Turn

_TIMING = re.compile(
    r"\s*((?:\d+:)?\d{1,2}:\d{2}[.,]\d{3})\s*-->\s*(?:\d+:)?\d{1,2}:\d{2}[.,]\d{3}"
)
_VOICE = re.compile(r"<v(?:\.[^\s<>]{0,80})?\s{1,20}([^<>]{1,200})>")
_TAG = re.compile(r"</?[^<>\n]{1,80}>")
_ENDED = re.compile(r"[.!?…][\"'”’)]?$")
_LONGEST_LINE = 2000
_MOST_TEXT = 1500
_TURN = 400
"""Characters from which a turn ends with its sentence."""


def _is_captions(lines: list[str]) -> bool:
    """Return whether the first lines of a text are captions."""
    return lines[:1] != [] and (
        lines[0].startswith("WEBVTT") or any(_TIMING.match(line) for line in lines[:3])
    )


def _read_captions(stream: Stream, day: float | None) -> Iterator[Turn]:
    for speaker, start, text in _joined(_cues(stream.texts())):
        if said := without_fences(text).strip():
            at = None if day is None else _stamp_time(start, day)
            yield Turn(speaker, OTHER, said, at, start)


def _joined(cues: Iterator[tuple[str, str, str]]) -> Iterator[tuple[str, str, str]]:
    """Join cues of one speaker into whole turns; a line that is shown again is said once."""
    speaking, since = "", ""
    parts: list[str] = []
    for speaker, start, text in cues:
        if parts and text == parts[-1]:
            continue
        size = sum(map(len, parts))
        full = size > _MOST_TEXT or (size > _TURN and _ENDED.search(parts[-1]))
        if parts and (full or speaker not in ("", speaking)):
            yield speaking, since, " ".join(parts)
            parts = []
        if not parts:
            speaking, since = speaker or speaking, start
        parts.append(text)
    if parts:
        yield speaking, since, " ".join(parts)


def _cues(lines: Iterator[str]) -> Iterator[tuple[str, str, str]]:
    """Yield speaker ("" for the one before), start and text of each line of each cue."""
    start = ""
    for line in (line[:_LONGEST_LINE] for line in lines):
        if timing := _TIMING.match(line):
            start = timing[1].replace(",", ".")
        elif not line.strip():
            start = ""
        elif start:
            voice = _VOICE.search(line)
            text = " ".join(html.unescape(_TAG.sub("", line)).split())
            said = None if voice else _read_utterance(text)
            if said and said.text:
                yield said.speaker, start, said.text
            elif text:
                yield " ".join(voice[1].split()) if voice else "", start, text


_CLOCK = r"\d{1,2}:\d{2}(?::\d{2})?(?:[.,]\d{1,3})?(?:\s?[AaPp]\.?[Mm]\.?)?"
_STAMP = rf"(?:\d[\d/.\-]{{5,11}}[T, ]+)?{_CLOCK}Z?"
_NAME = (
    r"\*{0,3}(?P<name>[^\W\d_][\w'’.\-]{0,40}(?: [\w'’.\-]{1,40}){0,3}"
    r"(?: \([^()\n]{1,30}\))?)\*{0,3}"
)
_BLANKS = r"\s{0,40}"
_SAYS = rf"{_BLANKS}:\*{{0,3}}\s{{1,40}}"
_FORMS = tuple(
    re.compile(rf"\A{form}")
    for form in (
        rf"{_BLANKS}[\[(](?P<at>{_STAMP})[\])]{_BLANKS}(?:-{_BLANKS})?{_NAME}{_SAYS}(?P<text>.+)$",
        rf"{_BLANKS}(?P<at>{_STAMP})\s{{1,40}}(?:-\s{{1,40}})?{_NAME}{_SAYS}(?P<text>.+)$",
        rf"{_BLANKS}{_NAME}{_BLANKS}[\[(](?P<at>{_STAMP})[\])]{_BLANKS}:\*{{0,3}}{_BLANKS}(?P<text>.+)$",
        rf"{_BLANKS}{_NAME}{_SAYS}(?P<text>.+)$",
    )
)
_OVER = re.compile(rf"{_BLANKS}{_NAME}\s{{1,8}}[\[(]?(?P<at>{_STAMP})[\])]?\s*$")
_LABELS = frozenset(read_rows("sources", "speech")["labels"].split(", "))
_PARTICLES = frozenset(read_rows("sources", "speech")["particles"].split(", "))
_DATE = re.compile(r"\s*(?:(\d{4})[-/.](\d{2})[-/.](\d{2})|\d{1,2}[-/.]\d{1,2}[-/.]\d{2,4})")
_TIME = re.compile(r"(\d{1,2}):(\d{2})(?::(\d{2}))?(?:[.,]\d{1,3})?\s?(?:([AaPp])\.?[Mm])?")
_EARLY = re.compile(r"0?0:\d\d(?!:)(?!.*[AaPp]\.?[Mm])")
_NOBODY = re.compile(
    r"(?:unknown |unidentified )?(?:speaker|participant|person|voice|caller|guest)(?: \w{1,2})?"
    r"|unknown",
    re.IGNORECASE,
)
_LEAST = 0.5
_LINES = 50
_MOST_PART = 20_000


@dataclass(slots=True, eq=False)
class _Utterance:
    """A line that begins what somebody says: the name, the time on the line, and the words."""

    name: str
    stamp: str
    text: str

    @property
    def speaker(self) -> str:
        """The speaker's name, "" where the transcript only numbers its voices."""
        return "" if _NOBODY.fullmatch(self.name) else self.name


def _read_utterance(line: str) -> _Utterance | None:
    for form in (*_FORMS, _OVER):
        if found := form.match(line[:2000]):
            name = " ".join(found["name"].split())
            if not _is_name(name) or (form is _OVER and len(name) > 40):
                return None
            text = "" if form is _OVER else line[found.start("text") :].strip()
            return _Utterance(name.partition(" (")[0], found.groupdict().get("at") or "", text)
    return None


def is_speech(lines: list[str]) -> bool:
    """Return whether a text is a transcript: it is captions, or half of its first lines begin what
    somebody says, and somebody says more than one thing."""
    if _is_captions(lines):
        return True
    found = [said for line in lines if (said := _read_utterance(line))]
    names = {said.name for said in found}
    over = any(not said.text for said in found)
    share = len(found) / max(1, len(lines))
    if len(found) < 2 or share < (_LEAST / 2 if over else _LEAST):
        return False
    return len(names) < len(found) or (share == 1 and len(names) > 1)


def read_speech(stream: Stream) -> Items:
    """Yield the turns of a transcript. A time is one of the file's day, where that is known; if the
    first is just after midnight, times count from the recording's beginning."""
    head = stream.head().decode(errors="replace")
    captions = _is_captions([line for line in head.split("\n")[:_LINES] if line.strip()])
    day = find_day(stream.name, "" if captions else head)
    yield Conversation(stream.name, TRANSCRIPT, (), stream.at if day is None else day)
    yield from _read_captions(stream, day) if captions else _read_lines(stream, day)


def _read_lines(stream: Stream, day: float | None) -> Iterator[Turn]:
    elapsed: bool | None = None
    for said, text in _utterances(stream.texts()):
        role = role_of(said.name)
        if elapsed is None and said.stamp:
            elapsed = bool(_EARLY.match(said.stamp))
        if role and (text := clean_text(text, role)):
            speaker = said.speaker if role == OTHER else ""
            at = _stamp_time(said.stamp, day, elapsed=bool(elapsed))
            yield Turn(speaker, role, text, at, said.stamp)


def _utterances(lines: Iterator[str]) -> Iterator[tuple[_Utterance, str]]:
    begun: _Utterance | None = None
    parts: list[str] = []
    for line in lines:
        said = _read_utterance(line)
        if said is None:
            if line.strip() and sum(map(len, parts)) < _MOST_PART:
                parts.append(line.strip())
            continue
        if begun is not None:
            yield begun, "\n".join(filter(None, parts))
        begun, parts = said, [said.text]
    if begun is not None:
        yield begun, "\n".join(filter(None, parts))


def _stamp_time(stamp: str, day: float | None, *, elapsed: bool = False) -> float | None:
    """Return the instant of a time in a transcript: by itself if it has a date that reads one way
    only, else on a day. One of two parts is minutes and seconds where time `elapsed`."""
    date, clock = _DATE.match(stamp), _TIME.search(stamp)
    if date and date[1]:
        day = read_instant(f"{date[1]}-{date[2]}-{date[3]}")
    elif date:  # day or month first: it is unclear
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
    """Return whether some words name somebody: each begins with a capital, or has none."""
    if name.lower().rstrip(".") in _LABELS:
        return False
    first, *rest = name.partition(" (")[0].split()
    return not first[0].islower() and all(
        not word[0].islower() or word in _PARTICLES for word in rest
    )
