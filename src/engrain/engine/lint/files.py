"""Lint rules about files: unreadable ones, conflict copies, and generated files out of date."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial

from engrain.engine.core.store import Actor, Store
from engrain.engine.diagnosis import list_copies, list_problems
from engrain.engine.entities.files import ACTIVE_ENTITIES, read_summary, try_filed
from engrain.engine.lint.flaw import Flaw, Generator, Repairs
from engrain.engine.maps.indexes import write_entity_index, write_episode_index
from engrain.engine.maps.map import write_maps
from engrain.model.facts.summaries import read_stamp, stamp_of
from engrain.model.history.record import Record
from engrain.model.note.entry import Entry
from engrain.seam.storage import ChangeSet, Write

UNREADABLE, COPY, GENERATED = "unreadable", "copy", "generated"
_GENERATORS: tuple[Generator, ...] = (
    write_episode_index,
    write_entity_index,
    partial(write_maps, begin=False),
)


def find_unreadable(store: Store) -> Iterator[Flaw]:
    """Find files that can't be read as entries."""
    for problem in list_problems(store):
        if problem.subject == "file":
            yield Flaw(
                UNREADABLE,
                problem.path or "",
                problem.message,
                line=problem.line,
                remedy=problem.remedy,
            )


def find_copies(store: Store) -> Iterator[Flaw]:
    """Find files with another file's id."""
    for problem in list_copies(store):
        yield Flaw(COPY, problem.path or "", problem.message, remedy=problem.remedy)


def find_stale(store: Store) -> Iterator[Flaw]:
    """Find generated files and summaries that no longer match their sources."""
    for generate in _GENERATORS:
        rehearsal = Rehearsal(store)
        generate(rehearsal)
        if not rehearsal.replaces:
            continue  # they were never made, which a job will do
        for write in rehearsal.writes:
            yield Flaw(
                GENERATED,
                write.locator,
                "is not what its sources make it",
                mend=partial(Repairs.generate, generate=generate),
            )
    now = store.clock.now()
    for row in store.index.find(ACTIVE_ENTITIES):
        filed = try_filed(store, row.locator)
        summary = None if filed is None else read_summary(store, row.locator.folder)
        if filed is None or summary is None:
            continue
        stamp = read_stamp(summary.raw.decode(errors="replace"))
        if stamp is not None and stamp != stamp_of(filed.entity, now):
            yield Flaw(
                GENERATED,
                f"{row.locator.folder}/summary.md",
                f"was made before the facts of {filed.entity.name} changed",
                remedy=f"`engrain synthesize --entity {filed.slug}` writes it anew",
            )


class Rehearsal(Store):
    """The same store, whose commits are only gathered as `writes`; `replaces` tells whether one
    would overwrite an existing file."""

    writes: Sequence[Write] = ()
    replaces: bool = False

    def __init__(self, store: Store) -> None:
        super().__init__(**{name: getattr(store, name) for name in Store._fields})

    def commit(
        self,
        op: str,
        writes: Sequence[Write],
        *,
        reason: str = "",
        undoes: str | None = None,
        actor: Actor | None = None,
        known: Sequence[Entry] = (),  # noqa: ARG002 - as the store's
    ) -> Record:
        """Gather what would be written; the record is of no chain."""
        self.writes = [*self.writes, *writes]
        self.replaces = self.replaces or any(write.before for write in writes)
        trust = (actor or self.actor).trust
        change = ChangeSet(
            op, writes, at=self.clock.now(), trust=trust, reason=reason, undoes=undoes
        )
        return change.to_record(self.backend.device, 0)
