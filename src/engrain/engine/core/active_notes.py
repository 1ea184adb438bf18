"""Reads every live, active note in turn, as often as needed."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from engrain.engine.core.scope import counted_origin
from engrain.engine.core.store import Store
from engrain.model.note.json_note import JsonNote
from engrain.model.note.memo import Memo
from engrain.seam.locator import Locator
from engrain.seam.rows import CURRENT

_HELD = 48 * 1024 * 1024
"""Bytes of notes that are held, about, so that going over them again need not read them again."""
_OVERHEAD = 1500
"""Bytes that a note takes beside its text, about."""


class StoppedError(Exception):
    """Raised in a pass over all notes that is to stop."""


class ActiveNotes:
    """The notes that are live and active when it is made, in the order of their ids, without
    records. They are read as they are iterated; as many as fit into memory are held for the next
    pass. Raises StoppedError at the next note once `stopped` says so."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self.stopped: Callable[[], bool] = lambda: False
        self._held: dict[str, Memo | None] = {}
        self._room = _HELD
        self._known: list[tuple[str, Locator, str]] = sorted(
            (row.id, row.locator, counted_origin(row, store.settings))
            for row in store.index.find(CURRENT.replace(successions=0))
            if row.locator.endswith(".md")
        )

    def __iter__(self) -> Iterator[Memo]:
        held = self._held
        for id_, locator, trust in self._known:
            if self.stopped():
                raise StoppedError
            if locator in held:
                memo = held[locator]
            else:
                memo = self._read(id_, locator, trust)
                if self._room > 0:
                    self._room -= _OVERHEAD + (len(memo.text) if memo else 0)
                    held[locator] = memo
            if memo is not None:
                yield memo

    def _read(self, id_: str, locator: Locator, trust: str) -> Memo | None:
        entry = self._store.find_entry(locator)
        if entry is None or entry.id != id_ or isinstance(entry.note, JsonNote):
            return None
        return Memo(entry, trust)
