"""Ranks candidates, and estimates whether any of them is of use."""

from __future__ import annotations

from engrain.engine.core.scope import counted_origin, counted_successions
from engrain.engine.recall.ranking import rank_entries
from engrain.engine.recall.rejection import ENOUGH, estimate_relevance
from engrain.engine.recall.signals import read_signals

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from engrain.engine.core.store import Store
    from engrain.engine.recall.candidates import Candidates
    from engrain.engine.recall.priors import Phase
    from engrain.engine.recall.profiles import Profile
    from engrain.engine.recall.query import Query
    from engrain.engine.recall.ranking import Ranked


class Judged:
    """Candidates judged: `ranked` has their entries, best first; `relevance` is how likely one is
    of use, estimated from `signals`, and `rejected` says that it is too unlikely; `lost` says why
    the reranker could not help."""

    __slots__ = ("candidates", "lost", "ranked", "rejected", "relevance", "signals")

    def __init__(
        self,
        candidates: Candidates,
        ranked: list[Ranked],
        *,
        relevance: float,
        rejected: bool,
        signals: Mapping[str, float],
        lost: Sequence[str],
    ) -> None:
        self.candidates = candidates
        self.ranked = ranked
        self.relevance = relevance
        self.rejected = rejected
        self.signals = signals
        self.lost = tuple(lost)


def judge(
    store: Store,
    query: Query,
    candidates: Candidates,
    profile: Profile,
    phase: Phase | None,
    deadline: float | None,
) -> Judged:
    """Rank what was gathered, and estimate whether anything fits."""
    for row in candidates.rows.values():
        row.source = counted_origin(row, store.settings)
        row.status = row.status_for(counted_successions(store.settings))
    ranked = rank_entries(candidates, profile, phase, store.clock.now())
    lost: list[str] = []
    if store.reranker is not None:
        from engrain.engine.recall.reranking import rerank

        lost += filter(None, [rerank(store, query.head, ranked, deadline)])
    signals = read_signals(candidates)
    relevance = 0.0 if query.chatter else estimate_relevance(signals, candidates.threshold)
    by_name = candidates.scores.get("id")
    rejected = bool(profile.reject and ranked and relevance < ENOUGH and not by_name)
    return Judged(
        candidates, ranked, relevance=relevance, rejected=rejected, signals=signals, lost=lost
    )
