"""Weekly synthesis: marks contradictions among the facts of each entity, shortens facts that ended
long ago, writes the summary from the present facts, and adds lasting patterns to MEMORY.md (S4.5).

Each entity is done by itself: a run that was killed is continued by the next one, and only entities
that changed since their summary was written are judged and written again.
"""

from __future__ import annotations

from collections.abc import Callable

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
from engrain.engine.entities.pages import OP
from engrain.engine.entities.resolution import open_entity
from engrain.engine.indexes import write_entity_index
from engrain.engine.verbs.intake import OP as IMPORT
from engrain.engine.verbs.records import update_record
from engrain.lifecycle.jobs.job import Run
from engrain.lifecycle.policy import synthesis_days, truncation_seconds
from engrain.lifecycle.synthesizing.disputes import settle_facts, truncate_facts
from engrain.lifecycle.synthesizing.patterns import add_patterns
from engrain.model.errors import ConflictError, EngrainError, NotFoundError
from engrain.model.facts.entity import (
    FACTS,
    KIND,
    SUMMARY,
    Entity,
    is_entity_place,
    read_entity,
    slug_at,
)
from engrain.model.facts.summaries import read_stamp, stamp_of, write_summary
from engrain.model.note.json_note import JsonNote
from engrain.model.note.note import path_id
from engrain.model.note.tiers import ACTIVE, EXTERNAL, LIVE
from engrain.model.run_result import RunResult
from engrain.seam.changes import Write
from engrain.seam.locator import Locator
from engrain.seam.rows import Filter
from engrain.seam.storage import Stored, hash_of

_GONE = Filter(kinds=(KIND,), statuses=("superseded", "deleted"), zones=(LIVE,))
_COUNTED = ("entities", "summaries", "settled", "truncated", "patterns", "own", "left")


def synthesize(
    store: Store,
    entity: str | None = None,
    *,
    dry_run: bool = False,
    out_of_time: Callable[[], bool] = lambda: False,
) -> RunResult:
    """Mark contradictions among facts, shorten old ones, write the summaries of entities, and add
    lasting patterns to MEMORY.md (S4.5); or do only one entity, by any of its names.

    Counts: `entities` read, `summaries` written, facts `settled` and `truncated`, `patterns`
    written into MEMORY.md, summaries that are a person's `own`, and entities `left` since they
    can't be read or written. With `dry_run` nothing is written. Raises ConfigError,
    IndexUnavailableError, LockedError; NotFoundError for an unknown entity.
    """
    store.require_index(scan=True)
    run = Run(dry_run=dry_run, out_of_time=out_of_time)
    synthesis = _Synthesis(store.acting_as(Actor(JOBS)), run)
    if entity is not None:
        synthesis.do(open_entity(store, entity))
        return synthesis.report()
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
    synthesis_days(store.settings)
    return synthesize(store, dry_run=run.dry_run, out_of_time=run.out_of_time)


class _Synthesis:
    """One round: its report so far, and the summaries that are not yet committed."""

    def __init__(self, store: Store, run: Run) -> None:
        self._store = store
        self._run = run
        self._now = store.clock.now()
        self._age = truncation_seconds(store.settings)
        self._counts = dict.fromkeys(_COUNTED, 0)
        self._lines: list[str] = []
        self._pages = Batches(store, "index", store.actor, "", lambda _: None, self._leave)

    def read_and_do(self, slug: str) -> None:
        """Read and synthesise one entity; one that can't be read stops no other."""
        try:
            filed = read_filed(self._store, slug)
        except EngrainError as error:
            self._leave(slug, error.message)
        else:
            self.do(filed)

    def do(self, filed: FiledEntity) -> None:
        """Synthesise one entity; an error is reported and stops no other."""
        self._counts["entities"] += 1
        try:
            if filed.status == ACTIVE:
                self._do(filed)
        except EngrainError as error:
            self._leave(filed.slug, error.message)

    def drop_summaries(self) -> None:
        """Drop the summaries of entities that were merged into another, or forgotten."""
        for row in self._store.index.find(_GONE):
            place = Locator(f"{row.locator.folder}/{SUMMARY}")
            before = _read(self._store, place)
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

    def _leave(self, id_: str, why: str) -> None:
        self._counts["left"] += 1
        self._lines.append(f"left {id_}: {why}")

    def _do(self, filed: FiledEntity) -> None:
        place = Locator(f"{filed.locator.folder}/{SUMMARY}")
        before = _read(self._store, place)
        text = None if before is None else before.raw.decode(errors="replace")
        stamp = None if text is None else read_stamp(text)
        entity = filed.entity
        # The facts of an imported entity were never judged, whatever its summary says.
        changes = self._store.index.changes(locator=place, limit=1)
        imported = any(one.op == IMPORT for one in changes)
        if stamp is None or stamp != stamp_of(entity, self._now) or imported:
            entity = self._settle(filed)
        entity = self._truncate(filed, entity)
        if text is not None and stamp is None:
            self._counts["own"] += 1
            return
        self._write(filed, place, before, write_summary(entity, self._now))

    def _settle(self, filed: FiledEntity) -> Entity:
        entity, lines = settle_facts(filed.entity, self._now)
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


def _read(store: Store, place: Locator) -> Stored | None:
    try:
        return store.backend.read(place)
    except NotFoundError:
        return None
