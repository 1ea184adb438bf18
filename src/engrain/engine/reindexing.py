"""`reindex`, `scan` and `embed`: update the index and the vectors from the files."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from engrain.engine.recall.embedding import embed_everything, embed_within
from engrain.engine.recall.silence.calibration import calibrate_first
from engrain.model.errors import IndexUnavailableError

_EMBEDDING_S = 0.5
_ATTEMPTS = 5
_CURSORS = "cursors"
"""The table that differs while one index has changes that the other has not taken in yet."""

if TYPE_CHECKING:
    from engrain.engine.core.store import Store
    from engrain.engine.recall.embedding import Embedded
    from engrain.model.run_result import RunResult
    from engrain.seam.batches import TableDifference
    from engrain.seam.derived import Progress


def reindex(store: Store, progress: Progress | None = None) -> RunResult:
    """Rebuild the index from the files alone, and vectors that are damaged."""
    store.backend.recover()
    report = store.upkeep.rebuild(progress)
    vectors = store.models.vectors
    if vectors.exist() and vectors.wanted:
        whole = vectors.index.verify()
        if not (whole and vectors.index.models()):  # a recall that met damaged ones has left none
            embed_everything(store)
    return report


def compare_index(
    store: Store, progress: Progress | None = None, *, repair: bool = False
) -> list[TableDifference]:
    """Build a second index from the files, and compare all tables of the index in use with it."""
    store.require_index(scan=True)
    beside = store.index.beside()
    try:
        other = store.upkeep.fill(beside.index, progress)
        for _ in range(_ATTEMPTS):
            store.upkeep.scan()
            other.drain()
            found = beside.compare()
            if not any(one.table == _CURSORS for one in found):
                if found and repair:
                    beside.adopt()
                return found
    finally:
        beside.close()
    raise IndexUnavailableError(
        "other programs keep changing this vault, so its index can't be compared",
        remedy="try again once they are done",
    )


def scan(store: Store, progress: Progress | None = None) -> RunResult:
    """Index all changes by other programs in the vault, and embed some, as far as a hook has the
    time."""
    report = store.upkeep.scan(progress)
    _embed_some(store)
    return report


def look(store: Store) -> None:
    """Index the changes by other programs that a look finds: no more than a hook has the time for,
    whatever the vault's size. Embed new entries likewise."""
    store.require_index(look=True)
    _embed_some(store)


def follow(store: Store, ended: Callable[[], bool]) -> None:
    """Index the changes of other devices soon after they are made, until `ended`. It returns at
    once where the store can't report them."""
    for _ in store.backend.changes(ended):
        store.upkeep.drain()
        _embed_some(store)


def _embed_some(store: Store) -> None:
    if not store.models.vectors.wanted:
        return
    embed_within(store, _EMBEDDING_S)


def embed(store: Store, progress: Progress | None = None, *, prune: bool = False) -> list[Embedded]:
    """Embed every entry that lacks vectors, with each used embedder of the chain, and calibrate the
    silence of a vault that had no vectors; `prune` drops the vectors of all other models."""
    outcomes = embed_everything(store, progress, prune=prune)
    if any(one.added for one in outcomes):
        calibrate_first(store)
    return outcomes
