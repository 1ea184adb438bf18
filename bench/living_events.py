"""What happens in the simulated world: days of sessions of events."""

from __future__ import annotations

from typing import NamedTuple


class Save(NamedTuple):
    """Something is filed."""

    id: str
    project: str | None
    kind: str
    title: str
    text: str
    tags: tuple[str, ...]


class Supersede(NamedTuple):
    """An entry is replaced, because what it says is no longer so."""

    old: str
    new: Save


class Ask(NamedTuple):
    """A prompt: `wanted` are the entries of which any answers it, none where nothing does. `slept`
    is `topic` or `project` where they were filed before a long sleep of their topic alone or of
    their whole project."""

    text: str
    project: str | None
    wanted: tuple[str, ...]
    slept: str
    topic: int


class Used(NamedTuple):
    """The agent acts on an entry, if the prompt before brought it."""

    id: str


Event = Save | Supersede | Ask | Used


class Session(NamedTuple):
    """`at` and `ended` in epoch seconds; `project` None outside of any."""

    id: str
    project: str | None
    at: float
    ended: float
    events: tuple[Event, ...]


class Day(NamedTuple):
    """A day by number from 0 up; `at` is its first moment."""

    number: int
    at: float
    sessions: tuple[Session, ...]
