"""Passages: the parts of an entry that recall finds (S1.21).

Every text is split into passages of at most `MOST` characters at the borders of paragraphs, a
transcript also where the speaker changes. Fragments from one session or one note form a thread, in
which neighbours add the context that a fragment does not repeat.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from hashlib import blake2b
from itertools import pairwise
from typing import TYPE_CHECKING

from engrain.language.text.chunks import split_chunks

if TYPE_CHECKING:
    from engrain.model.note.entry import Entry


MOST = 350
"""The most characters of a passage, so that it says one thing. 250 to 500 give the same results."""
TRANSCRIPT = 1_200
"""Characters from which on a text is searched for turns of speakers."""

LEAST_COPIED = 100
"""Characters from which on a passage with the same words counts as a copy."""

DAILY = "daily"
FRAGMENTS = frozenset(("memory", DAILY))
"""Kinds of entries that are pieces of something longer."""
_THREAD_SOURCES = frozenset(("session", "conversation", "mcp", "cli"))
"""Kinds of sources whose reference names the session in which something was said."""

_SESSION = re.compile(r"^- \d\d:\d\d .* \(session [0-9a-z_-]+\)$\n?", re.MULTILINE)
_SPEAKER = re.compile(
    r"\*{0,3}(?P<name>[^\W\d_][\w.'’-]{0,30}(?: [\w.'’-]{1,30}){0,3})\*{0,3}:\*{0,3}\s"
)
_TURN = re.compile(r"[^\n]++(?:\n(?![ \t\r]*\n)[^\n]*+)*")
_WORD = re.compile(r"\w+")
_WORDS = bytes(ord(c.lower() if c.isalnum() or c == "_" else " ") for c in map(chr, range(128)))
_WORDS += bytes(128)
"""A table that makes letters of ASCII small, and blanks of characters that are in no word."""
_LEAST_TURNS = 4
_ASKS = r"[?？؟][\s\"'”’)*_\]]*(?:\[[^\[\]]{0,500}\]\s*)?$"
_TAIL = 600  # characters that are searched for the end of a question


@dataclass(slots=True)
class Passage:
    """Characters `start` to `end` of an entry's text, under `heading`.

    `speaker` is casefolded, "" if nobody is named; `asks` says that it ends in a question. `key` is
    a 64-bit hash of the text that an embedder gets.
    """

    start: int
    end: int
    heading: str
    speaker: str
    asks: bool
    key: int


def thread_of(entry: Entry) -> str | None:
    """Return the name of a fragment's thread: the session or conversation of its source, else the
    note from which it is derived; None for an entry that is no fragment."""
    if entry.kind not in FRAGMENTS:
        return None
    reference = entry.source.get("ref")
    if entry.source.get("kind") in _THREAD_SOURCES and isinstance(reference, str) and reference:
        return "session:" + reference
    return "note:" + entry.derived_from[0] if entry.derived_from else None


def read_passages(entry: Entry) -> list[Passage]:
    """Return the passages of an entry, in order; at least one, which may be empty. The lines of
    sessions in a day's note are in none: the sessions themselves are found."""
    text = entry.text
    turns = _split_turns(text) if len(text) > TRANSCRIPT else []
    if entry.kind == DAILY and _SESSION.search(text):
        turns = _split_at_sessions(text)
    spoken = bool(turns) or entry.kind in FRAGMENTS
    passages = []
    for first, end in turns or [(0, len(text))]:
        named = _SPEAKER.match(text, first) if spoken else None
        speaker = named["name"].casefold() if named else ""
        for chunk in split_chunks(text[first:end], MOST):
            start = first + chunk.start
            heading = "" if turns else chunk.heading
            passages.append(_read_passage(entry, start, first + chunk.end, heading, speaker))
    return passages or [_read_passage(entry, 0, 0, "", "")]


def embedded_text(title: str, heading: str, text: str) -> str:
    """Return the text of a passage that an embedder gets, headings included."""
    return "\n".join(filter(None, (title, heading, text)))


def _read_passage(entry: Entry, start: int, end: int, heading: str, speaker: str) -> Passage:
    text = entry.text[start:end]
    tail = text[-_TAIL:]
    return Passage(
        start,
        end,
        heading,
        speaker,
        any(map(tail.__contains__, "?？؟")) and bool(re.search(_ASKS, tail)),
        _hash(_encode(embedded_text(entry.title, heading, text))),
    )


def _split_at_sessions(text: str) -> list[tuple[int, int]]:
    """Return the spans between the lines of sessions."""
    ends = [(0, 0), *(found.span() for found in _SESSION.finditer(text)), (len(text), len(text))]
    spans = [(before[1], after[0]) for before, after in pairwise(ends)]
    return [span for span in spans if text[slice(*span)].strip()] or [(0, 0)]


def _split_turns(text: str) -> list[tuple[int, int]]:
    """Return the paragraphs of a transcript: a text in which most paragraphs name a speaker."""
    spans = [found.span() for found in _TURN.finditer(text)]
    names = [found["name"] for start, _ in spans if (found := _SPEAKER.match(text, start))]
    enough = len(names) >= _LEAST_TURNS and len(names) * 2 > len(spans)
    return spans if enough and len(set(names)) * 2 <= len(names) else []


def hash_words(text: str) -> int:
    """Return a 64-bit hash of the words of a passage, which identifies copies whatever their
    layout; 0 for a text under `LEAST_COPIED` characters, which people repeat without copying."""
    if len(text) < LEAST_COPIED:
        return 0
    if text.isascii():  # a table takes a third of the time of searching for words
        return _hash(b" ".join(text.encode().translate(_WORDS).split()))
    return _hash(_encode(" ".join(_WORD.findall(text.casefold()))))


def _encode(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")


def _hash(raw: bytes) -> int:
    return int.from_bytes(blake2b(raw, digest_size=8).digest(), "little", signed=True)
