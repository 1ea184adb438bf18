"""Every live, active note in a stream, as often as it is asked for."""

from __future__ import annotations

from engrain.engine.scope import counted_origin
from engrain.model.errors import EngrainError
from engrain.model.json_note import JsonNote
from engrain.model.memo import Memo
from engrain.model.tiers import ACTIVE, LIVE
from engrain.seam.rows import Filter

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from engrain.engine.store import Store
    from engrain.seam.locator import Locator

_LIVE = Filter(statuses=(ACTIVE,), zones=(LIVE,))


class Memos:
    """The notes that are live and active, in the order of their ids; records are left out, which
    are told from their fields and have ways of their own. What they are is read when it is come to,
    so that no more than one is held; what came or went since is seen at the next beginning."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def __iter__(self) -> Iterator[Memo]:
        store = self._store
        known: list[tuple[str, Locator, str]] = [
            (row.id, row.locator, counted_origin(row, store.settings))
            for row in store.index.find(_LIVE)
            if row.locator.endswith(".md")
        ]
        known.sort()
        for id_, locator, trust in known:
            try:
                entry = store.read_entry(locator)
            except EngrainError:
                continue  # `doctor` tells of it
            if entry.id == id_ and not isinstance(entry.note, JsonNote):
                yield Memo(entry, trust)
