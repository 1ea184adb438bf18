"""Weekly synthesis: marks contradictions among the facts of each entity, shortens facts that ended
long ago, writes the summary from the present facts, and adds lasting patterns to MEMORY.md (S4.5).

Each entity is done by itself: a run that was killed is continued by the next one, and only entities
that changed since their summary was written are judged and written again. Lasting patterns are
entries that proved useful in several sessions, and what the operator stated outright, of no project
and of a trusted origin: every session gets this page.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from engrain.engine.core.attesting import effective_trust
from engrain.engine.core.batches import Batches
from engrain.engine.core.store import JOBS, Actor, Store
from engrain.engine.entities.files import (
    ACTIVE_ENTITIES,
    LEARN,
    FiledEntity,
    read_filed,
    write_entity,
)
from engrain.engine.entities.pages import OP, EntityPage, said_before, write_page
from engrain.engine.indexes import write_entity_index
from engrain.engine.verbs.intake import OP as IMPORT
from engrain.engine.verbs.records import update_record
from engrain.language.text.fences import quote_links, shorten
from engrain.language.text.instants import read_instant
from engrain.lifecycle.jobs.table import Run
from engrain.lifecycle.judge import PURPOSE, note_judge
from engrain.lifecycle.policy import check_interval
from engrain.lifecycle.synthesizing.judged import IN_SHORT, sum_up
from engrain.model.errors import ConflictError, EngrainError
from engrain.model.facts.entity import (
    FACTS,
    KIND,
    SUMMARY,
    Entity,
    is_entity_place,
    read_entity,
    slug_at,
)
from engrain.model.facts.fact import HISTORICAL, Fact
from engrain.model.facts.intake import FactIntake
from engrain.model.facts.judging import DUPLICATE, NEW, FactVerdict, judge
from engrain.model.facts.memory_page import (
    COMMUNICATION,
    PLACE,
    RELATIONSHIP,
    WORK,
    key_of,
    own_lines,
    revise_page,
)
from engrain.model.facts.summaries import read_stamp, stamp_of, write_summary
from engrain.model.links.link import UNLINKABLE, as_label, write_link
from engrain.model.note.documents import object_of
from engrain.model.note.json_note import JsonNote
from engrain.model.note.note import path_id
from engrain.model.note.strength import DAY
from engrain.model.note.tiers import ACTIVE, EXTERNAL, LIVE, OPERATOR, STATED_KINDS, split_ending
from engrain.model.run_result import RunResult
from engrain.seam.changes import Write
from engrain.seam.locator import Locator
from engrain.seam.rows import Filter, Row
from engrain.seam.storage import Stored, hash_of

LEAST_SESSIONS = 3
LEAST_DAYS = 14
"""The sessions and days over which an entry must have been useful."""
LEAST_CONFIDENCE = 0.8
"""The confidence from which a statement of the operator counts at once."""
MOST_LINES = 24
"""Lines that synthesis adds to the page at most: every session pays for them."""
_LONGEST = 160
_KINDS = Filter(
    kinds=(*STATED_KINDS, "workflow", "pattern", "relationship"),
    statuses=(ACTIVE,),
    zones=(LIVE,),
    projects=("",),
)
_REINFORCING = ("fold", "consolidate", "learn")
"""Changes that show that an entry was useful, or met again."""
_MOST_CHANGES = 200

_SECTIONS = {"preference": COMMUNICATION, "feedback": COMMUNICATION, "relationship": RELATIONSHIP}
"""The sections of kinds; other kinds are patterns of work."""


def add_patterns(store: Store, run: Run) -> list[str]:
    """Update the page's generated lines from their entries, and add new ones; return a line for
    each change. A line that a person removed or edited is not written again. Raises ConflictError
    where the page can't be read or written."""
    page = EntityPage(store)
    if page.closed and page.note is None:
        raise ConflictError(page.closed, path=PLACE)
    if page.closed:
        return []  # the operator forgot the page
    rows = store.index.find(_KINDS)
    fit = {key_of(row.id): row for row in rows if _may_stand(store, row)}
    own = own_lines(page.body)
    wanted = {line.key: _word(fit[line.key]) for line in own if line.key in fit}
    new = _find_new(store, fit, {line.key for line in own})[: max(0, MOST_LINES - len(wanted))]
    changed = [line for line in own if line.intact and wanted.get(line.key) != line.text]
    lines = [f"{PLACE}: added what {row.id} says" for row in new]
    lines += [
        f"{PLACE}: {'renewed' if line.key in wanted else 'took out'} its line {line.key}"
        for line in changed
    ]
    if run.dry_run or not lines:
        return lines
    added = [(_SECTIONS.get(row.kind, WORK), key_of(row.id), _word(row)) for row in new]
    sources = [*(fit[key].id for key in wanted), *(row.id for row in new)]
    reason = "drawn from " + ", ".join(sources) if sources else "its source holds no longer"
    wrote = write_page(
        store, page, lambda body, eol: revise_page(body, wanted, added, eol), sources, reason
    )
    return lines if wrote else []


def _find_new(store: Store, fit: Mapping[str, Row], known: set[str]) -> list[Row]:
    new = [row for key, row in fit.items() if key not in known and _holds(store, row)]
    before = said_before(store) if new else set()
    return sorted((row for row in new if key_of(row.id) not in before), key=lambda row: row.id)


def _may_stand(store: Store, row: Row) -> bool:
    elsewhere = row.primary and row.locator != PLACE and not row.always_load
    return elsewhere and effective_trust(store, row) in (OPERATOR, "agent")


def _holds(store: Store, row: Row) -> bool:
    """Whether the operator stated it outright, or it proved useful over time."""
    stated = row.kind in STATED_KINDS and effective_trust(store, row) == OPERATOR
    if stated and (row.confidence or 0.0) >= LEAST_CONFIDENCE:
        return True
    moments = {
        # A session may be folded in parts.
        change.reason.partition("#")[0] if change.op == "fold" else change.change: change.at
        for change in store.index.changes(entry=row.id, limit=_MOST_CHANGES)
        if change.op in _REINFORCING
    }
    if len(moments) < LEAST_SESSIONS:
        return False
    first = min(moments.values()) if row.created is None else row.created
    return max(moments.values()) - first >= LEAST_DAYS * DAY


def _word(row: Row) -> str:
    """Return an entry as a line: a link with its title, so that erasing the entry removes both."""
    name = split_ending(row.locator)[0]
    target = row.id if UNLINKABLE.search(name) else name
    return write_link(target, as_label(shorten(row.title, _LONGEST)))


SHORT = 80
"""Characters that a shortened fact keeps."""
_PASSES = 4
"""A repeated fact may gain a date, and then contradict another one in the next pass."""
MOST_JUDGED = 100
"""The latest active facts of an entity that are judged anew, each against all others."""


def judge_facts(entity: Entity, now: float) -> tuple[Entity, list[str]]:
    """Judge the active facts of an entity anew, the latest first; return the entity, and a line for
    each change.

    A fact that a later one contradicts turns historical or disputed, a repeated one makes the first
    surer, and one whose end has passed turns historical."""
    over = [fact.id for fact in entity.active if (fact.until or now + 1) <= now]
    ended = [fact.replace(status=HISTORICAL) if fact.id in over else fact for fact in entity.facts]
    entity = entity.replace(facts=ended) if over else entity
    lines = [f"{id_} is over" for id_ in over]
    for _ in range(_PASSES):
        entity, judged = _judge_anew(entity, now)
        if not judged:
            break
        lines += judged
    return entity, lines


def _judge_anew(entity: Entity, now: float) -> tuple[Entity, list[str]]:
    """Take in again, in one pass, the repeated facts, and after them the contradicting ones, so
    that contradictions are judged by the surest statement."""
    intake = FactIntake(entity.facts, entity.names, now)
    latest = [fact.id for fact in sorted(entity.active, key=_said, reverse=True)[:MOST_JUDGED]]
    lines: list[str] = []
    for repeated in (True, False):
        for id_ in latest:
            facts = {fact.id: fact for fact in intake.facts}
            verdict = _judge(facts, id_, entity.names)
            if verdict is None or repeated != (verdict.kind == DUPLICATE):
                continue
            taken = intake.add(intake.drop(id_).replace(disputes=()))
            by = ", ".join(other.id for other in verdict.facts)
            lines.append(f"{id_} is {taken.outcome}, by {by}")
    now_by_id = {fact.id: fact for fact in intake.facts}
    ordered = [now_by_id[one.id] for one in entity.facts if one.id in now_by_id]
    return (entity.replace(facts=ordered) if lines else entity), lines


def _judge(facts: Mapping[str, Fact], id_: str, names: Sequence[str]) -> FactVerdict | None:
    """Judge a fact against the other active ones; None where the verdict is known."""
    fact = facts.get(id_)
    if fact is None or not fact.active:
        return None
    verdict = judge(fact, [one for one in facts.values() if one.active and one.id != id_], names)
    known = all(other.id in fact.disputes for other in verdict.facts)
    return None if verdict.kind == NEW or known else verdict


def _said(fact: Fact) -> tuple[float, float, str]:
    return read_instant(fact.created_at) or 0.0, fact.since or 0.0, fact.id


def truncate_facts(entity: Entity, now: float, seconds: float) -> tuple[Entity, list[str]]:
    """Shorten the inactive facts that ended, or were said, more than `seconds` ago; return the
    entity and their ids. Dates and edge stay."""
    cut: list[str] = []
    facts: list[Fact] = []
    for fact in entity.facts:
        at = read_instant(fact.created_at) if fact.until is None else fact.until
        old = not fact.active and at is not None and at < now - seconds
        if old and not fact.truncated and len(fact.content) > SHORT:
            cut.append(fact.id)
            fact = fact.replace(content=shorten(fact.content, SHORT), truncated=True)
        facts.append(fact)
    return (entity.replace(facts=facts) if cut else entity), cut


_GONE = Filter(kinds=(KIND,), statuses=("superseded", "deleted"), zones=(LIVE,))
_OUTDATED = 182 * DAY
"""Seconds after which an outdated fact is shortened."""
_LEAST_FACTS, _MOST_ASKED = 6, 5
"""Facts from which on an entity is summed up, and entities of a run that the judge sums up."""
_SUMMED = "summed"
"""The field of the judge's note with the state in which entities were summed up."""
_COUNTED = ("entities", "summaries", "settled", "truncated", "patterns", "own", "left")


def synthesize(
    store: Store, *, dry_run: bool = False, out_of_time: Callable[[], bool] = lambda: False
) -> RunResult:
    """Mark contradictions among facts, shorten old ones, write the summaries of entities, and add
    lasting patterns to MEMORY.md (S4.5)."""
    store.require_index(scan=True)
    run = Run(dry_run=dry_run, out_of_time=out_of_time)
    synthesis = _Synthesis(store.acting_as(Actor(JOBS)), run)
    for row in sorted(store.index.find(ACTIVE_ENTITIES), key=lambda row: row.locator):
        if run.out_of_time():
            return synthesis.report(unfinished=True)
        if row.primary and is_entity_place(row.locator):
            synthesis.read_and_do(slug_at(row.locator))
    synthesis.drop_summaries()
    synthesis.write_index()
    synthesis.add_patterns()
    return synthesis.report()


def run(store: Store, run: Run) -> RunResult:
    """Run the job. Raises ConfigError for a wrong interval too."""
    check_interval(store.settings, "synthesis.days")
    return synthesize(store, dry_run=run.dry_run, out_of_time=run.out_of_time)


class _Synthesis:
    """One round: its report so far, and the summaries that are not yet committed."""

    def __init__(self, store: Store, run: Run) -> None:
        self._store = store
        self._run = run
        self._now = store.clock.now()
        self._age = _OUTDATED
        self._asked = 0
        self._counts = dict.fromkeys(_COUNTED, 0)
        self._lines: list[str] = []
        self._pages = Batches(store, "index", store.actor, "", lambda _: None, self._skip)

    def read_and_do(self, slug: str) -> None:
        """Read and synthesise one entity; one that can't be read stops no other."""
        try:
            filed = read_filed(self._store, slug)
        except EngrainError as error:
            self._skip(slug, error.message)
        else:
            self.do(filed)

    def do(self, filed: FiledEntity) -> None:
        """Synthesise one entity; an error is reported and stops no other."""
        self._counts["entities"] += 1
        try:
            if filed.status == ACTIVE:
                self._do(filed)
        except EngrainError as error:
            self._skip(filed.slug, error.message)

    def drop_summaries(self) -> None:
        """Drop the summaries of entities that were merged into another, or forgotten."""
        for row in self._store.index.find(_GONE):
            place = Locator(f"{row.locator.folder}/{SUMMARY}")
            before = self._store.find_stored(place)
            if before is None or read_stamp(before.raw.decode(errors="replace")) is None:
                continue
            self._lines.append(f"dropped the summary of {slug_at(row.locator)}")
            if not self._run.dry_run:
                write = Write(place, None, path_id(place), before.hash)
                self._pages.add(slug_at(row.locator), "", write)

    def add_patterns(self) -> None:
        """Add lasting patterns to MEMORY.md."""
        try:
            lines = add_patterns(self._store, self._run)
        except ConflictError as error:
            self._lines.append(f"left {error.path}: {error.message}")
            return
        self._counts["patterns"] += len(lines)
        self._lines += lines

    def write_index(self) -> None:
        """Write the generated index of all entities."""
        if self._run.dry_run:
            return
        self._pages.flush()
        try:
            write_entity_index(self._store)
        except EngrainError as error:
            self._lines.append(f"left the index of entities: {error.message}")

    def report(self, *, unfinished: bool = False) -> RunResult:
        """Return what was done."""
        self._pages.flush()
        return RunResult(self._counts, self._lines, unfinished=unfinished)

    def _skip(self, id_: str, why: str) -> None:
        self._counts["left"] += 1
        self._lines.append(f"left {id_}: {why}")

    def _do(self, filed: FiledEntity) -> None:
        place = Locator(f"{filed.locator.folder}/{SUMMARY}")
        before = self._store.find_stored(place)
        text = None if before is None else before.raw.decode(errors="replace")
        stamp = None if text is None else read_stamp(text)
        entity = filed.entity
        # The facts of an imported entity were never judged, whatever its summary says.
        changes = self._store.index.changes(locator=place, limit=1)
        imported = any(one.op == IMPORT for one in changes)
        if stamp is None or stamp != stamp_of(entity, self._now) or imported:
            entity = self._judge_entity(filed)
        entity = self._truncate(filed, entity)
        if text is not None and stamp is None:
            self._counts["own"] += 1
            return
        told = write_summary(entity, self._now)
        if text is None or not text.startswith(f"{told}\n## {IN_SHORT}\n"):
            self._write(filed, place, before, told + self._sum_up(filed.slug, entity))

    def _sum_up(self, slug: str, entity: Entity) -> str:
        """Return what the judge, if there is one, says in short of an entity of which much is
        known; each state of the entity is asked about once."""
        known = [fact.content for fact in entity.active if not fact.disputes]
        stamp = stamp_of(entity, self._now)
        asked = object_of(object_of(self._store.device.local.read_note(PURPOSE)).get(_SUMMED))
        over = len(known) < _LEAST_FACTS or self._asked >= _MOST_ASKED or asked.get(slug) == stamp
        if over or self._run.dry_run:
            return ""
        self._asked += 1
        found = sum_up(self._store, entity.name, known)
        if found is not None:
            note_judge(self._store, **{_SUMMED: {**asked, slug: stamp}})
        said = "\n".join(f"- {quote_links(text)}" for text, _ in found or ())
        return f"\n## {IN_SHORT}\n\n{said}\n" if said else ""

    def _judge_entity(self, filed: FiledEntity) -> Entity:
        entity, lines = judge_facts(filed.entity, self._now)
        if not lines or self._was_taken_back(filed.id, LEARN):
            return filed.entity
        if not self._run.dry_run:
            write_entity(self._store, filed.slug, filed, entity, {}, reason="synthesis")
        self._counts["settled"] += len(lines)
        self._lines += [f"of {filed.slug} {line}" for line in lines]
        return entity

    def _was_taken_back(self, id_: str, op: str) -> bool:
        """Whether somebody undid such a change of an entity by this job."""
        index = self._store.index
        undone = [change.undoes for change in index.changes(entry=id_, op="undo")]
        return any(
            change.op == op and change.agent == JOBS
            for name in undone
            for change in index.changes(change=name, limit=1)
        )

    def _truncate(self, filed: FiledEntity, entity: Entity) -> Entity:
        after, cut = truncate_facts(entity, self._now, self._age)
        if not cut or self._was_taken_back(filed.id, OP):
            return entity
        if not self._run.dry_run:
            reason = f"{len(cut)} old {'fact' if len(cut) == 1 else 'facts'} cut short"
            self._store.upkeep.drain()  # settled facts were a change of their own
            row = self._store.find_exact(filed.id)
            origin = EXTERNAL if row is None else effective_trust(self._store, row)
            update_record(
                self._store, filed.locator, self._shorten, OP, reason=reason,
                actor=Actor(JOBS, origin),
            )  # fmt: skip
        self._counts["truncated"] += len(cut)
        self._lines += [f"of {filed.slug} {id_} is cut short" for id_ in cut]
        return after

    def _shorten(self, note: JsonNote) -> JsonNote:
        entity = read_entity(note.document, note.own)
        entity, again = truncate_facts(entity, self._now, self._age)
        if not again:
            return note
        return note.with_document(entity.document()).patch({FACTS: entity.bookkeeping()})

    def _write(self, filed: FiledEntity, place: Locator, before: Stored | None, text: str) -> None:
        raw = text.encode()
        if before is not None and before.raw == raw:
            return
        self._counts["summaries"] += 1
        self._lines.append(f"written the summary of {filed.slug}")
        if self._run.dry_run:
            return
        write = Write(place, raw, path_id(place), hash_of(before))
        self._pages.add(filed.slug, "", write)
        self._pages.flush_full()
