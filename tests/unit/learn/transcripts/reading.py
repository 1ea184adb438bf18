"""What the readers make of lines, for tests."""

from __future__ import annotations

from collections import Counter
from typing import Any

from engrain.learn.transcripts.hosts import open_transcript, read_events
from engrain.learn.transcripts.segments import TaskFinder
from engrain.learn.transcripts.tasks import Task


def find(raw: bytes, passed: Counter[str] | None = None) -> list[Task]:
    """The tasks in a transcript."""
    counts: Counter[str] = Counter() if passed is None else passed
    host, lines = open_transcript(raw.splitlines(keepends=True))
    return list(TaskFinder(host.name, "a-file").run(read_events(host, lines, counts)))


def find_one(raw: bytes) -> dict[str, Any]:
    """The document of the only episode in a transcript."""
    (found,) = find(raw)
    return found.document()
