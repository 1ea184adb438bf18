"""`heat`: what is recalled in session after session is loaded in every one (S1.16, DESIGN 10).

Hot entries move to `Memory/_always-load/`, cold ones back to their kind's folder. An entry becomes
hot at `heat.hits` sessions of the last `heat.window` of its scope and is cold under `heat.cold`, so
that none comes and goes. A session hits an always-loaded entry where its recall would have brought
it. Pinned entries stay. All that one session gets fits in `heat.tokens`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass
from functools import partial

from engrain.engine.core.moving import demote_entry, is_pinned, promote_entry
from engrain.engine.core.store import JOBS, Actor, Store
from engrain.engine.recall.packing import OVERHEAD
from engrain.language.text.tokens import estimate_tokens
from engrain.lifecycle.ageing.sessions import Ageing
from engrain.lifecycle.jobs.job import Report, Run
from engrain.lifecycle.jobs.table import Step, do_steps
from engrain.lifecycle.policy import HeatRule, read_heat_rule
from engrain.lifecycle.reviewing.staging import propose
from engrain.model.errors import EngrainError
from engrain.model.facts.daily import KIND as DAILY
from engrain.model.note.kinds import kind_of
from engrain.model.note.strength import DAY
from engrain.model.note.tiers import ACTIVE, LIVE
from engrain.seam.rows import Filter, Row

_OWN = Filter(statuses=(ACTIVE,), zones=(LIVE,), tiers=("T3",))
_ELSEWHERE = 90 * DAY
"""Seconds after which what another device promoted is anyone's."""
_NEVER = ("episode", "kept")
"""Retention classes of what no session could load whole."""


@dataclass(slots=True, eq=False)
class Warmth:
    """How warm one entry is: how many of the last sessions of its scope hit it, how many of those
    this device knows, its cost in tokens, and whether it is promoted or pinned."""

    id: str
    project: str
    _: KW_ONLY
    hits: int
    known: int
    tokens: int
    weight: float = 0.0
    promoted: bool = False
    pinned: bool = False


def choose_promoted(entries: Iterable[Warmth], rule: HeatRule) -> list[str]:
    """The ids that shall be promoted, as a pure policy: pinned ones in any case, then what is
    promoted already, then the hottest, as far as the tokens go.

    What is promoted stays until it is cold by a whole window of sessions; below `floor` the
    warmest of what is promoted stay however cold.
    """
    ranked = sorted(
        entries, key=lambda one: (not one.pinned, not one.promoted, -one.hits, -one.weight, one.id)
    )
    chosen: list[str] = []
    cold: list[Warmth] = []
    room = _Room(rule.tokens)
    for one in ranked:
        stays = one.promoted and (one.hits >= rule.cold or one.known < rule.window)
        if one.pinned:
            room.take(one, whether_or_not=True)
            chosen.append(one.id)
        elif stays or one.hits >= rule.hits:
            if room.take(one):
                chosen.append(one.id)
        elif one.promoted:
            cold.append(one)
    for one in cold:
        if len(chosen) < rule.floor and room.take(one):
            chosen.append(one.id)
    return chosen


class _Room:
    """The tokens left in the session that gets most: each has its project's entries and those of
    none."""

    def __init__(self, tokens: int) -> None:
        self._tokens = tokens
        self._used: dict[str, int] = {"": 0}

    def take(self, one: Warmth, *, whether_or_not: bool = False) -> bool:
        own = self._used.get(one.project, 0)
        if one.project:
            used = own + self._used[""]
        else:
            used = own + max((n for name, n in self._used.items() if name), default=0)
        if used + one.tokens > self._tokens and not whether_or_not:
            return False
        self._used[one.project] = own + one.tokens
        return True


def run(store: Store, run: Run) -> Report:
    """The job: promote what is hot, demote what is cold."""
    store.require_index(scan=True)
    rule = read_heat_rule(store.settings)
    rows = {row.id: row for row in store.index.find(_OWN)}
    found = list(_measure(store, rows, rule))
    moves = _plan(found, choose_promoted(found, rule), rule.window)
    own = store.acting_as(Actor(JOBS))
    steps = [_make_step(own, rows[id_], word, reason) for word, id_, reason in moves]
    return do_steps(run, steps, (_DEMOTED, _PROMOTED, _PROPOSED))


_DEMOTED, _PROMOTED, _PROPOSED = "demoted", "promoted", "proposed"


def _plan(
    found: Sequence[Warmth], chosen: Sequence[str], window: int
) -> list[tuple[str, str, str]]:
    """What is to be done, to which entry, and why: first what makes room."""
    promoted = {one.id for one in found if one.promoted}
    reasons = {
        one.id: "pinned" if one.pinned else f"recalled in {one.hits} of the last {window} sessions"
        for one in found
    }
    moves = [(_DEMOTED, id_) for id_ in sorted(promoted.difference(chosen))]
    moves += [(_PROMOTED, id_) for id_ in chosen if id_ not in promoted]
    return [(word, id_, reasons[id_]) for word, id_ in moves]


def _make_step(store: Store, row: Row, word: str, reason: str) -> Step:
    about = f"{row.id}: {reason}"
    if word == _DEMOTED:
        return Step(word, about, partial(demote_entry, store, row.id, reason))
    if row.source == "external":  # what nobody vouches for becomes no directive by itself (S1.7)
        return Step(_PROPOSED, about, partial(propose, store, "promote", row.id, reason))
    return Step(word, about, partial(promote_entry, store, row.id, reason))


def _is_ours(store: Store, id_: str) -> bool:
    """Whether this device may cool a promoted entry: it promoted it, or nobody did for long. What
    is hot on another device would come and go."""
    promoted = store.index.changes(entry=id_, op="promote", limit=1)
    return all(
        one.device == store.backend.device or one.at < store.clock.now() - _ELSEWHERE
        for one in promoted
    )


def _measure(store: Store, rows: Mapping[str, Row], rule: HeatRule) -> Iterator[Warmth]:
    """Measure the entries that may be hot, and those that are promoted."""
    ageing = Ageing(store.local.sessions(), {}, store.clock.now())
    projects = {row.project or "" for row in rows.values()}
    windows = {project: ageing.sessions_in(project, rule.window) for project in projects}
    first = min((window[0] for window in windows.values() if window), default=0)
    hits = store.local.hits_since(first - 1)
    for id_, row in rows.items():
        window = windows[row.project or ""]
        count = _count_within(hits.get(id_, ()), window)
        if not row.always_load and (count < rule.hits or _stays_cold(row)):
            continue
        try:
            entry = store.read_entry(row.locator)
        except EngrainError:
            continue  # `doctor` reports what can't be read
        ours = not row.always_load or _is_ours(store, id_)
        yield Warmth(
            id_,
            row.project or "",
            hits=count,
            known=len(window) if ours else 0,
            tokens=estimate_tokens(entry.text) + OVERHEAD,
            weight=row.weight or 0.0,
            promoted=row.always_load,
            pinned=is_pinned(entry),
        )


def _count_within(ordinals: Sequence[int], window: Sequence[int]) -> int:
    """Count the sessions that are not before a window."""
    return sum(ordinal >= window[0] for ordinal in ordinals) if window else 0


def _stays_cold(row: Row) -> bool:
    """Whether an entry is of a kind that no session could load whole."""
    return row.kind == DAILY or kind_of(row.kind).retention in _NEVER
