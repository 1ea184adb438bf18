"""Writes many entries in few commits, and leaves out entries that were erased in this vault.

An erased entry is recognised by its id, if Engrain made that (another tool's `note-1` may be many
notes).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field

from engrain.engine.core.outcomes import KEPT
from engrain.engine.core.store import Actor, Store, says_replaced
from engrain.model.errors import ConflictError, UsageError
from engrain.model.note.note import is_id
from engrain.seam.batches import Change
from engrain.seam.changes import Write

ERASED = "erased"
"""The outcome of an entry that is left out because it was erased."""
LEFT_OUT = "it was erased here, and no import brings it back"


class ErasedContents:
    """The erased entries of a vault, read once on first use."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._ids: set[str] | None = None

    def refuses_id(self, id_: str) -> bool:
        """Whether the entry of this id was erased."""
        if self._ids is None:
            self._ids = {change.entry for change in find_erasures(self._store)}
        return id_ in self._ids


def find_erasures(store: Store) -> list[Change]:
    """Return the erasures that this device believes: its own, and those of devices with a key of
    the vault. A device without a key can't check, and believes all."""
    device = store.backend.device
    return [
        change
        for change in store.index.erasures()
        if counts(store, change.change == f"{device}-{change.n}", change.attested)
    ]


def counts(store: Store, own: bool, attested: bool) -> bool:
    """Whether this device believes an erasure: it is its own, it is attested, or the device has no
    key to check it with."""
    return own or attested or not store.vault.attestor.sign(store.backend.vault, b"")


# Limits of one change: small enough for a segment, and for a hook to replay at once. Several
# changes are committed together, and share their disk flushes.
_FILES = 64
_BYTES = 256 * 1024
_TOGETHER = 8


@dataclass(slots=True, eq=False)
class Batches:
    """Gathers writes of one operation and commits them together. `_done` is called with the outcome
    of each write that was committed, `_lost` with the label of each that was not, and the
    reason."""

    _store: Store
    _op: str
    _actor: Actor
    _reason: str
    _done: Callable[[str], None]
    _lost: Callable[[str, str], None]
    _pending: list[tuple[str, str, Write]] = field(default_factory=list, init=False)
    _size: int = field(default=0, init=False)
    _full: list[list[tuple[str, str, Write]]] = field(default_factory=list, init=False)
    erased: ErasedContents = field(init=False)

    def __post_init__(self) -> None:
        self.erased = ErasedContents(self._store)

    def add(self, label: str, outcome: str, write: Write) -> bool:
        """Gather one more write. Return False if an import leaves it out because it was erased."""
        if self._op == "import" and is_id(write.entry) and self.erased.refuses_id(write.entry):
            self._done(ERASED)
            self._lost(label, LEFT_OUT)
            return False
        self._pending.append((label, outcome, write))
        self._size += len(write.after or b"")
        return True

    def flush_full(self) -> None:
        """Commit the gathered writes if there are enough of them. Raises what the store raises, so
        call it where an error must stop the whole import."""
        if len(self._pending) >= _FILES or self._size > _BYTES:
            self._end_change()
        if len(self._full) >= _TOGETHER:
            self._commit_full()

    def flush(self) -> None:
        """Commit all gathered writes."""
        self._end_change()
        self._commit_full()

    def _end_change(self) -> None:
        pending, self._pending, self._size = self._pending, [], 0
        if pending:
            self._full.append(pending)

    def _commit_full(self) -> None:
        full, self._full = self._full, []
        together: list[list[tuple[str, str, Write]]] = []
        for part in full:
            if any(says_replaced(write) for *_, write in part):
                # To check it for circles, the changes before it must be committed.
                self._commit_together(together)
                self._commit(part)
                together = []
            else:
                together.append(part)
        self._commit_together(together)

    def _commit_together(self, parts: Sequence[list[tuple[str, str, Write]]]) -> None:
        failed = None
        writes = [[write for *_, write in part] for part in parts]
        reasons = [self._reason] * len(writes)
        refused = self._store.commit_all(self._op, writes, reasons=reasons, actor=self._actor)
        for part, error in zip(parts, refused, strict=True):
            if error is None:
                self._count(part)
            elif isinstance(error, ConflictError):
                self._commit(part)
            else:
                failed = failed or error
        if failed:
            raise failed

    def _count(self, written: Iterable[tuple[str, str, Write]]) -> None:
        for _, outcome, _ in written:
            self._done(outcome)

    def _commit(self, pending: list[tuple[str, str, Write]]) -> None:
        writes = [write for *_, write in pending]
        try:
            self._store.commit(self._op, writes, reason=self._reason, actor=self._actor)
        except (ConflictError, UsageError) as error:
            # Another writer touched one of the files, or one of the entries would supersede itself
            # through others. The rest must not fail with it.
            if len(pending) > 1:
                for one in pending:
                    self._commit([one])
                return
            self._done(KEPT)
            self._lost(pending[0][0], error.message)
            return
        self._count(pending)
