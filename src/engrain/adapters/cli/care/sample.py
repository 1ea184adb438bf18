"""The sample that the project ships: a small team's notes, and what its agent is asked."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from engrain.api.memory import Memory
from engrain.engine.core.outcomes import Outcome
from engrain.language.text.instants import parse_instant, read_instant
from engrain.model.links.link import parse_links
from engrain.model.note.note import split_note
from engrain.model.note.plain_fields import parse_fields
from engrain.seam.clock import Clock

PROJECT = "billing"
"""What the team works on."""
_SAMPLE = os.path.join(os.path.dirname(__file__), "..", "..", "..", "sample")


class SampleClock(Clock):
    """A clock that gives each sample's own date, so that the demo's history has them."""

    def __init__(self) -> None:
        self.at = 0.0

    def now(self) -> float:
        return self.at


class Lesson:
    """What the agent learns in a session, and when."""

    __slots__ = ("_fields", "at")

    def __init__(self, fields: Mapping[str, str]) -> None:
        self._fields = fields
        self.at = parse_instant(fields["created"])

    def save(self, memory: Memory) -> Outcome:
        """Save it, as the agent does."""
        fields = self._fields
        return memory.save(fields["text"], title=fields["title"], kind=fields["kind"])


@dataclass(slots=True, eq=False)
class Script:
    """One session: what the person asks, and what the agent learns of it, if anything."""

    prompts: list[str]
    lesson: Lesson | None


def read_scripts() -> list[Script]:
    """The sessions of the demo, in order."""
    with open(os.path.join(_SAMPLE, "demo.json"), encoding="utf-8") as file:  # noqa: PTH123
        sessions = json.load(file)["sessions"]
    return [
        Script(session["prompts"], Lesson(session["learns"]) if "learns" in session else None)
        for session in sessions
    ]


def save_sample(memory: Memory, clock: SampleClock) -> Iterator[str]:
    """Save every sample note in the order of time; one that replaces another evolves it."""
    notes = sorted(_read_notes(), key=lambda note: (note[0], note[1]))
    known = {stem for _, stem, _, _ in notes}
    for created, stem, kind, raw in notes:
        note = split_note(raw)
        fields = {key: field.value for key, field in parse_fields(note.front).items()}
        tags = fields.get("tags")
        replaced = [
            link.target
            for link in parse_links(note.body)
            if link.relation == "supersedes" and link.target in known
        ]
        title = str(fields["title"])
        words = [str(tag) for tag in tags] if isinstance(tags, list) else None
        clock.at = created
        if replaced:
            yield memory.evolve(replaced[0], note.body, title=title, tags=words).id
        else:
            yield memory.save(note.body, title=title, kind=kind, tags=words, slug=stem).id


def _read_notes() -> Iterator[tuple[float, str, str, bytes]]:
    """(created, stem, kind, bytes) of every sample note."""
    for folder, _, names in os.walk(_SAMPLE):
        for name in names:
            if name.endswith(".md"):
                with open(os.path.join(folder, name), "rb") as file:  # noqa: PTH123
                    raw = file.read()
                fields = parse_fields(split_note(raw).front)
                kind = os.path.basename(folder)
                yield (
                    read_instant(fields["created"].value) or 0.0,
                    name.removesuffix(".md"),
                    "memory" if kind == "sessions" else kind,
                    raw,
                )
