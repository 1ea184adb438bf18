"""Reflection on sessions: what their turns state, into the lanes (S1.20).

What was reflected on is known by its turns, on this device: reflecting again changes nothing, and a
session that went on is taken up where it stopped. Elsewhere the vault itself shows what is known.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass, field

from engrain.engine.core.attesting import least
from engrain.engine.core.store import Actor, Store
from engrain.learn.reflection.by_rules import find_statements
from engrain.learn.reflection.lanes import Lanes, Routed
from engrain.learn.sources.formats import HOSTS
from engrain.learn.sources.reading import REFLECT, KnownTurns, SourceReading, digest_turn
from engrain.model.facts.fact import OPERATOR

_MOST_TRUSTED = "agent"


@dataclass(slots=True, eq=False)
class Reflected:
    """The result of reflecting: the outcome of each candidate, and the sessions in which the
    operator had said something new."""

    routed: list[Routed] = field(default_factory=list, init=False)
    sessions: set[str] = field(default_factory=set, init=False)


def reflect(
    store: Store,
    readings: Iterable[SourceReading],
    *,
    project: str | None = None,
    trust: str = "",
    dry_run: bool = False,
    tell: Callable[[int], None] = lambda _: None,
) -> Reflected:
    """Reflect on what is new in some readings. `project` and `trust` override what a source says of
    itself; `tell` hears how many sessions were read by then. With `dry_run` nothing is written.
    Raises IndexUnavailableError, StorageError."""
    reflected = Reflected()
    store.require_index()
    kept = [source.name for source in store.device.sources.list()]
    lanes: dict[str, Lanes] = {}
    read: tuple[str | None, KnownTurns] = (None, KnownTurns())
    for reading in readings:
        said = reading.conversation
        origin = least(_MOST_TRUSTED, trust or _trust_of(reading, kept), store.actor.trust)
        if origin not in lanes:
            acting = store.acting_as(Actor(store.actor.agent, origin))
            acting.project = None  # entries belong to the sessions' own projects
            lanes[origin] = Lanes(acting, dry_run=dry_run)
        if said.ref != read[0]:
            read = said.ref, KnownTurns(store.device.local.turns_read(REFLECT, said.ref))
        new = {digest_turn(turn): turn for turn in said.turns}
        new = {digest: turn for digest, turn in new.items() if digest not in read[1]}
        digests = read[1].add(new)
        if any(turn.role == OPERATOR for turn in new.values()):
            reflected.sessions.add(said.ref)
            about = _project_of(store, reading, project, kept)
            for candidate in find_statements(list(new.values())):
                if candidate.at is None:
                    candidate.at = said.at
                routed = lanes[origin].route(candidate, said.ref, about)
                reflected.routed.append(routed)
        if not dry_run:
            if new and reading.source.name not in kept:
                store.device.local.add_turns_read(REFLECT, said.ref, digests)
            reading.commit()
        tell(len(reflected.sessions))
    return reflected


def _project_of(
    store: Store, reading: SourceReading, project: str | None, kept: Collection[str]
) -> str:
    """Return the project of a session: as it is named, else that of the folder it ran in; of a
    place that was named outright and does not say, the current one."""
    cwd = reading.conversation.cwd
    named = project if project is not None else reading.source.project
    if named or cwd:
        return named or store.device.sources.find_project(cwd) or ""
    return "" if reading.source.name in kept else store.project or ""


def _trust_of(reading: SourceReading, kept: Collection[str]) -> str:
    """Return the origin of what a reading says: a source has its own; of a place that was named
    outright a host's format decides."""
    if reading.source.name not in kept and reading.format in HOSTS:
        return "agent"
    return reading.source.trust
