"""`reindex`, `scan` and `embed`: bring the index and the vectors in step with the files."""

from __future__ import annotations

_EMBEDDING_S = 0.5

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from engrain.engine.core.store import Store
    from engrain.engine.recall.embedding import Embedded
    from engrain.seam.derived import MaintenanceReport, Progress


def reindex(store: Store, progress: Progress | None = None) -> MaintenanceReport:
    """Rebuild the index from the files alone."""
    store.backend.recover()
    return store.upkeep.rebuild(progress)


def scan(store: Store, progress: Progress | None = None) -> MaintenanceReport:
    """Take in all that other programs changed in the vault, and give it vectors as far as a hook
    has the time."""
    report = store.upkeep.scan(progress)
    _embed_some(store)
    return report


def look(store: Store) -> None:
    """Take in what a look finds that other programs changed in the vault: no more than a hook has
    the time for, whatever the vault's size. Give new entries vectors likewise."""
    store.require_index(look=True)
    _embed_some(store)


def follow(store: Store, ended: Callable[[], bool]) -> None:
    """Take in the changes of other devices soon after they are made, until `ended`. Returns at once
    where the store can't give them."""
    for _ in store.backend.changes(ended):
        store.upkeep.drain()
        _embed_some(store)


def _embed_some(store: Store) -> None:
    if not store.vectors.wanted:
        return
    from engrain.engine.recall.embedding import embed_within

    embed_within(store, _EMBEDDING_S)


def embed(store: Store, progress: Progress | None = None, *, prune: bool = False) -> list[Embedded]:
    """Give every entry the vectors that it lacks, of each link of the chain that is used, and
    calibrate the silence of a vault that has none of them yet; `prune` drops the vectors of every
    other model."""
    from engrain.engine.recall.embedding import embed_everything
    from engrain.engine.recall.silence.calibrating import calibrate_first

    outcomes = embed_everything(store, progress, prune=prune)
    if any(one.added for one in outcomes):
        calibrate_first(store, words_alone=False)
    return outcomes
