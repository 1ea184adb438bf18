"""Recalls the few entries that matter to a prompt, within a budget (S1.1, S1.18, S1.19).

Every entry that the index finds is read from the store before it is returned. If a file is not as
indexed, the index takes it in and the search is repeated, so text, title and status are the file's
own at that moment. If no index can answer, recall reads every entry instead and says so.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING

from engrain.engine.core.recalled import Explanation, Recall, Recalled
from engrain.engine.core.scope import in_every_project, recall_filter
from engrain.engine.recall import rejection
from engrain.engine.recall.filling import Filler, Packer, compared_text, know_loaded
from engrain.engine.recall.gathering import gather
from engrain.engine.recall.meaning import Meaning, Query
from engrain.engine.recall.profiles import DEFAULT_PROFILE, PROFILES, RecallRequest, check_phase
from engrain.engine.recall.ranking import explain, judge
from engrain.language.text.tokens import estimate_tokens
from engrain.model.errors import EngrainError, IndexUnavailableError, UsageError
from engrain.model.note.entry import COMMITMENT

if TYPE_CHECKING:
    from engrain.engine.core.recalled import Reasons
    from engrain.engine.core.store import Store
    from engrain.engine.recall.profiles import Profile
    from engrain.engine.recall.ranking import Judged, Ranked
    from engrain.seam.locator import Locator
    from engrain.seam.rows import Filter


__all__ = ["RecallRequest", "choose_profile", "recall_entries"]

_ATTEMPTS = 4

NEAREST = 3
"""The number of withheld entries that a person is shown when nothing fits."""


def choose_profile(
    profile: str | Profile | None,
    *,
    limit: int | None = None,
    budget: int | None = None,
    half_life: float | None = None,
) -> Profile:
    """Return a profile by name, the default one for None, with overrides. Raises UsageError."""
    profile = profile or DEFAULT_PROFILE
    if isinstance(profile, str):
        if profile not in PROFILES:
            names = ", ".join(PROFILES)
            raise UsageError(f"no profile named {profile[:60]!r}", remedy=f"there are {names}")
        profile = PROFILES[profile]
    if limit is not None:
        if limit < 1:
            raise UsageError(f"a limit of {limit} finds nothing", remedy="give --limit 1 or more")
        profile = replace(profile, limit=limit)
    if budget is not None:
        if budget < 1:
            raise UsageError(
                f"a budget of {budget} tokens holds nothing", remedy="give --budget 1 or more"
            )
        profile = replace(profile, budget=budget)
    if half_life is not None:
        if not half_life > 0:
            raise UsageError(f"a half-life of {half_life} days makes no sense")
        profile = replace(profile, half_life=half_life)
    return profile


@dataclass(slots=True, eq=False)
class Recalling:
    """A recall in progress: the request, the filter of entries that may answer, and the answer."""

    store: Store
    request: RecallRequest
    only: Filter
    recall: Recall = field(default_factory=lambda: Recall(()), init=False)


def recall_entries(store: Store, request: RecallRequest) -> Recall:
    """Answer a request by `STEPS`; see `lifecycle.sessions.recall`. If the index can't answer, read
    every entry instead. Raises UsageError; IndexUnavailableError if there is no time for that."""
    profile = request.profile
    check_phase(request.phase)
    scope = request.scope.widened(archive=profile.include_archive, inbox=profile.include_inbox)
    only = recall_filter(store, scope)
    degraded = store.ensure_index(look=request.scan, hurried=request.deadline is not None)
    if degraded is None:
        recalling = Recalling(store, request, only)
        try:
            for step in STEPS:
                step(recalling)
            return recalling.recall
        except IndexUnavailableError as error:
            degraded = error.message
    from engrain.engine.recall.unindexed import read_through

    found = read_through(
        store, request.query, only, reject=profile.reject, deadline=request.deadline
    )
    if found is None:
        raise IndexUnavailableError(f"{degraded}; there was no time to read every file")
    if profile.collections:
        from engrain.engine.recall.task import pack_plain_task

        return pack_plain_task(store, request, found, degraded)
    return _pack_plain(request, found, degraded)


def embed(recalling: Recalling) -> None:
    """Give new entries their vectors."""
    if recalling.request.scan and recalling.store.models.vectors.wanted:
        from engrain.engine.recall.embedding import RECALL_S, embed_within

        embed_within(recalling.store, RECALL_S)


def ask_for_calibration(recalling: Recalling) -> None:
    """Ask for the job that calibrates when the vault keeps silent, if that was never done or tried;
    until it is done the prior holds, since no recall waits for a calibration."""
    store, request = recalling.store, recalling.request
    if not request.scan or request.deadline is not None:
        return
    known = (rejection.silence_key(""), rejection.tried_key())
    if any(map(store.index.figures, known)):
        return
    if store.index.status().entries in rejection.FIRST_ENTRIES:
        try:
            store.device.job_log.request(rejection.CALIBRATE, store.clock.now())
        except EngrainError:
            return  # the job is due within the hour in any case


def search(recalling: Recalling) -> None:
    """Gather candidates, judge whether any fits, and read those that do; start again, at most
    `_ATTEMPTS` times in all, if a file has changed since it was indexed."""
    store, request = recalling.store, recalling.request
    query = Query(request.query, store.clock.now())
    for _ in range(_ATTEMPTS):
        recalling.recall, stale = _answer(store, request, query, recalling.only)
        if not stale:
            break
        store.freshness.refresh(stale)


def explain_silence(recalling: Recalling) -> None:
    """Add to an explanation what decided between an answer and silence."""
    if explanation := recalling.recall.explanation:
        from engrain.engine.recall.silence import calibration

        explanation.silence = calibration.explain_silence(
            recalling.store.index, explanation.signals, recalling.recall.model
        )


def mark_contradicted(recalling: Recalling) -> None:
    """Mark entries that others contradict."""
    if recalling.recall.given:
        from engrain.engine.core import contradictions

        contradictions.mark_contradicted(recalling.store, recalling.recall.given)


def mark_commitments(recalling: Recalling) -> None:
    """Say what became of commitments."""
    if any(found.row.kind == COMMITMENT for found in recalling.recall.given):
        from engrain.engine.recall.commitments import mark_standing

        mark_standing(recalling.store, recalling.recall.given)


def count_elsewhere(recalling: Recalling) -> None:
    """Count matching entries of other projects, up to the profile's limit, if this project has
    none; never for a user, who must not learn of other users' entries."""
    recall, request, only = recalling.recall, recalling.request, recalling.only
    if recall.given or recall.rejected or only.projects is None or request.scope.user:
        return
    limit = request.profile.limit
    if asked := [kind for part in request.profile.collections for kind in part.kinds]:
        only = replace(only, kinds=only.kinds or asked)
    with recalling.store.index.view() as view:
        everywhere, here = (
            {met[1] for met in view.match(request.query, scope, limit).met}
            for scope in (in_every_project(only), only)
        )
    recall.elsewhere = min(limit, len(everywhere - here))


STEPS: tuple[Callable[[Recalling], None], ...] = (
    embed, ask_for_calibration, search, explain_silence, mark_contradicted, mark_commitments,
    count_elsewhere,
)  # fmt: skip
"""The steps of a recall once the index is up to date, each run once in this order."""


def _answer(
    store: Store, request: RecallRequest, query: Query, only: Filter
) -> tuple[Recall, list[Locator]]:
    """Try once to answer; return also the places of stale files, for which to try again."""
    profile = request.profile
    if profile.weights.get("bm25"):
        return _answer_bare(store, request, only)
    if profile.collections:
        from engrain.engine.recall.task import answer_task

        return answer_task(store, request, query, only)
    if profile.stages:
        from engrain.engine.recall.tiered.answering import answer_tiered

        return answer_tiered(store, request, query, only)
    meaning = Meaning(store.models.vectors, deadline=request.deadline)
    # Entries too weak to be shown need not be loaded, unless something else depends on them.
    hurried = request.deadline is not None
    whole = hurried or request.explain or not profile.reject
    with store.index.view() as view:
        candidates = gather(view, query, only, profile, meaning, whole=whole)
        judged = judge(store, query, candidates, profile, request.kinds, request.deadline, view)
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
        if request.deadline is None and not query.chatter:
            filler, packer = Filler(store, request.loaded), Packer(NEAREST, profile.budget, None)
            recall.nearest = filler.fill(judged.ranked, packer, reject=False)
        return recall, []
    return recall, _pack(store, request, judged, recall)


def _pack(store: Store, request: RecallRequest, judged: Judged, recall: Recall) -> list[Locator]:
    """Read the entries in order, put those that fit into `recall`, and return the stale places."""
    profile = request.profile
    packer = Packer(profile.limit, profile.budget, request.kinds)
    if judged.ranked:
        know_loaded(store, request.loaded, packer)

    def tell(item: Ranked) -> Reasons:
        return explain(item, judged.candidates, profile)

    shorten = None
    if request.scope.as_of is not None or request.scope.known_at is not None:
        from engrain.engine.entities.pages import summarize_at

        shorten = partial(summarize_at, store, request.scope)
    filler = Filler(
        store, request.loaded, reasons=tell if request.explain else None, shorten=shorten
    )
    recall.results = filler.fill(judged.ranked, packer, reject=profile.reject)
    recall.again = tuple(filler.again)
    recall.over_budget = filler.over_budget
    recall.tokens = packer.tokens
    if recall.explanation and filler.cut:
        recall.explanation.cut = filler.cut
    return filler.stale


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
            packer.take(item.row.kind, whole, item.tokens)
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
