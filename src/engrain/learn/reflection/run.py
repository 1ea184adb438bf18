"""Reflection on sessions: their turns, by a reflector, into the lanes (S1.20).

What was reflected on is known by its turns, on this device: reflecting again changes nothing, and a
session that went on is taken up where it stopped. Elsewhere the vault itself tells what is known.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass, field

from engrain.engine.core.attesting import least
from engrain.engine.core.store import Actor, Store
from engrain.learn.reflection.by_model import ModelReflector
from engrain.learn.reflection.by_rules import RuleReflector
from engrain.learn.reflection.lanes import Lanes, Routed
from engrain.learn.reflection.settings import read_bounds, wants_model
from engrain.learn.sources.cursors import REFLECT, KnownTurns, digest_turn
from engrain.learn.sources.formats import HOSTS
from engrain.learn.sources.reading import Reading
from engrain.model.facts.turns import OPERATOR, Conversation
from engrain.seam.reflector import Reflector

_MOST_TRUSTED = "agent"


@dataclass(slots=True, eq=False)
class Reflected:
    """What reflecting came to: which form ran, what became of each candidate, and the sessions in
    which the operator had said something new."""

    form: str = field(default="", init=False)
    routed: list[Routed] = field(default_factory=list, init=False)
    sessions: set[str] = field(default_factory=set, init=False)


def reflect(
    store: Store,
    readings: Iterable[Reading],
    *,
    project: str | None = None,
    trust: str = "",
    dry_run: bool = False,
    tell: Callable[[int], None] = lambda _: None,
) -> Reflected:
    """Reflect on what is new in some readings. `project` and `trust` stand before what a source
    says of itself; `tell` hears how many sessions were read by then. With `dry_run` nothing is
    written. Raises ConfigError, IndexUnavailableError, StorageError."""
    reflected = Reflected()
    store.require_index()
    kept = [source.name for source in store.sources.list()]
    bounds = read_bounds(store.settings)
    reflector = choose_reflector(store)
    lanes: dict[str, Lanes] = {}
    read: tuple[str | None, KnownTurns] = (None, KnownTurns())
    for reading in readings:
        said = reading.conversation
        origin = least(_MOST_TRUSTED, trust or _trust_of(reading, kept), store.actor.trust)
        if origin not in lanes:
            lanes[origin] = Lanes(_acting(store, origin), bounds, dry_run=dry_run)
        if said.ref != read[0]:
            read = said.ref, KnownTurns(store.local.turns_read(REFLECT, said.ref))
        new = {digest_turn(turn): turn for turn in said.turns}
        new = {digest: turn for digest, turn in new.items() if digest not in read[1]}
        digests = read[1].add(new)
        if any(turn.role == OPERATOR for turn in new.values()):
            reflected.sessions.add(said.ref)
            about = _project_of(store, reading, project, kept)
            for candidate in reflector.reflect(list(new.values())):
                if candidate.at is None:
                    candidate.at = said.at
                routed = lanes[origin].route(candidate, said.ref, about, _folder_name(said))
                reflected.routed.append(routed)
        if not dry_run:
            if new and reading.source.name not in kept:
                store.local.add_turns_read(REFLECT, said.ref, digests)
            reading.commit()
        tell(len(reflected.sessions))
    reflected.form = reflector.name
    return reflected


def choose_reflector(store: Store) -> Reflector:
    """The reflector by the setting `reflect.form`. Raises ConfigError."""
    rules = RuleReflector()
    llm = store.llm(REFLECT) if wants_model(store.settings) else None
    if llm is None:
        return rules
    return ModelReflector(llm, rules, store.entropy.draw)


def _project_of(store: Store, reading: Reading, project: str | None, kept: Collection[str]) -> str:
    """The project of a session: as it is named, else that of the folder it ran in; of a place that
    was named outright and does not say, the current one."""
    cwd = reading.conversation.cwd
    named = project if project is not None else reading.source.project
    if named or cwd:
        return named or store.sources.find_project(cwd) or ""
    return "" if reading.source.name in kept else store.project or ""


def _trust_of(reading: Reading, kept: Collection[str]) -> str:
    """The origin of what a reading says: a source has its own; of a place that was named outright a
    host's format tells."""
    if reading.source.name not in kept and reading.format in HOSTS:
        return "agent"
    return reading.source.trust


def _folder_name(said: Conversation) -> str:
    return said.cwd.replace("\\", "/").rstrip("/").rpartition("/")[2]


def _acting(store: Store, origin: str) -> Store:
    """The store as the sessions' agent acts in it: outside of any project but their own."""
    own = store.acting_as(Actor(store.actor.agent, origin))
    own.project = None
    return own
