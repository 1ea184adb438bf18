"""`recall`: the few entries that matter to a prompt, within a budget, and nothing else (S1.1,
S1.18, S1.19).

What the index finds is read again from the store before it is returned. Where the bytes are not
those indexed the index takes them in anew and the search repeats, so text, title and status are
the file's own at that moment. Without an index that can answer, recall reads every entry instead
and says so.
"""

from __future__ import annotations

from engrain.engine.outcomes import LEADING, Recall, Recalled
from engrain.engine.recall.candidates import gather
from engrain.engine.recall.meaning import Meaning
from engrain.engine.recall.packing import BUDGET, WEAK, Packer
from engrain.engine.recall.priors import PHASES, check_phase
from engrain.engine.recall.profiles import DEFAULT_PROFILE, PROFILES
from engrain.engine.recall.query import Query
from engrain.engine.recall.ranking import explain, rank_entries
from engrain.engine.recall.rejection import TAIL, THRESHOLD, estimate_relevance
from engrain.engine.recall.signals import read_signals
from engrain.engine.scope import counted_origin, in_every_project, make_filter
from engrain.model.entry import text_under
from engrain.model.errors import EngrainError, IndexUnavailableError, UsageError
from engrain.model.parsing import parse_note

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from engrain.engine.recall.candidates import Candidates
    from engrain.engine.recall.priors import Phase
    from engrain.engine.recall.profiles import Profile
    from engrain.engine.recall.ranking import Ranked
    from engrain.engine.scope import Scope
    from engrain.engine.store import Store
    from engrain.seam.locator import Locator
    from engrain.seam.rows import Filter, Row

_ATTEMPTS = 4


class Request:
    """One recall: the words, the profile with all that overrides it applied, the scope, the phase
    (None for none), whether to scan first, to explain, and the ids of entries that the reader has
    in the context already."""

    __slots__ = ("deadline", "explain", "loaded", "phase", "profile", "query", "scan", "scope")

    def __init__(
        self,
        query: str,
        profile: Profile,
        scope: Scope,
        *,
        phase: str | None = None,
        loaded: Sequence[str] = (),
        scan: bool = True,
        explain: bool = False,
        deadline: float | None = None,
    ) -> None:
        self.query = query
        self.profile = profile
        self.scope = scope
        self.phase = phase
        self.loaded = loaded
        self.scan = scan
        self.explain = explain
        self.deadline = deadline


def choose_profile(
    profile: str | Profile | None,
    *,
    limit: int | None = None,
    budget: int | None = None,
    half_life: float | None = None,
) -> Profile:
    """A profile by name, the default one for None, with what overrides it. Raises UsageError."""
    profile = profile or DEFAULT_PROFILE
    if isinstance(profile, str):
        if profile not in PROFILES:
            names = ", ".join(PROFILES)
            raise UsageError(f"no profile named {profile[:60]!r}", remedy=f"there are {names}")
        profile = PROFILES[profile]
    if limit is not None:
        if limit < 1:
            raise UsageError(f"a limit of {limit} finds nothing", remedy="give --limit 1 or more")
        profile = profile.replace(limit=limit)
    if budget is not None:
        if budget < 1:
            raise UsageError(
                f"a budget of {budget} tokens holds nothing", remedy="give --budget 1 or more"
            )
        profile = profile.replace(budget=budget)
    if half_life is not None:
        if not half_life > 0:
            raise UsageError(f"a half-life of {half_life} days makes no sense")
        profile = profile.replace(half_life=half_life)
    return profile


def recall_entries(store: Store, request: Request) -> Recall:
    """What `request` asks for; see `Memory.recall`."""
    profile = request.profile
    check_phase(request.phase)
    scope = request.scope.widened(archive=profile.include_archive, inbox=profile.include_inbox)
    only = make_filter(scope, store.project)
    degraded = store.upkeep.ensure(scan=request.scan, hurried=request.deadline is not None)
    if degraded is None:
        try:
            if request.scan and store.vectors.exist():
                from engrain.engine.recall.embedding import embed_newest

                embed_newest(store)
            recall = _search(store, request, only)
            if not recall.results and not recall.rejected and only.projects is not None:
                recall.elsewhere = _count_elsewhere(store, request, in_every_project(only))
            return recall
        except IndexUnavailableError as error:
            degraded = error.message
    from engrain.engine.recall.plain import read_through

    found = read_through(
        store, request.query, only, reject=profile.reject, deadline=request.deadline
    )
    if found is None:
        raise IndexUnavailableError(f"{degraded}; there was no time to read every file")
    return _pack_plain(request, found, degraded)


def _count_elsewhere(store: Store, request: Request, everywhere: Filter) -> int:
    """How many entries of all projects match, at most as many as were asked for."""
    limit = request.profile.limit
    with store.index.view() as view:
        matches = view.match(request.query, everywhere, limit)
    return min(limit, len({place[1] for places in matches.postings for place in places}))


def _search(store: Store, request: Request, only: Filter) -> Recall:
    query = Query(request.query, store.clock.now())
    recall = Recall(())
    for _ in range(_ATTEMPTS):
        recall, stale = _answer(store, request, query, only)
        if not stale:
            break
        store.upkeep.refresh(stale)
    return recall


def _answer(
    store: Store, request: Request, query: Query, only: Filter
) -> tuple[Recall, list[Locator]]:
    """One try at it; the places that proved stale, for which another is due."""
    profile = request.profile
    if profile.weights.get("bm25"):
        return _answer_bare(store, request, only)
    meaning = Meaning(store.vectors, deadline=request.deadline)
    with store.index.view() as view:
        candidates = gather(view, query, only, profile, meaning)
    for row in candidates.rows.values():
        row.source = counted_origin(row, store.settings)
    ranked = rank_entries(candidates, profile, _kinds(request), store.clock.now())
    lost = list(meaning.lost)
    if store.reranker is not None:
        from engrain.engine.recall.reranking import rerank

        lost += filter(None, [rerank(store, query.head, ranked, request.deadline)])
    signals = read_signals(candidates, query)
    relevance = 0.0 if query.chatter else estimate_relevance(signals, meaning.model)
    rejected = bool(profile.reject and ranked and relevance < THRESHOLD and not query.ids)
    recall = Recall(
        (), relevance=relevance, rejected=rejected, embedder=meaning.link, model=meaning.model
    )
    if request.explain:
        from engrain.engine.explanation import Explanation

        recall.explanation = Explanation(candidates.words, signals, lost)
    if rejected:
        recall.withheld = len(ranked)
        return recall, []
    return recall, _pack(store, request, ranked, candidates, recall)


def _kinds(request: Request) -> Phase | None:
    """What each kind counts for, and how many of it come at most: the phase's, or the profile's."""
    return PHASES[request.phase] if request.phase else request.profile.kinds


def _pack(
    store: Store,
    request: Request,
    ranked: list[Ranked],
    candidates: Candidates,
    recall: Recall,
) -> list[Locator]:
    """Read the entries in order and put what fits into `recall`; the places that were stale."""
    from engrain.model.tokens import estimate_tokens

    profile = request.profile
    packer = Packer(profile.limit, profile.budget, _kinds(request))
    loaded = frozenset(request.loaded)
    if ranked:
        _know_loaded(store, request.loaded[-_MOST_COMPARED:], packer)
    results: list[Recalled] = []
    stale: list[Locator] = []
    again: list[str] = []
    cut = recall.explanation.cut if recall.explanation else None
    for item in ranked:
        row = item.row
        weak = profile.reject and item.score < TAIL * ranked[0].score
        if (packer.full or weak) and (cut is None or len(cut) >= _MOST_CUT):
            break
        if row.id in loaded:
            if item.score >= LEADING * ranked[0].score:
                again.append(row.id)
            continue
        if cut is None and packer.refuse_kind(row.kind):
            continue
        text = _read(store, row, stale)
        if text is None:
            continue
        whole = f"{row.title}\n{text}"  # of a short note the title may be all that differs
        reason = WEAK if weak else packer.refuse(row.kind, whole)
        part = None
        tokens = estimate_tokens(text)
        if reason is None and not packer.affords(tokens):
            part = _best_passage(item, text)
            tokens = estimate_tokens(part) if part else tokens
            if not packer.fits(tokens):
                reason = BUDGET
        if reason is None:
            packer.take(row.kind, whole, tokens)
            row.score = item.score
            reasons = explain(item, candidates, profile) if request.explain else None
            results.append(
                Recalled(row, part or text, part=part is not None, tokens=tokens, reasons=reasons)
            )
        elif cut is not None and len(cut) < _MOST_CUT:
            from engrain.engine.explanation import Cut

            cut.append(Cut(row, reason, explain(item, candidates, profile)))
        if reason == BUDGET:
            recall.over_budget += 1
            if recall.over_budget >= _MOST_OVER:
                break
    recall.results = tuple(results)
    recall.again = tuple(again)
    recall.tokens = packer.tokens
    return stale


_MOST_OVER = 100
"""So many entries that were too long are read in search of shorter ones."""
_MOST_COMPARED = 8
"""Of what the reader has already, so many of the latest are compared with what is found."""
_MOST_CUT = 20
"""So many entries that were left out are told."""


def _pack_plain(request: Request, found: Sequence[Recalled], degraded: str) -> Recall:
    """What of the entries read fits."""
    from engrain.model.tokens import estimate_tokens

    packer = Packer(request.profile.limit, request.profile.budget, _kinds(request))
    recall = Recall((), degraded=degraded)
    taken = []
    for item in found:
        if packer.full:
            break
        whole = f"{item.row.title}\n{item.text}"
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


def _best_passage(item: Ranked, text: str) -> str | None:
    """What is shown of an entry that is too long: its best passage, if it has several."""
    best = item.passages[0]
    part = text[best.start : best.end]
    return part if 0 < len(part) < len(text.strip()) else None


def _read(store: Store, row: Row, stale: list[Locator]) -> str | None:
    """An entry's text as it stands in the store now; None, noted as stale, if it is another."""
    try:
        stored = store.backend.read(row.locator)
        if stored.hash == row.hash:
            # The index has the fields of these very bytes, so they need no parsing.
            return text_under(row.title, parse_note(stored.raw, row.locator).body)
    except EngrainError:
        pass  # Gone or broken since: the index learns it below.
    stale.append(row.locator)
    return None


def _know_loaded(store: Store, ids: Sequence[str], packer: Packer) -> None:
    for reference in ids:
        for row in store.index.lookup(reference)[:1]:
            try:
                stored = store.backend.read(row.locator)
                text = text_under(row.title, parse_note(stored.raw, row.locator).body)
                packer.know_loaded(f"{row.title}\n{text}")
            except EngrainError:
                continue


def _answer_bare(store: Store, request: Request, only: Filter) -> tuple[Recall, list[Locator]]:
    """The bare full-text ranking, to measure the others against."""
    stale: list[Locator] = []
    results = []
    for row in store.index.search(request.query, only, request.profile.limit):
        text = _read(store, row, stale)
        if text is not None:
            results.append(Recalled(row, text))
    return Recall(results, relevance=1.0 if results else 0.0), stale
