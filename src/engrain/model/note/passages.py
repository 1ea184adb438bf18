"""Passages: what of an entry is found by itself (S1.21).

Every text is split into passages of at most `MOST` characters at the borders of paragraphs, a
transcript also where the speaker changes. Fragments said in one session, or drawn from one note,
form a thread: each is understood from its neighbours, and they lend it what it does not repeat.
"""

from __future__ import annotations

import re
from _blake2 import blake2b  # hashlib would load OpenSSL
from itertools import pairwise

from engrain.language.text.chunks import split_chunks
from engrain.language.text.patterns import late

TYPE_CHECKING = False
if TYPE_CHECKING:
    from engrain.model.note.entry import Entry

MOST = 350
"""Characters of a passage: what is found by itself says one thing. From 250 to 500 do the same."""
TRANSCRIPT = 1_200
"""Characters from which on turns of speakers are looked for in one text."""

LEAST_COPIED = 100
"""Characters from which on a passage of the same words is a copy."""

DAILY = "daily"
FRAGMENTS = frozenset(("memory", DAILY))
"""Kinds of entries that are pieces of something longer, where a note of the others stands alone."""
_THREAD_SOURCES = frozenset(("session", "conversation", "mcp", "cli"))
"""Sources whose reference names what was going on when something was said or noted."""

_SESSION = late(r"^- \d\d:\d\d .* \(session [0-9a-z_-]+\)$\n?", re.MULTILINE)
_SPEAKER = late(r"\**(?P<name>[^\W\d_][\w.'’-]{0,30}(?: [\w.'’-]{1,30}){0,3})\**:\**\s")
_TURN = late(r"[^\n]++(?:\n(?![ \t\r]*\n)[^\n]*+)*")
_WORD = late(r"\w+")
_LEAST_TURNS = 4
_ASKS = late(r"[?？؟][\s\"'”’)*_\]]*(?:\[[^\[\]]{0,500}\]\s*)?$")
_TAIL = 600  # characters within which a question's end is looked for


class Passage:
    """Characters `start` to `end` of an entry's text, under `heading`.

    `speaker` is who says it, casefolded, "" where nobody is named; `asks` is whether it ends in a
    question. `key` is a 64-bit hash of all that an embedder is shown of it by itself.
    """

    __slots__ = ("asks", "end", "heading", "key", "speaker", "start")

    def __init__(
        self, start: int, end: int, heading: str, speaker: str, asks: bool, key: int
    ) -> None:
        self.start = start
        self.end = end
        self.heading = heading
        self.speaker = speaker
        self.asks = asks
        self.key = key


def thread_of(entry: Entry) -> str | None:
    """The name of the thread a fragment belongs to: the session or conversation that its source
    refers to, else the note it is drawn from."""
    if entry.kind not in FRAGMENTS:
        return None
    reference = entry.source.get("ref")
    if entry.source.get("kind") in _THREAD_SOURCES and isinstance(reference, str) and reference:
        return "session:" + reference
    return "note:" + entry.derived_from[0] if entry.derived_from else None


def read_passages(entry: Entry) -> list[Passage]:
    """The passages of an entry, in order; at least one, though it be empty. The lines of sessions
    in a day's note are in none: what was done and said there is found as such."""
    text = entry.text
    turns = _split_turns(text) if len(text) > TRANSCRIPT else []
    if entry.kind == DAILY and _SESSION.search(text):
        turns = _split_at_sessions(text)
    spoken = bool(turns) or entry.kind in FRAGMENTS
    passages = []
    for first, end in turns or [(0, len(text))]:
        named = _SPEAKER.match(text, first) if spoken else None
        speaker = named["name"].casefold() if named else ""
        for chunk in split_chunks(text[first:end], target=MOST, most=MOST):
            start = first + chunk.start
            heading = "" if turns else chunk.heading
            passages.append(_read_passage(entry, start, first + chunk.end, heading, speaker))
    return passages or [_read_passage(entry, 0, 0, "", "")]


def embedded_text(title: str, heading: str, text: str) -> str:
    """What an embedder is shown of a passage by itself: its headings are part of what it says."""
    return "\n".join(part for part in (title, heading, text) if part)


def _read_passage(entry: Entry, start: int, end: int, heading: str, speaker: str) -> Passage:
    text = entry.text[start:end]
    return Passage(
        start,
        end,
        heading,
        speaker,
        any(mark in text[-_TAIL:] for mark in "?？؟") and bool(_ASKS.search(text[-_TAIL:])),
        _hash(embedded_text(entry.title, heading, text)),
    )


def _split_at_sessions(text: str) -> list[tuple[int, int]]:
    """What stands between the lines of sessions."""
    ends = [(0, 0), *(found.span() for found in _SESSION.finditer(text)), (len(text), len(text))]
    spans = [(before[1], after[0]) for before, after in pairwise(ends)]
    return [span for span in spans if text[slice(*span)].strip()] or [(0, 0)]


def _split_turns(text: str) -> list[tuple[int, int]]:
    """The paragraphs of a transcript, in most of which somebody is named as the speaker."""
    spans = [found.span() for found in _TURN.finditer(text)]
    named = sum(1 for start, _ in spans if _SPEAKER.match(text, start))
    speakers = {
        found["name"] for start, _ in spans if (found := _SPEAKER.match(text, start)) is not None
    }
    enough = named >= _LEAST_TURNS and named * 2 > len(spans) and len(speakers) * 2 <= named
    return spans if enough else []


def hash_words(text: str) -> int:
    """A 64-bit hash of the words of a passage by which copies of it are known, however they are
    set; 0 for a text under `LEAST_COPIED` characters, which people say again without copying."""
    return _hash(" ".join(_WORD.findall(text.casefold()))) if len(text) >= LEAST_COPIED else 0


def _hash(text: str) -> int:
    digest = blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).digest()
    return int.from_bytes(digest, "little", signed=True)
