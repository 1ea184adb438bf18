"""Recalls the few entries that matter to a prompt, within a budget (S1.1, S1.18, S1.19).

Every entry that the index finds is read from the store before it is returned. If a file is not as
indexed, the index takes it in and the search is repeated, so text, title and status are the file's
own at that moment.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, TypeAlias

from engrain.engine.core.contradictions import mark_contradicted
from engrain.engine.core.recalled import Explanation, Recall
from engrain.engine.core.scope import in_every_project, recall_filter
from engrain.engine.recall import rejection
from engrain.engine.recall.filling import Filler, Packer, fill_nearest, refuse_loaded
from engrain.engine.recall.gathering import gather
from engrain.engine.recall.meaning import Meaning, Query
from engrain.engine.recall.newer import put_newer_first
from engrain.engine.recall.profiles import RecallRequest, check_phase
from engrain.engine.recall.ranking import explain, judge
from engrain.model.errors import EngrainError, IndexUnavailableError

if TYPE_CHECKING:
    from engrain.engine.core.recalled import Reasons
    from engrain.engine.core.store import Store
    from engrain.engine.recall.filling import Shorten
    from engrain.engine.recall.ranking import Judged, Ranked
    from engrain.seam.locator import Locator
    from engrain.seam.rows import Filter


Answer: TypeAlias = "Callable[[Store, RecallRequest, Query, Filter], tuple[Recall, list[Locator]]]"
"""Tries once to answer; returns also the places of stale files, for which to try again."""
_ATTEMPTS = 4


def is_plain(request: RecallRequest) -> bool:
    """Whether `answer_plainly` can answer a request: about the present, without an explanation, by
    a profile without stages and collections."""
    profile, scope = request.profile, request.scope
    apart = profile.collections or profile.stages or profile.weights.get("bm25") or request.explain
    return not apart and scope.as_of is None and scope.known_at is None


def answer_plainly(
    store: Store, request: RecallRequest, embed: Callable[[Store], None]
) -> Recall | None:
    """Answer a request that `is_plain`, None if the index can't answer. Commitments are not marked
    with their state. `embed` gives new entries their vectors. Raises UsageError."""
    only = find_filter(store, request)
    try:
        return answer_request(store, request, only, answer_once, embed)
    except IndexUnavailableError:
        return None


def answer_request(
    store: Store,
    request: RecallRequest,
    only: Filter,
    answer: Answer,
    embed: Callable[[Store], None],
) -> Recall:
    """Answer a request by `answer` once the index is up to date. `embed` gives new entries their
    vectors. Raises IndexUnavailableError."""
    hurried = request.deadline is not None
    if unfit := store.ensure_index(look=request.scan, hurried=hurried):
        raise IndexUnavailableError(unfit)
    if request.scan and store.models.vectors.wanted:
        embed(store)
    if request.scan and not hurried:
        ask_for_calibration(store)
    recall = search(store, request, only, answer)
    if recall.given:
        mark_contradicted(store, recall.given)
    count_elsewhere(store, request, only, recall)
    return recall


def find_filter(store: Store, request: RecallRequest) -> Filter:
    """Return the filter of entries that may answer a request. Raises UsageError."""
    profile = request.profile
    check_phase(request.phase)
    scope = request.scope.widened(archive=profile.include_archive, inbox=profile.include_inbox)
    only = recall_filter(store, scope)
    return replace(only, lessons=profile.lessons and not scope.kinds)


def ask_for_calibration(store: Store) -> None:
    """Ask for the job that calibrates when the vault keeps silent, if that was never done or tried;
    until it is done the prior holds, since no recall waits for a calibration."""
    known = (rejection.silence_key(""), rejection.tried_key())
    if any(map(store.index.figures, known)):
        return
    if store.index.status().entries in rejection.FIRST_ENTRIES:
        try:
            store.device.job_log.request(rejection.CALIBRATE, store.clock.now())
        except EngrainError:
            return  # the job is due within the hour in any case


def search(store: Store, request: RecallRequest, only: Filter, answer: Answer) -> Recall:
    """Gather candidates, judge whether any fits, and read those that do; start again, at most
    `_ATTEMPTS` times in all, if a file has changed since it was indexed."""
    query = Query(request.query, store.clock.now())
    for _ in range(_ATTEMPTS):
        recall, stale = answer(store, request, query, only)
        if not stale:
            break
        store.freshness.refresh(stale)
    return recall


def count_elsewhere(store: Store, request: RecallRequest, only: Filter, recall: Recall) -> None:
    """Count matching entries of other projects, up to the profile's limit, if this project has
    none; never for a user, who must not learn of other users' entries."""
    if recall.given or recall.rejected or only.projects is None or request.scope.user:
        return
    limit = request.profile.limit
    if asked := [kind for part in request.profile.collections for kind in part.kinds]:
        only = replace(only, kinds=only.kinds or asked)
    with store.index.view() as view:
        everywhere, here = (
            {met[1] for met in view.match(request.query, scope, limit).met}
            for scope in (in_every_project(only), only)
        )
    recall.elsewhere = min(limit, len(everywhere - here))


def answer_once(
    store: Store, request: RecallRequest, query: Query, only: Filter, shorten: Shorten | None = None
) -> tuple[Recall, list[Locator]]:
    """Try once to answer by a profile without stages and collections; return also the places of
    stale files, for which to try again. `shorten` is that of `Filler`."""
    profile = request.profile
    meaning = Meaning(store.models.vectors, deadline=request.deadline)
    # Entries too weak to be shown need not be loaded, unless something else depends on them.
    hurried = request.deadline is not None
    whole = hurried or request.explain or not profile.reject
    with store.index.view() as view:
        candidates = gather(view, query, only, profile, meaning, whole=whole, asked=not hurried)
        judged = judge(store, query, candidates, profile, request.kinds, request.deadline, view)
    older: dict[str, str] = {}
    if not query.ids:  # else the entry that is named comes first
        judged.ranked, older = put_newer_first(judged.ranked, candidates.evidence, query.head)
    recall = Recall(
        (),
        relevance=judged.relevance,
        rejected=judged.rejected,
        embedder=meaning.link,
        model=meaning.model,
    )
    if request.explain:
        recall.explanation = Explanation(candidates.words, judged.signals, tuple(meaning.lost))
    if judged.rejected:
        recall.withheld = len(judged.ranked)
        recall.nearest = fill_nearest(store, request, judged.ranked)
        return recall, []
    stale = _pack(store, request, judged, recall, shorten)
    given = {found.row.id for found in recall.results}
    for found in recall.results:
        found.older = older.get(found.row.id) in given
    return recall, stale


def _pack(
    store: Store, request: RecallRequest, judged: Judged, recall: Recall, shorten: Shorten | None
) -> list[Locator]:
    """Read the entries in order, put those that fit into `recall`, and return the stale places."""
    profile = request.profile
    packer = Packer(profile.limit, profile.budget, request.kinds)
    if judged.ranked:
        refuse_loaded(store, request.loaded, packer)

    def explain_item(item: Ranked) -> Reasons:
        return explain(item, judged.candidates, profile)

    filler = Filler(
        store, request.loaded, reasons=explain_item if request.explain else None, shorten=shorten
    )
    recall.results = filler.fill(judged.ranked, packer, reject=profile.reject)
    recall.again = tuple(filler.again)
    recall.over_budget = filler.over_budget
    recall.tokens = packer.tokens
    if recall.explanation and filler.cut:
        recall.explanation.cut = filler.cut
    return filler.stale
