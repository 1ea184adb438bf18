"""Composes the brief that a session gets at its start (S1.18, S2.1, DESIGN section 12).

The parts are yielded one by one, the most important first, so that a caller whose time runs out
has complete parts. Texts are read from the store; the index only says where they are.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from math import prod
from typing import TYPE_CHECKING

from engrain.engine.core.contradictions import mark_contradicted
from engrain.engine.core.recalled import Recalled
from engrain.engine.core.scope import (
    Scope,
    admits,
    counted_origin,
    own_projects,
    passes,
    recall_filter,
)
from engrain.engine.recall.commitments import mark_standing
from engrain.engine.recall.filling import OVERHEAD, Filler, Packer, refuse_loaded
from engrain.engine.recall.profiles import (
    BRIEF_BUDGET,
    PHASES,
    PROMOTED,
    RECENT,
    STANDING,
    check_phase,
    weigh_entry,
)
from engrain.engine.recall.ranking import Ranked
from engrain.engine.recall.unindexed import make_row
from engrain.language.text.fences import shorten, without_private
from engrain.language.text.folding import slugify
from engrain.language.text.tokens import estimate_tokens
from engrain.model.errors import EngrainError, IndexUnavailableError
from engrain.model.experience.commitments import OPEN
from engrain.model.experience.handoff import CLAIMED, KIND, tags_for
from engrain.model.facts.memory_page import PLACE, render_page
from engrain.model.note.entry import read_entry
from engrain.model.note.json_note import parse_note
from engrain.model.note.properties import text_under
from engrain.model.note.strength import DAY
from engrain.model.note.tiers import ACTIVE, COMMITMENT, STAGING, STATED_KINDS
from engrain.model.note.tiers import WORKING as WORKING_ZONE
from engrain.model.settings import read_number
from engrain.seam.locator import Locator
from engrain.seam.rows import Filter

if TYPE_CHECKING:
    from engrain.engine.core.store import Store
    from engrain.engine.recall.profiles import Phase
    from engrain.seam.rows import Row


DEFAULT_PHASE = "work"

DIRECTIVES = "directives"
TACIT = "tacit"
WORKING = "working"
HANDED = "handed"
PROMISED = "promised"

SHARES = {
    DIRECTIVES: 0.5, STANDING: 0.7, TACIT: 0.15, WORKING: 0.3, HANDED: 0.25, PROMISED: 0.15,
    PROMOTED: 0.2, RECENT: 0.4,
}  # fmt: skip
"""The greatest share of the budget for each part, as far as earlier parts leave room."""

_MOST_RECENT = 6
_LOOKED_AT_RECENT = 20
"""The number of entries used last, and of those made last, from which the recent part is chosen."""
_RECORDS = ("episode", "learning", "daily")
"""Kinds that every session adds to: what happened once is not worth showing to every session."""
_LOOKED_AT_MADE = 100
"""The number of newest entries from which those of other kinds are chosen."""
_USED = 2.0
"""The weight of having been used; having been made has weight 1."""
_ELSEWHERE = 0.5
"""The factor for entries without a project while a project is current."""
_ATTEMPTS = 2
_VOUCHING = ("operator", "agent")
"""The origins of preferences that a start gives, the most trusted first: what a tool or a page says
is nobody's preference."""
_MOST_DIRECTIVES = 50
_MOST_STANDING = 1000
_MOST_WHOLE = 10
"""The most preferences that are shown whole; of the others the titles are."""
_MOST_OF_ONE = 80
"""The tokens of a preference above which its first paragraphs are shown."""
_TITLE = 60
"""The most characters of such a title."""
_LOOKED_AT_USES = 200
"""The number of latest uses by which preferences of one scope and origin are ordered."""
_HOW_TO_TAKE = "It waits: `engrain handoff claim {}` takes it."
_MOST_HANDED = 3
"""The most hand-offs that a brief shows; `engrain handoff list` shows all."""
_HANDED_WITHIN = 30 * 86_400.0
"""The age in seconds up to which a hand-off is shown."""
_LOOKED_AT = 200
"""The number of latest hand-offs, commitments and decisions that are looked through."""
_MOST_PROMISED = 5


@dataclass(slots=True)
class BriefPart:
    """One part of a brief: its name, its entries, the number of entries that did not fit, and the
    titles of those of them that are named at least, each cut at a word."""

    name: str
    results: tuple[Recalled, ...]
    left_out: int = 0
    titles: tuple[str, ...] = ()


class _Budget:
    """The tokens that a brief may still use."""

    def __init__(self, tokens: int) -> None:
        self._whole = self.left = tokens

    def room(self, part: str) -> int:
        return min(self.left, int(SHARES[part] * self._whole))

    def name(self, part: str, rows: Sequence[Row]) -> tuple[str, ...]:
        """Return the titles of entries as far as they fit into what a part has left."""
        room, titles = self.room(part), []
        for row in rows:
            title = shorten(row.title, _TITLE)
            cost = estimate_tokens(f"; {title}")
            if cost > room:
                break
            room, self.left = room - cost, self.left - cost
            titles.append(title)
        return tuple(titles)

    def fill(self, part: str, found: Sequence[Recalled], *, from_end: bool = False) -> BriefPart:
        """Return a part with as many whole entries as fit. In the parts TACIT and WORKING an entry
        that is too long is cut to its first paragraphs, or with `from_end` to its last ones."""
        room = self.room(part)
        taken: list[Recalled] = []
        for item in found:
            tokens = estimate_tokens(item.text)
            if tokens + OVERHEAD > room and part in (TACIT, WORKING):
                item = _cut(item, room - OVERHEAD, from_end)
                tokens = item.tokens
            if not item.text or tokens + OVERHEAD > room:
                continue
            room -= tokens + OVERHEAD
            self.left -= tokens + OVERHEAD
            taken.append(item)
        return BriefPart(part, tuple(taken), len(found) - len(taken))


def brief_session(
    store: Store,
    *,
    phase: str | None = None,
    project: str | None = None,
    budget: int | None = None,
    deadline: float | None = None,
) -> Iterator[BriefPart]:
    """Yield the parts of a brief: the operator's directives and preferences, the project's working
    notes, waiting hand-offs, open commitments, MEMORY.md, pinned and promoted entries, and the
    entries that the project used or made last, weighed by the phase of work."""
    check_phase(phase)
    budget = budget or BRIEF_BUDGET
    scope = Scope(project=project)
    unfit = store.ensure_index(hurried=deadline is not None)
    given: list[str] = []
    for part in _make_parts(store, phase, scope, given, budget, blind=bool(unfit)):
        given += [found.row.id for found in part.results]
        if part.results or part.left_out:
            yield part
    if unfit:
        raise IndexUnavailableError(unfit, remedy="run `engrain jobs reindex`")


def count_proposals(store: Store) -> tuple[int, int]:
    """Count the proposals that wait for the operator's decision, and those that expired within a
    week without one, as the index knows them."""
    now = store.clock.now()
    wanted = Filter(kinds=("proposal",), statuses=("proposed",), zones=(STAGING,))
    made = [row.created or 0.0 for row in store.index.find(wanted)]
    oldest = now - read_number(store.settings, "staging.days") * DAY
    waiting = sum(created > oldest for created in made)
    decided = store.index.changes(op="decide", limit=_LOOKED_AT)
    expired = {one.entry for one in decided if one.reason == "expired" and one.at > now - 7 * DAY}
    return waiting, len(made) - waiting + len(expired)


def _make_parts(
    store: Store, phase: str | None, scope: Scope, given: Sequence[str], budget: int, *, blind: bool
) -> Iterator[BriefPart]:
    """Yield the parts in order; with `blind` only those that can be found without an index."""
    left = _Budget(budget)
    if not blind:
        yield left.fill(DIRECTIVES, _always_loaded(store, scope, "T2"))
        yield _standing(store, scope, given, left)
    project = store.project if scope.project is None else scope.project
    notes = _working_notes(store, project) if project else []
    yield left.fill(WORKING, notes, from_end=True)
    if not blind:
        yield left.fill(HANDED, _waiting(store, scope))
        yield left.fill(PROMISED, _promised(store, scope))
    tacit = _vouched(_read_page(store))
    yield left.fill(TACIT, [found for found in tacit if found.row.id not in given])
    if not blind:
        promoted = _always_loaded(store, scope, "T3")
        yield left.fill(PROMOTED, [found for found in promoted if found.row.id not in given])
        wanted = PHASES[phase or _find_phase(store, notes)]
        loaded = [*given, *(found.row.id for found in notes)]
        yield _recent(store, wanted, scope, loaded, left)


def _always_loaded(store: Store, scope: Scope, tier: str) -> list[Recalled]:
    """Return the entries that every session gets: in T2 the operator's directives, in the order of
    their files; in T3 the agent's own entries that heat promoted, the heaviest first.

    Entries from outside are left out wherever they lie, since nobody vouches for them (S1.7).
    """
    only = replace(recall_filter(store, scope), always_load=True, tiers=(tier,))
    rows = store.index.find(only, _MOST_DIRECTIVES)
    found = _vouched(item for row in rows for item in _read(store, row.locator, row, only))
    if tier == "T2":
        return sorted(found, key=lambda item: item.row.locator)
    return sorted(found, key=lambda item: (-(item.row.weight or 0.0), item.row.id))


def _standing(store: Store, scope: Scope, given: Sequence[str], left: _Budget) -> BriefPart:
    """Return the part with the preferences and feedback that hold here, however old they are: the
    first ones whole, the others by their titles. Those of the project come first, then those that
    the operator wrote, then those that were used last, then the newest."""
    project = (store.project if scope.project is None else scope.project) or ""
    only = replace(recall_filter(store, scope), kinds=STATED_KINDS, known=True)
    rows = []
    for row in store.index.find(only, _MOST_STANDING):
        row.source = counted_origin(row, store)
        if row.source in _VOUCHING and row.id not in given:
            rows.append(row)
    if not rows:
        return BriefPart(STANDING, ())
    used = store.device.local.last_uses(own_projects(project), _LOOKED_AT_USES)
    order = {id_: number for number, id_ in enumerate(used)}
    rows.sort(  # keeps the order of `find`, the newest first, where all else is equal
        key=lambda row: (
            (row.project or "") != project,
            _VOUCHING.index(row.source),
            order.get(row.id, len(order)),
        )
    )
    room = left.room(STANDING)
    found: list[Recalled] = []
    for row in rows:
        if len(found) == _MOST_WHOLE:
            break
        if room < min(row.tokens or 0, _MOST_OF_ONE) + OVERHEAD:
            continue  # no file is read only to be left out
        for item in map(_abridge, _read(store, row.locator, row, only)):
            room -= item.tokens + OVERHEAD
            found.append(item)
    part = left.fill(STANDING, _vouched(found))
    whole = [item.row.id for item in part.results]
    others = [row for row in rows if row.id not in whole]
    return BriefPart(STANDING, part.results, len(others), left.name(STANDING, others))


def _vouched(found: Iterable[Recalled]) -> list[Recalled]:
    return [item for item in found if item.row.source != "external"]


def _working_notes(store: Store, project: str) -> list[Recalled]:
    """Return the project's CONTINUITY.md and progress.md."""
    folder = f"projects/{slugify(project, 'project')}"
    places = (f"{folder}/_harness/CONTINUITY.md", f"{folder}/progress.md")
    return [found for place in places for found in _read_place(store, place)]


def _waiting(store: Store, scope: Scope) -> list[Recalled]:
    """Return the hand-offs that wait for this agent or for anyone, the latest first, one line each;
    all that wait if the agent has no name. Those from outside are left out; they can be listed.
    """
    agent = store.actor.agent
    only = replace(
        recall_filter(store, scope),
        kinds=(KIND,),
        tags=tags_for(agent) if agent else (),
        zones=(WORKING_ZONE,),
        since=store.clock.now() - _HANDED_WITHIN,
    )
    found: list[Recalled] = []
    for row in store.index.find(only, _LOOKED_AT):
        if len(found) == _MOST_HANDED:
            break
        if CLAIMED not in row.tags and row.source != "external":
            found += _vouched(_read(store, row.locator, row, only))
    for item in found:
        item.text = _HOW_TO_TAKE.format(item.row.id)
        item.tokens = estimate_tokens(item.text)
    return [item for item in found if CLAIMED not in item.row.tags]


def _promised(store: Store, scope: Scope) -> list[Recalled]:
    """Return open ones of the latest commitments, the earliest due first and those without a due
    date last."""
    only = replace(recall_filter(store, scope), kinds=(COMMITMENT,))
    rows = store.index.find(only, _LOOKED_AT)
    if not rows:
        return []
    found = _vouched(item for row in rows for item in _read(store, row.locator, row, only))
    due = mark_standing(store, found)
    found = [item for item in found if item.standing.startswith(OPEN)]
    return sorted(found, key=lambda item: due.get(item.row.id, 0.0))[:_MOST_PROMISED]


def _recent(
    store: Store, phase: Phase, scope: Scope, loaded: Sequence[str], left: _Budget
) -> BriefPart:
    """Return the part with the entries that this project used or made last, weighed by the phase of
    work. An imported entry is left out until it was used."""
    for _ in range(_ATTEMPTS):
        packer = Packer(_MOST_RECENT, max(1, left.room(RECENT)), phase)
        filler = Filler(store, loaded)
        refuse_loaded(store, loaded, packer)
        results = filler.fill(_rank_recent(store, phase, scope), packer, reject=False)
        if not filler.stale:
            break
        store.freshness.refresh(filler.stale)
    mark_contradicted(store, results)
    left.left -= packer.tokens
    return BriefPart(RECENT, results, filler.over_budget)


def _rank_recent(store: Store, phase: Phase, scope: Scope) -> list[Ranked]:
    """Rank the entries that the project used or made last, the best first."""
    project = (store.project if scope.project is None else scope.project) or ""
    only = replace(recall_filter(store, scope), known=True)
    used = store.device.local.last_uses(own_projects(project), _LOOKED_AT_RECENT)
    known = [row for id_ in used for row in store.index.lookup(id_)[:1] if admits(only, row)]
    known = [row for row in known if row.kind not in _RECORDS]
    made = [row for row in store.index.find(only, _LOOKED_AT_MADE) if row.kind not in _RECORDS]
    worth: dict[str, float] = {}
    rows: dict[str, Row] = {}
    for weight, found in ((_USED, known), (1.0, made[:_LOOKED_AT_RECENT])):
        for rank, row in enumerate(found):
            here = 1.0 if (row.project or "") == project else _ELSEWHERE
            worth[row.id] = worth.get(row.id, 0.0) + weight * here * (1 - rank / (2 * len(found)))
            rows[row.id] = row
    ranked = []
    for id_, row in rows.items():
        row.source = counted_origin(row, store)
        priors = weigh_entry(row, now=0.0, half_life=None, phase=phase, length=0)
        if row.kind != COMMITMENT:
            ranked.append(Ranked(row, worth[id_] * prod(priors.values()), [], priors))
    return sorted(ranked, key=lambda item: (-item.score, item.row.id))


def _find_phase(store: Store, notes: Sequence[Recalled]) -> str:
    """Return the phase that the frontmatter of a working note names (S1.4), else the default."""
    for found in notes:
        front = parse_note(store.backend.read(found.row.locator).raw, found.row.locator).front
        for line in front.splitlines():
            name, _, value = line.partition(":")
            phase = value.strip(" \"'")
            if name == "phase" and phase in PHASES:
                return phase
    return DEFAULT_PHASE


def _read_page(store: Store) -> list[Recalled]:
    """Return MEMORY.md as it is shown to a session; nothing if the page has only headings."""
    found = _read_place(store, PLACE)
    for item in found:
        item.text = render_page(item.text)
        item.tokens = estimate_tokens(item.text)
    return [item for item in found if item.text]


def _read_place(store: Store, place: str) -> list[Recalled]:
    """Return the entry at a place if it exists, is readable and is active, else an empty list."""
    try:
        rows = store.index.lookup(place)
    except IndexUnavailableError:
        rows = []
    return _read(store, Locator(place), next((row for row in rows if row.locator == place), None))


def _read(
    store: Store, locator: Locator, row: Row | None, only: Filter | None = None
) -> list[Recalled]:
    """Return the entry at a place as its file is now, or an empty list. If the file has the hash of
    `row`, it need not be parsed; if it changed, the entry must still pass the filter `only`."""
    try:
        stored = store.backend.read(locator)
        if row is None or row.hash != stored.hash:
            entry = read_entry(locator, stored.raw)
            if only is not None and not passes(entry, only):
                return []
            row = make_row(entry, locator, 1.0)
        text = without_private(text_under(row.title, parse_note(stored.raw, locator).body))
    except EngrainError:
        return []
    if row.status != ACTIVE or not text.strip():
        return []
    row.source = counted_origin(row, store)
    return [Recalled(row, text, tokens=estimate_tokens(text))]


def _abridge(found: Recalled) -> Recalled:
    """Return a preference, of a long one the first paragraphs, or the beginning of the first."""
    if found.tokens <= _MOST_OF_ONE:
        return found
    cut = _cut(found, _MOST_OF_ONE, from_end=False)
    text = cut.text or shorten(found.text, 3 * _MOST_OF_ONE)
    return Recalled(found.row, text, part=True, tokens=estimate_tokens(text))


def _cut(found: Recalled, room: int, from_end: bool) -> Recalled:
    """Return an entry cut to its first or last paragraphs that fit, with no text if none fits."""
    paragraphs = [part for part in found.text.split("\n\n") if part.strip()]
    if from_end:
        paragraphs.reverse()
    count = used = 0
    while count < len(paragraphs) and used <= room:
        used += estimate_tokens(paragraphs[count])
        count += 1
    while count:
        taken = paragraphs[:count]
        text = "\n\n".join(reversed(taken) if from_end else taken)
        tokens = estimate_tokens(text)
        if tokens <= room:
            return Recalled(found.row, text, part=True, tokens=tokens)
        count -= 1
    return Recalled(found.row, "")
