"""Captions: WebVTT (W3C) and SubRip. Cues that follow one another by one speaker are one turn."""

from __future__ import annotations

import html
import re
from collections.abc import Iterator

from engrain.language.text.fences import without_fences
from engrain.learn.sources.documents import find_day
from engrain.learn.sources.pieces import Items
from engrain.learn.sources.speech import read_utterance, stamp_time
from engrain.learn.sources.stream import Stream
from engrain.model.facts.fact import TRANSCRIPT
from engrain.model.facts.turns import OTHER, Conversation, Turn

_TIMING = re.compile(
    r"\s*((?:\d+:)?\d{1,2}:\d{2}[.,]\d{3})\s*-->\s*(?:\d+:)?\d{1,2}:\d{2}[.,]\d{3}"
)
_VOICE = re.compile(r"<v(?:\.[^\s>]*)?\s+([^>]+)>")
_TAG = re.compile(r"</?[^<>\n]{1,80}>")
_ENDED = re.compile(r"[.!?…][\"'”’)]?$")
_LONGEST_LINE = 2000
_MOST_TEXT = 1500
_TURN = 400
"""Characters from which a turn ends with its sentence."""


def is_captions(lines: list[str]) -> bool:
    """Whether the first lines of a text are captions."""
    return lines[:1] != [] and (
        lines[0].startswith("WEBVTT") or any(_TIMING.match(line) for line in lines[:3])
    )


def read_captions(stream: Stream) -> Items:
    """The turns of captions."""
    day = find_day(stream.name, "")
    yield Conversation(stream.name, TRANSCRIPT, (), stream.at if day is None else day)
    for speaker, start, text in _joined(_cues(stream.texts())):
        if said := without_fences(text).strip():
            yield Turn(speaker, OTHER, said, None if day is None else stamp_time(start, day), start)


def _joined(cues: Iterator[tuple[str, str, str]]) -> Iterator[tuple[str, str, str]]:
    """Join cues of one speaker into whole turns; a line that is shown again while the next comes
    up is said once."""
    speaking, since = "", ""
    parts: list[str] = []
    for speaker, start, text in cues:
        if parts and text == parts[-1]:
            continue
        if parts and (_is_full(parts) or speaker not in ("", speaking)):
            yield speaking, since, " ".join(parts)
            parts = []
        if not parts:
            speaking, since = speaker or speaking, start
        parts.append(text)
    if parts:
        yield speaking, since, " ".join(parts)


def _is_full(parts: list[str]) -> bool:
    size = sum(map(len, parts))
    return size > _MOST_TEXT or (size > _TURN and bool(_ENDED.search(parts[-1])))


def _cues(lines: Iterator[str]) -> Iterator[tuple[str, str, str]]:
    """Speaker, "" for the one before, start and text of each line of each cue."""
    start = ""
    for line in (line[:_LONGEST_LINE] for line in lines):
        if timing := _TIMING.match(line):
            start = timing[1].replace(",", ".")
        elif not line.strip():
            start = ""
        elif start:
            voice = _VOICE.search(line)
            text = " ".join(html.unescape(_TAG.sub("", line)).split())
            said = None if voice else read_utterance(text)
            if said and said.text:
                yield said.speaker, start, said.text
            elif text:
                yield " ".join(voice[1].split()) if voice else "", start, text
