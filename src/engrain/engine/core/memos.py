"""Every live, active note in a stream, as often as it is asked for."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from engrain.engine.core.scope import counted_origin
from engrain.engine.core.store import Store
from engrain.model.errors import EngrainError
from engrain.model.note.json_note import JsonNote
from engrain.model.note.memo import Memo
from engrain.seam.locator import Locator
from engrain.seam.rows import CURRENT

_HELD = 48 * 1024 * 1024
"""Bytes of notes that are held, about, so that going over them again need not read them again."""
_OVERHEAD = 1500
"""Bytes that a note takes beside its text, about."""


class StoppedError(Exception):
    """Whoever goes over all notes is to stop."""


class Memos:
    """The notes that are live and active as it is made, in the order of their ids; records are left
    out, which are told from their fields and have ways of their own. They are read as they are come
    to. Of a small vault they are held then; of a large one the first, and the others are read
    anew each time. Raises StoppedError at the next one where `stopped`."""

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
        try:
            entry = self._store.read_entry(locator)
        except EngrainError:
            return None  # `doctor` tells of it
        if entry.id != id_ or isinstance(entry.note, JsonNote):
            return None
        return Memo(entry, trust)
