"""What the readers make of lines, for tests."""

from __future__ import annotations

from collections import Counter
from typing import Any

from engrain.learn.transcripts.filing import EpisodeFinder, FoundEpisode
from engrain.learn.transcripts.hosts import open_transcript, read_events


def find(
    raw: bytes, passed: Counter[str] | None = None, told: Counter[str] | None = None
) -> list[FoundEpisode]:
    """The episodes in a transcript."""
    counts: Counter[str] = Counter() if passed is None else passed
    host, lines = open_transcript(raw.splitlines(keepends=True))
    events = read_events(host, lines, counts)
    finder = EpisodeFinder(host.name, "a-file", Counter() if told is None else told)
    return list(finder.run(events))


def find_one(raw: bytes) -> dict[str, Any]:
    """The document of the only episode in a transcript."""
    (found,) = find(raw)
    return found.document
