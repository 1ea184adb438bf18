"""Ranks candidates, and decides whether any of them is likely to be of use."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass
from typing import TYPE_CHECKING

from engrain.engine.core.scope import count_origins, counted_successions
from engrain.engine.recall.ranking import rank_entries
from engrain.engine.recall.rejection import (
    BEST,
    ENOUGH,
    estimate_relevance,
    is_unconfirmed,
    read_signals,
    weigh_alone,
)
from engrain.model.note.entry import UNUSED

if TYPE_CHECKING:
    from engrain.engine.core.store import Store
    from engrain.engine.recall.evidence import Candidates
    from engrain.engine.recall.priors import Phase
    from engrain.engine.recall.profiles import Profile
    from engrain.engine.recall.query import Query
    from engrain.engine.recall.ranking import Ranked
    from engrain.seam.rows import Row
    from engrain.seam.view import IndexView


@dataclass(slots=True)
class Judged:
    """The judgement of candidates: `ranked` has their entries, best first; `relevance` is the
    probability, estimated from `signals`, that one is of use; `rejected` says that the probability
    is too low."""

    candidates: Candidates
    ranked: list[Ranked]
    _: KW_ONLY
    relevance: float
    rejected: bool
    signals: Mapping[str, float]


_MOST_ALONE = 20
"""The number of best unconfirmed imports that are judged by themselves; the others are dropped."""
_MOST_OWN = 5
"""The number of best other entries that they are compared with."""


def _drop_unfit_imports(
    candidates: Candidates, ranked: Sequence[Ranked], by_name: Collection[int] | None
) -> list[Ranked]:
    """Drop imported entries that nobody has confirmed or used, unless their signals by themselves
    reach the threshold and those of the best other entries, or the query names them by id."""
    doubted = [i for i in ranked if i.row.imported == UNUSED and is_unconfirmed(i.row)]
    if not doubted:
        return list(ranked)
    ids = {item.row.id for item in doubted}
    own = [item for item in ranked if item.row.id not in ids]
    others = weigh_alone(candidates, _passages(own[:_MOST_OWN]))
    least = max([candidates.threshold, *others.values()])
    sums = weigh_alone(candidates, _passages(doubted[:_MOST_ALONE]))
    fit = {passage for passage, value in sums.items() if value >= least} | {*(by_name or ())}
    unfit = {item.row.id for item in doubted if fit.isdisjoint(_passages([item]))}
    return [item for item in ranked if item.row.id not in unfit]


def _passages(items: Sequence[Ranked]) -> set[int]:
    return {found.passage for item in items for found in item.passages}


def judge(
    store: Store,
    query: Query,
    candidates: Candidates,
    profile: Profile,
    phase: Phase | None,
    deadline: float | None,
    view: IndexView | None = None,
) -> Judged:
    """Rank candidates, and estimate whether any fits. For candidates that are not whole, the rows
    that may be shown are loaded from the `view` that the candidates came from."""
    _count_as(store, candidates.rows.values())

    def load(entries: Iterable[int]) -> None:
        if view is not None:
            _count_as(store, candidates.load(view, entries))

    evidence = candidates.evidence
    entries = {place[1] for place in candidates.places.values()}
    load(entries.intersection(evidence.places[passage][1] for passage in evidence.best(BEST)))
    signals = read_signals(candidates)
    relevance = 0.0 if query.chatter else estimate_relevance(signals, candidates.threshold)
    by_name = candidates.scores.get("id")
    rejected = bool(profile.reject and relevance < ENOUGH and not by_name)
    if rejected:
        load(entries)
    part = not (candidates.whole or rejected)
    ranked = rank_entries(candidates, profile, phase, store.clock.now(), load if part else None)
    rejected = bool(rejected and ranked)
    # Only hooks have a deadline. Nobody asked there, so an import has to fit better.
    if profile.reject and not rejected and deadline is not None:
        fit = _drop_unfit_imports(candidates, ranked, by_name)
        rejected = bool(ranked and not fit)
        ranked = fit or ranked
    return Judged(candidates, ranked, relevance=relevance, rejected=rejected, signals=signals)


def _count_as(store: Store, rows: Iterable[Row]) -> None:
    """Set the rows' origin and status to those that the settings make count."""
    origin, counted = count_origins(store), counted_successions(store.settings)
    for row in rows:
        row.source = origin(row)
        row.status = row.status_for(counted)
