"""The sessions of this device with something to learn from: they have a mark since they were
learned from last, and their journals name the transcripts (S1.20)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from engrain.engine.core.store import Store
from engrain.lifecycle.policy import learned_parts
from engrain.lifecycle.sessions.sessions import MARKS, STOP
from engrain.model.note.documents import object_of


@dataclass(slots=True, eq=False)
class Marked:
    """A session by its `name` in the journals: its `host`, `transcript` and `project` as its hooks
    noted them, "" for none; whether it is `over`, or only a turn of it; `at` is its last mark, in
    epoch seconds. `stamp` is when its journal was written last, 0 while it is open, and how many
    marks it had: clocks are set back."""

    name: str
    host: str
    transcript: str
    project: str
    over: bool
    at: float
    stamp: tuple[float, float]


LEARNED_FROM = "learned"
"""The note of the job that learns from sessions."""


def has_unlearned(store: Store) -> bool:
    """Whether a session waits to be learned from, where the operator agreed to that. Raises
    ConfigError."""
    return bool(learned_parts(store.settings)) and any(MarkedSessions(store, LEARNED_FROM).list())


class MarkedSessions:
    """The sessions to learn from, for who keeps the note of a name on this device about those that
    it has learned from."""

    def __init__(self, store: Store, note: str) -> None:
        self._store = store
        self._note = note
        self.kept = object_of(store.device.local.read_note(note))
        self.known = {
            name: (stamp[0], stamp[1])
            for name, stamp in object_of(self.kept.get("sessions")).items()
            if isinstance(stamp, list) and len(stamp) == 2
        }

    def list(self) -> Iterator[Marked]:
        """Yield those with a transcript and a mark that is not known: first those that are over,
        the longest ago before the others, then the open ones that are between two turns."""
        journal = self._store.device.journal
        for name, written in journal.ended().items():
            if self.known.get(name, (0.0, 0.0))[0] != written:
                yield from self._look(name, written)
        for name in journal.idle_since(float("inf")):
            yield from self._look(name, 0.0)

    def keep(self, session: Marked, **more: Any) -> None:
        """Keep that a session was learned from, and `more` beside it."""
        self.known[session.name] = session.stamp
        journal = self._store.device.journal
        there = {*journal.ended(), *journal.idle_since(float("inf"))}
        kept = {name: list(stamp) for name, stamp in self.known.items() if name in there}
        self.keep_beside(**more, sessions=kept)

    def keep_beside(self, **more: Any) -> None:
        """Keep something beside the sessions."""
        self.kept = {**self.kept, **more}
        self._store.device.local.write_note(self._note, self.kept)

    def _look(self, name: str, written: float) -> Iterator[Marked]:
        events = self._store.device.journal.read(name)
        marks = [event.at for event in events if event.name in MARKS]
        stamp = (written, float(len(marks)))
        if name in self.known and self.known[name][1] == stamp[1]:
            self.known[name] = stamp  # what else was written into it is no news
        elif marks and (written or events[-1].name == STOP):
            told: dict[str, str] = {}
            for event in events:
                told |= {k: v for k, v in event.details.items() if isinstance(v, str) and v}
            host, path, project = (told.get(k, "") for k in ("host", "transcript", "project"))
            if path:
                yield Marked(name, host, path, project, written > 0, marks[-1], stamp)
