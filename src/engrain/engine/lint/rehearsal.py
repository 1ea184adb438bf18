"""A store in which nothing is written: what would be is told instead."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from engrain.engine.core.store import Actor, Store
from engrain.model.history.record import Record
from engrain.model.note.entry import Entry
from engrain.seam.locator import Locator
from engrain.seam.storage import ChangeSet, Write


class Rehearsal(Store):
    """The same store, whose commits are only gathered, as `writes`; `replaces` tells whether one
    of them is over a file that is there."""

    def __init__(self, store: Store) -> None:
        self.__dict__ |= store.__dict__
        self.writes: list[Write] = []
        self.replaces = False

    def commit(
        self,
        op: str,
        writes: Sequence[Write],
        expected: Mapping[Locator, str | None],
        *,
        reason: str = "",
        undoes: str | None = None,
        actor: Actor | None = None,
        known: Sequence[Entry] = (),  # noqa: ARG002 - as the store's
    ) -> Record:
        """Gather what would be written; the record is of no chain."""
        self.writes += writes
        self.replaces = self.replaces or any(expected.values())
        trust = (actor or self.actor).trust
        change = ChangeSet(
            op, writes, at=self.clock.now(), trust=trust, reason=reason, undoes=undoes
        )
        return change.to_record(self.backend.device, 0, expected)
