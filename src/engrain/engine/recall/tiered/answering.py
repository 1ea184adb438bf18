"""Recalls what is known of the people, companies and projects in a query, from summary to detail
(S4.6, S4.7).

The stages are: the entities that are meant, their summaries, their facts, facts of other entities,
and the daily notes of the last days; the last two run only if the query is not answered yet. A fact
that answers comes first; `--as-of` asks for what held at that time.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from copy import copy
from dataclasses import KW_ONLY, dataclass, replace

from engrain.engine.core.recalled import Explanation, Recall, Recalled
from engrain.engine.core.store import Store
from engrain.engine.entities.files import known_entity
from engrain.engine.entities.pages import summarize_read
from engrain.engine.recall.filling import Filler, Packer, fill_nearest, refuse_loaded
from engrain.engine.recall.gathering import gather
from engrain.engine.recall.meaning import Meaning, Query
from engrain.engine.recall.profiles import DAY, RecallRequest
from engrain.engine.recall.ranking import Judged, judge
from engrain.engine.recall.rejection import Candidates
from engrain.engine.recall.tiered.facts import (
    ENOUGH,
    WORTH_TELLING,
    AskedFacts,
    Rating,
    describe_fact,
    rate_fact,
)
from engrain.language.text.folding import fold
from engrain.language.text.tokens import estimate_tokens
from engrain.model.experience.traces import goal_words
from engrain.model.facts.entity import KIND as ENTITY
from engrain.model.facts.entity import OPERATOR_ENTITY, OPERATOR_NAME, Entity, read_entity, slug_at
from engrain.model.facts.fact import Fact
from engrain.model.facts.judging import outranks
from engrain.model.note.properties import text_under
from engrain.model.note.tiers import ACTIVE, EXTERNAL
from engrain.seam.locator import Locator
from engrain.seam.rows import Filter, Row

_LEAST_PART = 3
"""The least letters of a part of a name that can mean somebody: "Li" alone may be any word."""


MOST_SUMMARIES = 5
MOST_FACTS = 10
MOST_READ = 20
"""The most entities whose facts are looked through."""
HALF_LIFE = 30.0
"""Days after which a fact counts half as much."""
DAYS = 7
"""The number of last days whose daily notes are searched."""
_MOST_DAILY = 3
_SUMMARY_SHARE = 0.3
"""The greatest share of the budget for one summary."""
_SUMMARY_SCORE = 0.3
"""The score of the first summary: less than a fact that answers, and more than other facts."""
_DAILY_SCORE = 0.25
_OWN = frozenset(("i", "me", "my", "mine", "myself"))
"""Words that mean the person whose memory this is."""


class TieredRecall(Recall):
    """What is known of the entities in a query: `results` has facts, summaries and daily notes of
    the last days, best first."""

    __slots__ = ()

    @property
    def facts(self) -> tuple[Recalled, ...]:
        """The facts among the results."""
        return tuple(found for found in self.results if found.fact)

    @property
    def summaries(self) -> tuple[Recalled, ...]:
        """The summaries among the results."""
        return tuple(f for f in self.results if f.row.kind == ENTITY and not f.fact)

    @property
    def daily(self) -> tuple[Recalled, ...]:
        """The daily notes among the results."""
        return tuple(found for found in self.results if found.row.kind != ENTITY)


@dataclass(slots=True, eq=False)
class _NamedEntity:
    """An entity as it is in the store now, with its facts of the moment asked about and its
    summary; `ours` is false if another program has written the summary."""

    row: Row
    entity: Entity
    facts: Sequence[Fact]
    summary: str
    _: KW_ONLY
    ours: bool


def answer_tiered(
    store: Store, request: RecallRequest, query: Query, only: Filter
) -> tuple[TieredRecall, list[Locator]]:
    """Answer once; return also the places of stale files, for which the caller tries again."""
    return _Search(store, request, query, only).run()


class _Search:
    """One recall in stages."""

    def __init__(self, store: Store, request: RecallRequest, query: Query, only: Filter) -> None:
        self.store = store
        self.request = request
        self.query = query
        self.own: set[str] = set()
        if _OWN.intersection(map(str.casefold, query.names)):
            query.names.append(store.settings.get(OPERATOR_NAME) or OPERATOR_ENTITY)
            self.own.update(goal_words(query.names[-1]))
        self.only = only
        self.now = store.clock.now() if only.held_at is None else only.held_at
        self.half_life = request.profile.half_life or HALF_LIFE
        self.meaning = Meaning(store.models.vectors, deadline=request.deadline)
        self.stages: list[str] = []
        self.stale: list[Locator] = []
        self.over_budget = 0
        self.found: list[Recalled] = []

    def run(self) -> tuple[TieredRecall, list[Locator]]:
        entities = self._judge(
            replace(
                self.only, kinds=(ENTITY,), statuses=(ACTIVE,), held_at=None, since=None, until=None
            )
        )
        rows = [item.row for item in entities.ranked]
        named = choose_named(self.query, rows, entities.candidates)
        matched = self._read(named[:MOST_SUMMARIES])
        known = [one.entity for one in matched]
        names = naming_words(self.query, known)
        asked = AskedFacts(self.query.head, names, entities.candidates)
        self.stages.append(_describe_matched(matched, rejected=entities.rejected))
        self._add_summaries(matched, asked)
        best = self._add_facts(matched, asked) if matched else 0.0
        if asked.words and best < ENOUGH and not entities.rejected:
            others = [row for row in rows if row not in named][: MOST_READ - len(matched)]
            # For "my employer" only facts about the operator count, known as an entity or not.
            about = _words_of(known) or self.own
            best = max(best, self._add_facts(self._read(others), asked, others=True, about=about))
        daily = None
        if asked.words and best < ENOUGH:
            daily = self._add_daily()
        return self._answer(entities, daily), self.stale

    def _judge(self, only: Filter) -> Judged:
        profile = replace(self.request.profile, half_life=None)
        calm = self.request.deadline is None
        with self.store.index.view() as view:
            candidates = gather(view, self.query, only, profile, self.meaning, asked=calm)
        return judge(self.store, self.query, candidates, profile, None, self.request.deadline)

    def _read(self, rows: Iterable[Row]) -> list[_NamedEntity]:
        """Read entities from the store, and note those as stale that changed since indexing."""
        known = []
        for row in rows:
            entry = self.store.find_entry(row.locator)
            if entry is None or entry.hash != row.hash:
                self.stale.append(row.locator)
                continue
            entity = read_entity(entry.note.document, entry.note.own, slug_at(row.locator))
            known.append(self._remember(row, entity))
        return known

    def _remember(self, row: Row, entity: Entity) -> _NamedEntity:
        at, known_at = self.only.held_at, self.only.known_at
        if known_at is not None:
            before = known_entity(self.store, row.id, row.locator, known_at)
            entity = before or Entity(row.title)
        facts = entity.facts if at is None else entity.held_at(at)
        told, ours = summarize_read(self.store, entity, row.locator, at) if facts else ("", True)
        return _NamedEntity(row, entity, facts, text_under(row.title, told), ours=ours)

    def _add_facts(
        self,
        known: Sequence[_NamedEntity],
        asked: AskedFacts,
        *,
        others: bool = False,
        about: Collection[str] = (),
    ) -> float:
        """Add the facts worth telling to the answer, and return how far the best of them answers,
        from 0 to 1. `others` says that the query does not name these entities; their facts must
        then contain one of the words in `about`, if there are any."""
        rated, best = self._rate(known, asked, about)
        if best < ENOUGH and asked.predicates:
            # To read relations from the words of facts takes longer than everything else here.
            rated, best = self._rate(known, asked, about, read=True)
        room = MOST_FACTS - sum(bool(found.fact) for found in self.found)
        for rating, row, fact in rated[:room]:
            self.found.append(_recalled_fact(row, fact, rating.score))
        if asked.words:
            whose = "other entities" if others else "these"
            enough = "enough" if best >= ENOUGH else "not enough"
            words = ", ".join(asked.words)
            self.stages.append(
                f"facts of {whose}: {min(len(rated), room)} about {words},"
                f" the best answers {best:.2f}, {enough}"
            )
        return best

    def _rate(
        self,
        known: Sequence[_NamedEntity],
        asked: AskedFacts,
        about: Collection[str],
        *,
        read: bool = False,
    ) -> tuple[list[tuple[Rating, Row, Fact]], float]:
        """Return the facts worth telling, best first, and how far the best fact that holds answers.
        With `read`, relations are read also from the words of facts without an edge."""
        as_of = self.only.held_at is not None
        rated = []
        for one in known:
            names = one.entity.names if read else ()
            by_id = {fact.id: fact for fact in one.facts}
            for fact in one.facts:
                against = [by_id[id_] for id_ in fact.disputes if id_ in by_id]
                rating = rate_fact(
                    fact,
                    asked,
                    now=self.now,
                    half_life=self.half_life,
                    as_of=as_of,
                    names=names,
                    about=about,
                    outranked=any(outranks(other, fact) for other in against),
                )
                if rating.answers >= WORTH_TELLING:
                    rated.append((rating, one.row, fact))
        rated.sort(key=lambda item: (-item[0].score, item[2].id))
        return rated, max(
            (one.answers for one, _, fact in rated if as_of or fact.holds_at(self.now)), default=0.0
        )

    def _add_summaries(self, known: Sequence[_NamedEntity], asked: AskedFacts) -> None:
        loaded = frozenset(self.request.loaded)
        summarized = [one for one in known if one.summary.strip() and one.row.id not in loaded]
        for place, one in enumerate(summarized):
            row = copy(one.row)
            row.score = _SUMMARY_SCORE / (1 + place / 10)
            row.source = row.source if one.ours else EXTERNAL
            text = self._bound(one.summary)
            if text.strip():
                self.found.append(Recalled(row, text, part=text != one.summary))
            else:
                self.over_budget += 1
        if summarized:
            why = "; enough: the query only names them" if not asked.words else ""
            self.stages.append(f"summaries: {len(summarized)}{why}")

    def _bound(self, text: str) -> str:
        """Return as many whole lines of a summary as its share of the budget allows."""
        budget = self.request.profile.budget
        room = None if budget is None else int(_SUMMARY_SHARE * budget)
        if room is None or estimate_tokens(text) <= room:
            return text
        kept: list[str] = []
        for line in text.splitlines():
            room -= estimate_tokens(line) + 1
            if room < 0:
                break
            kept.append(line)
        return "\n".join(kept) + "\n"

    def _add_daily(self) -> Judged:
        """Add daily notes of the last days that fit the query, and return their judgement."""
        since = self.now - DAYS * DAY
        daily = self._judge(
            replace(self.only, kinds=("daily",), held_at=None, since=since, until=self.now)
        )
        filler = Filler(self.store, self.request.loaded)
        taken: tuple[Recalled, ...] = ()
        if not daily.rejected:
            packer = Packer(_MOST_DAILY, self.request.profile.budget, None)
            taken = filler.fill(daily.ranked, packer, reject=True)
        top = max((found.row.score for found in taken), default=1.0)
        for found in taken:
            found.row.score *= _DAILY_SCORE / top
        self.found += taken
        self.stale += filler.stale
        self.over_budget += filler.over_budget
        self.stages.append(f"daily notes of {DAYS} days: {len(taken)}")
        return daily

    def _answer(self, entities: Judged, daily: Judged | None) -> TieredRecall:
        """Return the results that fit the budget, best first."""
        profile = self.request.profile
        packer = Packer(profile.limit, profile.budget, None)
        if self.found:
            refuse_loaded(self.store, self.request.loaded, packer)
        recall = TieredRecall((), embedder=self.meaning.link, model=self.meaning.model)
        self.found.sort(key=lambda found: (-found.row.score, found.row.id, found.fact))
        kept = []
        for found in self.found:
            whole = f"{found.row.title}\n{found.text}"
            found.tokens = estimate_tokens(found.text)
            if packer.refuse(found.row.kind, whole):
                continue
            if not packer.fits(found.tokens):
                self.over_budget += 1
                continue
            packer.admit(found.row.kind, whole, found.tokens)
            kept.append(found)
        recall.results = tuple(kept)
        recall.over_budget = self.over_budget
        recall.tokens = packer.tokens
        judged = [one for one in (entities, daily) if one is not None]
        recall.relevance = max(one.relevance for one in judged)
        withheld = sum(len(one.ranked) for one in judged if one.rejected)
        recall.rejected = bool(withheld) and not kept and not recall.over_budget
        recall.withheld = withheld if recall.rejected else 0
        if recall.rejected:
            weak = [item for one in judged if one.rejected for item in one.ranked]
            weak.sort(key=lambda item: (-item.score, item.row.id))
            recall.nearest = fill_nearest(self.store, self.request, weak)
        if self.request.explain:
            recall.explanation = Explanation(
                entities.candidates.words, entities.signals, tuple(self.meaning.lost)
            )
            recall.explanation.stages = self.stages
        return recall


def _recalled_fact(row: Row, fact: Fact, score: float) -> Recalled:
    """Return a fact as a result: the entity's row with the fact's own fields. The fact's own origin
    counts only if the entity's record is attested."""
    row = copy(row)
    row.score = score
    row.source = fact.trust if row.attested else row.source
    row.created = fact.since if fact.since is not None else row.created
    row.status = ACTIVE if fact.active else "superseded"
    row.confidence = fact.confidence
    row.valid_from, row.valid_to = fact.since, fact.until
    found = Recalled(row, describe_fact(fact))
    found.fact = fact.id
    return found


def _words_of(entities: Iterable[Entity]) -> set[str]:
    names = (name for entity in entities for name in entity.names)
    return {word for name in names for word in goal_words(name)}


def _describe_matched(matched: Sequence[_NamedEntity], *, rejected: bool) -> str:
    names = ", ".join(one.row.title for one in matched)
    if names:
        return f"entities that are named: {names}"
    return "no entity is named" + (", and none fits the words" if rejected else "")


def choose_named(query: Query, rows: Sequence[Row], candidates: Candidates) -> list[Row]:
    """Return those of `rows` that a query names: first those named by a whole name or alias, the
    longest first, then those named by a part of it, such as a first name, in the order of `rows`.
    A part that belongs to an entity named in full does not count for others."""
    by_name = candidates.scores.get("name", {})
    numbers = {candidates.found[one].entry for one in by_name if one in candidates.found}
    ids = {row.id for number, row in candidates.rows.items() if number in numbers}
    whole = [row for row in rows if row.id in ids]
    whole.sort(key=lambda row: -len(row.title.split()))
    taken = {part for row in whole for part in _parts(row)}
    spoken = {fold(name) for name in query.names} - taken
    return whole + [row for row in rows if row.id not in ids and spoken.intersection(_parts(row))]


def naming_words(query: Query, entities: Iterable[Entity]) -> set[str]:
    """Return the words of a query that name these entities, without endings."""
    text = fold(query.head)
    named: set[str] = set()
    for entity in entities:
        for name in entity.names:
            parts = [name] if fold(name) in text else name.split()
            named.update(*(goal_words(part) for part in parts if fold(part) in text))
    return named


def _parts(row: Row) -> list[str]:
    return [part for part in fold(row.title).split() if len(part) >= _LEAST_PART]
