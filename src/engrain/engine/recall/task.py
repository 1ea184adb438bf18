"""Recalls what is known before a task: entries of three collections, mistakes to avoid and skills
that apply (S2.10).

Each collection is ranked by itself, and its scores are scaled to its weight. A pattern comes with
the episodes from which it was derived. A collection in which
nothing fits is rejected like any recall, so an unknown kind of task gets nothing. All parts share
one budget of tokens.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from engrain.engine.core.attesting import effective_trust
from engrain.engine.core.recalled import LEADING, Explanation, Reasons, Recalled, TaskRecall
from engrain.engine.core.store import Store
from engrain.engine.recall.excerpts import excerpt_record
from engrain.engine.recall.filling import Filler, Packer, fill_nearest, refuse_loaded
from engrain.engine.recall.gathering import Words, gather
from engrain.engine.recall.meaning import Meaning, Query
from engrain.engine.recall.mistakes import (
    MISTAKES,
    MOST_MISTAKES,
    drop_told,
    list_by_task,
    list_similar,
    rank_alone,
    widen,
)
from engrain.engine.recall.profiles import SKILLS, Collection, Phase, RecallRequest
from engrain.engine.recall.ranking import Judged, Ranked, explain, judge
from engrain.engine.recall.rejection import TAIL, Candidates
from engrain.model.experience.patterns import PATTERN
from engrain.model.experience.skills import read_service
from engrain.model.note.tiers import EXTERNAL
from engrain.seam.locator import Locator
from engrain.seam.rows import Filter, Row

SHARES = {"results": 0.6, "avoid": 0.25, "skills": 0.15}
"""The share of the budget for each part; the next part also gets what the one before leaves."""
EPISODE = "episode"
MOST_SKILLS = 3
"""The most skills that are returned besides those among the results."""


@dataclass(slots=True, eq=False)
class _Part:
    """The entries of one collection that fit, best first, with scores scaled to its weight; `again`
    has the ids of leading entries that the reader already has."""

    ranked: list[Ranked]
    again: list[str]


def answer_task(
    store: Store, request: RecallRequest, query: Query, only: Filter
) -> tuple[TaskRecall, list[Locator]]:
    """Answer once; return also the places of stale files, for which the caller tries again."""
    profile = request.profile
    meaning = Meaning(store.models.vectors, deadline=request.deadline)
    gathered: list[tuple[Collection, Candidates]] = []
    asked = {
        one: narrowed
        for one in (*profile.collections, MISTAKES)
        if (narrowed := _narrow(only, one)) is not None
    }
    calm = request.deadline is None
    with store.index.view() as view:
        spoken = Words(view, query, only, [kind for one in asked.values() for kind in one.kinds])
        for one, narrowed in asked.items():
            candidates = gather(
                view, query, narrowed, profile, meaning, spoken.within(one.kinds), asked=calm
            )
            gathered.append((one, candidates))
    judged = [
        (one, judge(store, query, candidates, profile, None, request.deadline))
        for one, candidates in gathered
    ]
    recall = _begin_recall(meaning, [found for _, found in judged], explain=request.explain)
    phase = request.kinds
    loaded = frozenset(request.loaded)
    tail = TAIL * profile.reject
    like = [found for one, found in judged if EPISODE in one.kinds and not found.rejected]
    similar = list_similar(like[0].ranked) if like else {}
    parts = {MISTAKES.name: _Part([], [])}
    for collection, found in judged:
        parts[collection.name] = _pick(_fitting(found), collection, phase, loaded, tail=tail)
    sources = {number: found.candidates for _, found in judged for number in map(id, found.ranked)}

    def explain_item(item: Ranked) -> Reasons:
        candidates = sources.get(id(item))
        return explain(item, candidates, profile) if candidates else Reasons((), item.priors)

    filler = Filler(
        store,
        request.loaded,
        reasons=explain_item if request.explain else None,
        shorten=excerpt_record,
    )
    if part := parts.get(SKILLS):
        _weigh_skills(store, part)
    for one in asked:
        if PATTERN in one.kinds:
            _follow_episodes(store, parts[one.name], one, similar, only, loaded)
    if MISTAKES in asked:
        mistakes = parts[MISTAKES.name]
        mistakes.ranked = widen(store, mistakes.ranked, request, only, similar)
    _fill(store, request, parts, filler, recall)
    recall.again = tuple(dict.fromkeys([i for part in parts.values() for i in part.again]))
    _note_rejected(store, request, recall, [found for _, found in judged])
    return recall, filler.stale


def _note_rejected(
    store: Store, request: RecallRequest, recall: TaskRecall, judged: Sequence[Judged]
) -> None:
    """Set whether all was too weak, how much was, and the nearest of it."""
    recall.rejected = bool(recall.withheld) and not recall.given and not recall.over_budget
    recall.withheld = recall.withheld if recall.rejected else 0
    if recall.rejected:
        withheld = [item for found in judged if found.rejected for item in found.ranked]
        recall.nearest = fill_nearest(store, request, sorted(withheld, key=_order))


def _begin_recall(meaning: Meaning, judged: Sequence[Judged], *, explain: bool) -> TaskRecall:
    """Return an answer without results, with the greatest relevance of the collections and, with
    `explain`, an explanation."""
    recall = TaskRecall(embedder=meaning.link, model=meaning.model)
    recall.relevance = max((found.relevance for found in judged), default=0.0)
    recall.withheld = sum(len(found.ranked) for found in judged if found.rejected)
    if explain:
        best = max(judged, key=lambda found: found.relevance, default=None)
        words, signals = (best.candidates.words, best.signals) if best else ((), {})
        recall.explanation = Explanation(words, signals, tuple(meaning.lost))
    return recall


def pack_plain_task(
    store: Store, request: RecallRequest, found: Sequence[Recalled], degraded: str
) -> TaskRecall:
    """Return an answer from entries that were read file by file because no index could answer."""
    recall = TaskRecall(degraded=degraded)
    phase = request.kinds
    loaded = frozenset(request.loaded)
    parts = {}
    for collection in (*request.profile.collections, MISTAKES):
        ranked = [
            Ranked(one.row, one.row.score, [], {})
            for one in found
            if one.row.kind in collection.kinds
        ]
        parts[collection.name] = _pick(ranked, collection, phase, loaded)
    filler = Filler(store, request.loaded, shorten=excerpt_record)
    _fill(store, request, parts, filler, recall)
    return recall


def _narrow(only: Filter, collection: Collection) -> Filter | None:
    """Return the filter for one collection, None if `only` excludes all of its kinds."""
    kinds = [kind for kind in collection.kinds if not only.kinds or kind in only.kinds]
    return replace(only, kinds=kinds) if kinds else None


def _fitting(judged: Judged) -> Sequence[Ranked]:
    return () if judged.rejected else judged.ranked


def _pick(
    ranked: Iterable[Ranked],
    collection: Collection,
    phase: Phase | None,
    loaded: frozenset[str],
    *,
    tail: float = TAIL,
) -> _Part:
    """Return at most `collection.limit` entries with their scores scaled so that the best has the
    collection's weight. Entries without its tag are left out, but the best of all entries sets the
    score below which the others are dropped."""
    part = _Part([], [])
    ranked = list(ranked)
    floor = tail * ranked[0].score if ranked else 0.0
    fitting = [item for item in ranked if not collection.tag or collection.tag in item.row.tags]
    best = fitting[0].score if fitting else 0.0
    for item in fitting:
        if item.score < floor or len(part.ranked) == collection.limit:
            break
        if item.row.id in loaded:
            if item.score >= LEADING * best:
                part.again.append(item.row.id)
            continue
        item.score *= collection.weight / best
        item.priors[collection.name] = collection.weight / best
        if phase and phase.prior(item.row.kind) != 1.0:
            item.priors["phase"] = phase.prior(item.row.kind)
            item.score *= item.priors["phase"]
        part.ranked.append(item)
    part.ranked.sort(key=_order)
    return part


def _follow_episodes(
    store: Store,
    part: _Part,
    collection: Collection,
    similar: Mapping[str, float],
    only: Filter,
    loaded: frozenset[str],
) -> None:
    """Add the patterns that were derived from similar episodes, in whatever words, behind those
    that were found by their own."""
    known = {item.row.id for item in part.ranked} | loaded
    least = min((item.score for item in part.ranked), default=collection.weight)
    for id_, (row, likeness) in list_by_task(store, similar, only, (PATTERN,)).items():
        if id_ not in known:
            part.ranked.append(rank_alone(row, "similar task", least * likeness))
    part.ranked.sort(key=_order)
    del part.ranked[collection.limit :]


def _weigh_skills(store: Store, part: _Part) -> None:
    """Drop skills from outside, since nobody vouches for their instructions, and multiply the
    scores of the others by how they served."""
    part.ranked = [item for item in part.ranked if effective_trust(store, item.row) != EXTERNAL]
    for item in part.ranked:
        factor = service_factor(store, item.row)
        if factor != 1.0:
            item.priors["service"] = factor
            item.score *= factor
    part.ranked.sort(key=_order)


def service_factor(store: Store, row: Row) -> float:
    """Return the factor for how a skill served; 1 if it can't be read now."""
    entry = store.find_entry(row.locator)
    return read_service(entry).factor if entry else 1.0


def _fill(
    store: Store,
    request: RecallRequest,
    parts: dict[str, _Part],
    filler: Filler,
    recall: TaskRecall,
) -> None:
    """Put into `recall` what fits: first results, then mistakes, then further skills."""
    profile, phase = request.profile, request.kinds
    budget = profile.budget
    shares = {
        name: None if budget is None else int(share * budget) for name, share in SHARES.items()
    }
    mistakes = drop_told(store, parts[MISTAKES.name].ranked, request.loaded)
    merged = [item for name, part in parts.items() if name != MISTAKES.name for item in part.ranked]
    merged.sort(key=_order)
    packer = Packer(profile.limit, shares["results"], phase)
    if merged or mistakes:
        refuse_loaded(store, request.loaded, packer)
    recall.results = filler.fill(merged, packer, reject=False)
    recall.tokens += packer.tokens
    packer = packer.next_part(MOST_MISTAKES, shares["avoid"])
    recall.avoid_these = filler.fill(mistakes, packer, reject=False)
    recall.tokens += packer.tokens
    packer = packer.next_part(MOST_SKILLS, shares["skills"])
    told = {found.row.id for found in recall.results}
    others = [item for item in parts.get(SKILLS, _Part([], [])).ranked if item.row.id not in told]
    recall.skills = filler.fill(others, packer, reject=False)
    recall.tokens += packer.tokens
    recall.over_budget = filler.over_budget
    if recall.explanation and filler.cut:
        given = {found.row.id for found in recall.given}
        recall.explanation.cut = [cut for cut in filler.cut if cut.row.id not in given]


def _order(item: Ranked) -> tuple[float, str]:
    return -item.score, item.row.id
