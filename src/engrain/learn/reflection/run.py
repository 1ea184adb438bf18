"""Reflection on sessions: their turns, by a reflector, into the lanes (S1.20).

What was reflected on is known by its turns, on this device: reflecting again changes nothing, and a
session that went on is taken up where it stopped. Elsewhere the vault itself tells what is known.
"""

from __future__ import annotations

from engrain.engine.attesting import least
from engrain.engine.store import Actor
from engrain.learn.reflection.by_rules import RuleReflector
from engrain.learn.reflection.lanes import Lanes
from engrain.learn.reflection.settings import read_bounds, wants_model
from engrain.learn.sources.cursors import digest_turn
from engrain.learn.sources.reading import Progress
from engrain.model.turns import OPERATOR

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from engrain.engine.store import Store
    from engrain.learn.reflection.lanes import Routed
    from engrain.learn.sources.reading import Reading
    from engrain.model.turns import Conversation, Turn
    from engrain.seam.reflector import Reflector

CONSUMER = "reflect"
_HOSTS = ("claude-code", "codex", "terminal")
"""Formats in which a host writes down what its operator said."""
_MOST_TRUSTED = "agent"


class Reflected:
    """What reflecting came to: which form ran, what became of each candidate, in how many sessions
    there was something new, and how the reading went."""

    __slots__ = ("form", "progress", "routed", "sessions")

    def __init__(self, progress: Progress) -> None:
        self.form = ""
        self.routed: list[Routed] = []
        self.sessions: set[str] = set()
        self.progress = progress


def reflect(
    store: Store,
    readings: Iterable[Reading],
    reflected: Reflected,
    *,
    project: str | None = None,
    trust: str = "",
    dry_run: bool = False,
    out_of_time: Callable[[], bool] = lambda: False,
) -> Reflected:
    """Reflect on what is new in some readings. `project` and `trust` stand before what a source
    says of itself. Raises ConfigError."""
    bounds = read_bounds(store.settings)
    reflector = choose_reflector(store)
    lanes: dict[str, Lanes] = {}
    for reading in readings:
        said = reading.conversation
        origin = least(_MOST_TRUSTED, trust or _trust_of(reading), store.actor.trust)
        if origin not in lanes:
            lanes[origin] = Lanes(_acting(store, origin), bounds, dry_run=dry_run)
        new = _new_turns(store, said)
        if any(turn.role == OPERATOR for turn in new.values()):
            reflected.sessions.add(said.ref)
            about = _project_of(store, reading, project)
            for candidate in reflector.reflect(list(new.values())):
                if candidate.at is None:
                    candidate.at = said.at
                routed = lanes[origin].route(candidate, said.ref, about, _folder_name(said))
                reflected.routed.append(routed)
        if not dry_run:
            store.local.add_turns_read(CONSUMER, said.ref, new)
            reading.commit()
        if out_of_time():
            reflected.progress.unfinished = True
            break
    reflected.form = reflector.name
    return reflected


def choose_reflector(store: Store) -> Reflector:
    """The reflector by the setting `reflect.form`. Raises ConfigError."""
    rules = RuleReflector()
    llm = store.llm(CONSUMER) if wants_model(store.settings) else None
    if llm is None:
        return rules
    from engrain.learn.reflection.by_model import ModelReflector

    return ModelReflector(llm, rules, store.entropy.draw)


def _new_turns(store: Store, said: Conversation) -> dict[bytes, Turn]:
    known = store.local.turns_read(CONSUMER, said.ref)
    turns: Sequence[Turn] = list(said.turns)
    found = ((digest_turn(turn), turn) for turn in turns)
    return {digest: turn for digest, turn in found if digest not in known}


def _project_of(store: Store, reading: Reading, project: str | None) -> str:
    """The project of a session: as it is named, else the one of the folder it ran in."""
    cwd = reading.conversation.cwd
    named = project if project is not None else reading.source.project
    return named or (store.sources.find_project(cwd) if cwd else None) or ""


def _trust_of(reading: Reading) -> str:
    """The origin of what a reading says. A place that was named outright is no source: there a
    host's own format tells."""
    source = reading.source
    return "agent" if source.name == source.path and reading.format in _HOSTS else source.trust


def _folder_name(said: Conversation) -> str:
    return said.cwd.replace("\\", "/").rstrip("/").rpartition("/")[2]


def _acting(store: Store, origin: str) -> Store:
    """The store as the sessions' agent acts in it: outside of any project but their own."""
    own = store.acting_as(Actor(store.actor.agent, origin))
    own.project = None
    return own
