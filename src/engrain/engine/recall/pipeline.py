"""Answers any request for a recall: of any profile, of any time, explained, or without an index
(S1.1, S1.18, S1.19). What most requests need is in `answering`.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING

from engrain.engine.core.recalled import Recall, Recalled
from engrain.engine.entities.pages import summarize_at
from engrain.engine.recall.answering import answer_once, answer_request, find_filter
from engrain.engine.recall.commitments import mark_standing
from engrain.engine.recall.embedding import RECALL_S, embed_within
from engrain.engine.recall.filling import Filler, Packer, compared_text
from engrain.engine.recall.meaning import Query
from engrain.engine.recall.profiles import RecallRequest
from engrain.engine.recall.silence import calibration
from engrain.engine.recall.task import answer_task, pack_plain_task
from engrain.engine.recall.tiered.answering import answer_tiered
from engrain.engine.recall.unindexed import read_through
from engrain.language.text.tokens import estimate_tokens
from engrain.model.errors import IndexUnavailableError

if TYPE_CHECKING:
    from engrain.engine.core.store import Store
    from engrain.seam.locator import Locator
    from engrain.seam.rows import Filter


def recall_entries(store: Store, request: RecallRequest) -> Recall:
    """Answer a request; see `lifecycle.sessions.recall`. If the index can't answer, read every
    entry instead. Raises UsageError; IndexUnavailableError if there is no time for that."""
    profile = request.profile
    only = find_filter(store, request)
    try:
        recall = answer_request(store, request, only, _answer, _embed)
        if explanation := recall.explanation:
            explanation.silence = calibration.explain_silence(
                store.index, explanation.signals, recall.model
            )
        mark_standing(store, recall.given)
        return recall
    except IndexUnavailableError as error:
        degraded = error.message
    found = read_through(
        store, request.query, only, reject=profile.reject, deadline=request.deadline
    )
    if found is None:
        raise IndexUnavailableError(f"{degraded}; there was no time to read every file")
    if profile.collections:
        return pack_plain_task(store, request, found, degraded)
    return _pack_plain(request, found, degraded)


def _embed(store: Store) -> None:
    embed_within(store, RECALL_S)


def _answer(
    store: Store, request: RecallRequest, query: Query, only: Filter
) -> tuple[Recall, list[Locator]]:
    """Try once to answer; return also the places of stale files, for which to try again."""
    profile = request.profile
    if profile.weights.get("bm25"):
        return _answer_bare(store, request, only)
    if profile.collections:
        return answer_task(store, request, query, only)
    if profile.stages:
        return answer_tiered(store, request, query, only)
    if request.scope.as_of is None and request.scope.known_at is None:
        return answer_once(store, request, query, only)
    shorten = partial(summarize_at, store, request.scope)
    return answer_once(store, request, query, only, shorten)


def _pack_plain(request: RecallRequest, found: Sequence[Recalled], degraded: str) -> Recall:
    """Return those entries that fit the limit and budget, of all that were read file by file."""
    packer = Packer(request.profile.limit, request.profile.budget, request.kinds)
    recall = Recall((), degraded=degraded)
    taken = []
    for item in found:
        if packer.full:
            break
        whole = compared_text(item.row.title, item.text)
        if item.row.id in request.loaded or packer.refuse(item.row.kind, whole):
            continue
        item.tokens = estimate_tokens(item.text)
        if packer.fits(item.tokens):
            packer.admit(item.row.kind, whole, item.tokens)
            taken.append(item)
        else:
            recall.over_budget += 1
    recall.results = tuple(taken)
    recall.tokens = packer.tokens
    return recall


def _answer_bare(
    store: Store, request: RecallRequest, only: Filter
) -> tuple[Recall, list[Locator]]:
    """Answer by full-text rank alone, as a baseline for measurements."""
    filler = Filler(store, ())
    results = []
    for row in store.index.search(request.query, only, request.profile.limit):
        read = filler.read(row, store.backend.read)
        if read is not None:
            results.append(Recalled(row, read[0]))
    return Recall(tuple(results), relevance=1.0 if results else 0.0), filler.stale
