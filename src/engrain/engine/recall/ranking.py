"""Ranks entries: joins the channels' scores, applies priors, explains the order, and decides
whether any of them is likely to be of use.

A channel has scores only for the passages that it found. docs/recall.md says how they are combined.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass
from math import inf
from typing import TYPE_CHECKING, TypeAlias

from engrain.engine.core.recalled import ChannelPart, Reasons
from engrain.engine.core.scope import count_origins, counted_successions
from engrain.engine.recall.profiles import most_prior, weigh_entry
from engrain.engine.recall.rejection import (
    BEST,
    ENOUGH,
    TAIL,
    estimate_relevance,
    is_unconfirmed,
    read_signals,
    weigh_alone,
    weigh_signals,
)
from engrain.model.note.tiers import UNUSED

if TYPE_CHECKING:
    from engrain.engine.core.store import Store
    from engrain.engine.recall.meaning import Query
    from engrain.engine.recall.profiles import Phase, Profile
    from engrain.engine.recall.rejection import Candidates
    from engrain.index.rows import Found
    from engrain.index.view import IndexView
    from engrain.seam.rows import Row


Scores: TypeAlias = "Mapping[str, Mapping[int, float]]"

HUB = 10
"""The number of links that makes a page a hub, a page of links."""
LIKE = 0.8
"""The share of a hub's score from which a page that it links to counts as equally good."""
QUOTING = 0.8
"""The factor for a hub if such a page has the same words of the query."""

_AT_ONCE = 16
"""The number of likeliest entries that are loaded first, to find the best score."""
_SURE = 1 - 1e-9
"""A factor that lowers a bound, since factors multiplied in another order round differently."""
_LEAST_SCORE = 1e-9
"""The least score of an entry that was found, even if its vector is far away."""


@dataclass(slots=True, eq=False)
class Ranked:
    """An entry with its score and its passages, the best first. What is not `fit` is too weak by
    itself to be given."""

    row: Row
    score: float
    passages: list[Found]
    priors: dict[str, float]
    fit: bool = True


def rank_entries(
    candidates: Candidates,
    profile: Profile,
    phase: Phase | None,
    now: float,
    load: Callable[[Sequence[int]], None] | None = None,
) -> list[Ranked]:
    """Return the entries that any channel found, best first, ties by id. If `load`, which loads the
    rows of entries, is given, entries that can't reach `TAIL` of the best score are neither loaded
    nor returned."""
    standing = _fuse(candidates, profile)
    worth = standing[2]
    order = sorted(worth, key=worth.__getitem__, reverse=True)
    ranked: list[Ranked] = []

    def rank(entries: Sequence[int]) -> None:
        nonlocal standing
        if load:
            load(entries)
            if candidates.distant:  # some of whose passages are compared now
                standing = _fuse(candidates, profile)
        fused, members, worth = standing
        for entry in entries:
            if (row := candidates.rows.get(entry)) is None or entry not in members:
                continue
            passages = [candidates.found[passage] for passage in members[entry]]
            if len(passages) > 1:
                passages.sort(key=lambda found: (-fused[found.passage], found.place))
            score = max(worth[entry], _LEAST_SCORE)
            length = passages[0].characters
            priors = weigh_entry(
                row, now=now, half_life=profile.half_life, phase=phase, length=length
            )
            for factor in priors.values():
                score *= factor
            ranked.append(Ranked(row, score, passages, priors))

    first = _AT_ONCE if load else len(order)
    rank(order[:first])
    best = max([item.score for item in ranked], default=0.0)
    reach = TAIL * (LIKE * QUOTING if any(map(_is_hub, candidates.links.values())) else 1.0)
    least = reach * best / most_prior(phase) * _SURE
    if least <= _LEAST_SCORE:
        least = -inf
    rest = [entry for entry in order[first:] if worth[entry] >= least]
    if load and candidates.distant:
        rest = list(
            candidates.distant.find(candidates.places, least).union(rest).difference(order[:first])
        )
    rank(rest)
    _discount_hubs(ranked, candidates)
    ranked.sort(key=lambda item: (-item.score, item.row.id))
    return ranked


def _fuse(
    candidates: Candidates, profile: Profile
) -> tuple[dict[int, float], dict[int, list[int]], dict[int, float]]:
    """Return the scores of all passages, and of each entry the passages and the best score."""
    fused = add_scores(candidates.scores, profile.weights)
    members: dict[int, list[int]] = {}
    for passage, place in candidates.places.items():
        if passage in fused:
            members.setdefault(place[1], []).append(passage)
    # An entry has the score of its best passage: counting the others too found no more.
    worth = {entry: max(map(fused.__getitem__, found)) for entry, found in members.items()}
    return fused, members, worth


def _is_hub(links: Collection[int]) -> bool:
    return len(links) >= HUB


def _discount_hubs(ranked: Sequence[Ranked], candidates: Candidates) -> None:
    """Lower the score of a hub if a page that it links to has the same words of the query and
    nearly its score: an index that quotes a page is not the page that is wanted."""
    said = candidates.evidence.words
    found = {}
    for item in ranked:
        best = item.passages[0]
        found[best.entry] = item.score, said(best.passage)
    for item in ranked:
        entry = item.passages[0].entry
        links = candidates.links.get(entry, ())
        if not _is_hub(links):
            continue
        score, words = found[entry]
        quoted = (found[other] for other in links if other in found)
        if any(other >= LIKE * score and not words & ~others for other, others in quoted):
            item.priors["hub"] = QUOTING
            item.score *= QUOTING


def explain(item: Ranked, candidates: Candidates, profile: Profile) -> Reasons:
    """Return what each channel of the profile contributed to an entry's score, and its priors."""
    best = item.passages[0].passage
    parts = []
    for channel, scores in candidates.scores.items():
        factor = profile.weights.get(channel, 0.0)
        if factor and best in scores:
            rank = rank_passages(scores).get(best, 0)
            parts.append(ChannelPart(channel, rank, scores[best], factor))
    return Reasons(tuple(parts), item.priors)


def add_scores(scores: Scores, weights: Mapping[str, float]) -> dict[int, float]:
    """Return weighted sums of the scores, all calibrated to unique words (`profiles.WEIGHTS`)."""
    fused: dict[int, float] = {}
    for channel, found in scores.items():
        weight = weights.get(channel, 0.0)
        if weight:
            for passage, score in found.items():
                fused[passage] = fused.get(passage, 0.0) + weight * score
    return fused


def rank_passages(scores: Mapping[int, float]) -> dict[int, int]:
    """Return the ranks of passages in one channel, from 1, without those that score 0 or less."""
    ordered = sorted((p for p, score in scores.items() if score > 0), key=lambda p: (-scores[p], p))
    return {passage: rank for rank, passage in enumerate(ordered, 1)}


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


def _find_named(candidates: Candidates, query: Query) -> set[int]:
    """Return the passages of entries that the query names: by id, or as its one word."""
    channels = ("id", "name") if len(query.names) == 1 else ("id",)
    return {passage for name in channels for passage in candidates.scores.get(name, {})}


def _mark_unfit(
    ranked: Sequence[Ranked],
    sums: Mapping[int, float],
    threshold: float,
    by_name: Collection[int],
    *,
    enough: bool,
) -> None:
    """Mark entries whose own signals do not reach the threshold, unless the query names them, or
    they are fragments of a thread, which are understood from each other: these are fit, and so is
    what comes after the best, if the best words are `enough`."""
    fit = {passage for passage, value in sums.items() if value >= threshold} | {*by_name}
    for at, item in enumerate(ranked):
        alone = at < _MOST_ALONE and (item.passages[0].thread or 0) <= 0
        item.fit = not fit.isdisjoint(_passages([item])) if alone else enough


_MOST_ALONE = 20
"""The number of best entries that are judged by themselves."""
_MOST_OWN = 5
"""The number of best other entries that they are compared with."""


def _drop_unfit_imports(
    candidates: Candidates,
    ranked: Sequence[Ranked],
    sums: Mapping[int, float],
    by_name: Collection[int],
) -> list[Ranked]:
    """Drop imported entries that nobody has confirmed or used, unless their signals by themselves
    reach the threshold and those of the best other entries, or the query names them by id."""
    doubted = [i for i in ranked if i.row.imported == UNUSED and is_unconfirmed(i.row)]
    if not doubted:
        return list(ranked)
    ids = {item.row.id for item in doubted}
    own = [item for item in ranked if item.row.id not in ids]
    others = [sums[passage] for passage in _passages(own[:_MOST_OWN]) if passage in sums]
    least = max([candidates.threshold, *others])
    fit = {passage for passage, value in sums.items() if value >= least} | {*by_name}
    unfit = {item.row.id for item in doubted if fit.isdisjoint(_passages([item]))}
    return [item for item in ranked if item.row.id not in unfit]


def _passages(items: Sequence[Ranked]) -> set[int]:
    return {found.passage for item in items for found in item.passages}


def _mark_misfits(
    candidates: Candidates,
    ranked: list[Ranked],
    query: Query,
    by_name: Collection[int],
    *,
    enough: bool,
    unasked: bool,
) -> tuple[list[Ranked], float]:
    """Mark the entries that do not fit by themselves; return the entries, and the greatest value of
    one that fits, minus infinity if none fits. Where nobody asked, as in a hook, an import that
    nobody confirmed has to fit better. Where the best words are not `enough`, only a model that
    judges can tell, and not of chatter."""
    if not (enough or (candidates.judging and not query.chatter)):
        return ranked, -inf
    sums = weigh_alone(candidates, _passages(ranked[:_MOST_ALONE]))
    _mark_unfit(ranked, sums, candidates.threshold, by_name, enough=enough)
    fit = _drop_unfit_imports(candidates, ranked, sums, by_name) if unasked else ranked
    if not any(item.fit for item in fit):
        return ranked, -inf
    values = [sums.get(found.passage, 0.0) for item in fit if item.fit for found in item.passages]
    return fit, max(candidates.threshold, *values)


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
    value = -inf if query.chatter else weigh_signals(signals)
    by_name = _find_named(candidates, query)
    enough = bool(by_name or estimate_relevance(value, candidates.threshold) >= ENOUGH)
    if profile.reject and not enough:
        load(entries)
    part = not candidates.whole and (enough or not profile.reject)
    ranked = rank_entries(candidates, profile, phase, store.clock.now(), load if part else None)
    rejected = False
    if profile.reject:
        ranked, best = _mark_misfits(
            candidates, ranked, query, by_name, enough=enough, unasked=deadline is not None
        )
        value = value if enough else max(value, best)
        rejected = bool(ranked and best == -inf)
    return Judged(
        candidates,
        ranked,
        relevance=estimate_relevance(value, candidates.threshold),
        rejected=rejected,
        signals=signals,
    )


def _count_as(store: Store, rows: Iterable[Row]) -> None:
    """Set the rows' origin and status to those that the settings make count."""
    origin, counted = count_origins(store), counted_successions(store.settings)
    for row in rows:
        row.source = origin(row)
        row.status = row.status_for(counted)
