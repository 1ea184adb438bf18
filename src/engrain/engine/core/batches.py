"""Writes many entries in few commits."""

from __future__ import annotations

from collections.abc import Callable

from engrain.engine.core.erased_contents import ERASED, LEFT_OUT, ErasedContents
from engrain.engine.core.outcomes import KEPT
from engrain.engine.core.store import Actor, Store
from engrain.model.errors import ConflictError, UsageError
from engrain.seam.locator import Locator
from engrain.seam.storage import Write

# A commit takes in so much: large enough to share its disk flushes, small enough for a segment.
_FILES = 64
_BYTES = 256 * 1024


class Batches:
    """Gathers writes of one `op` and commits them together. `done` gets the outcome of each once it
    is written; `lost` gets the label of one that is not, and the reason."""

    def __init__(
        self,
        store: Store,
        op: str,
        actor: Actor,
        reason: str,
        done: Callable[[str], None],
        lost: Callable[[str, str], None],
    ) -> None:
        self._store = store
        self._op = op
        self._actor = actor
        self._reason = reason
        self._done = done
        self._lost = lost
        self._pending: list[tuple[str, str, Write, str | None]] = []
        self._size = 0
        self.erased = ErasedContents(store)

    def add(self, label: str, outcome: str, write: Write, expected: str | None) -> bool:
        """Gather one more write, over bytes of the hash `expected` (None: no file). Returns False
        where an import leaves it out because it was erased."""
        if self._op == "import" and self.erased.refuses(write):
            self.leave_out(label)
            return False
        self._pending.append((label, outcome, write, expected))
        self._size += len(write.after or b"")
        return True

    def leave_out(self, label: str) -> None:
        """Report that something was left out because it was erased."""
        self._done(ERASED)
        self._lost(label, LEFT_OUT)

    def flush_full(self) -> None:
        """Commit what was gathered, if it is enough. Raises what the store raises, so call it where
        an error must stop the whole import."""
        if len(self._pending) >= _FILES or self._size > _BYTES:
            self.flush()

    def flush(self) -> None:
        """Commit what was gathered."""
        pending, self._pending, self._size = self._pending, [], 0
        if pending:
            self._commit(pending)

    def _commit(self, pending: list[tuple[str, str, Write, str | None]]) -> None:
        expected: dict[Locator, str | None] = {
            write.locator: before for _, _, write, before in pending
        }
        writes = [write for _, _, write, _ in pending]
        try:
            self._store.commit(self._op, writes, expected, reason=self._reason, actor=self._actor)
        except (ConflictError, UsageError) as error:
            # Another writer touched one of them, or it would close a circle of what supersedes
            # what: the others must not wait for it.
            if len(pending) > 1:
                for one in pending:
                    self._commit([one])
                return
            self._done(KEPT)
            self._lost(pending[0][0], error.message)
            return
        for _, outcome, _, _ in pending:
            self._done(outcome)
