"""Reads all active notes one after another, in as many passes as a caller needs."""

from __future__ import annotations

import pickle  # only for data that this process wrote to a file that nobody else can open
from array import array
from bisect import bisect_left
from collections.abc import Callable, Iterator
from dataclasses import replace

from engrain.engine.core.scope import counted_origin
from engrain.engine.core.store import Store
from engrain.model.note.entry import Entry
from engrain.model.note.json_note import JsonNote
from engrain.seam.locator import Locator
from engrain.seam.rows import CURRENT


class Memo:
    """The fields and the text of a note, without its bytes, for passes over all notes.

    Times are seconds since the epoch, None if unknown. `trust` is the origin that counts for the
    note, `session` the session that saved it ("" if unknown), `locator` its place.
    """

    __slots__ = (
        "created", "derived_from", "id", "kind", "links", "locator", "project", "recall_count",
        "session", "slug", "status", "supersedes", "tags", "text", "tier", "title", "trust",
        "updated", "valid_from", "valid_to",
    )  # fmt: skip

    def __init__(self, entry: Entry, trust: str) -> None:
        self.id = entry.id
        self.locator = entry.path
        self.title = entry.title
        self.text = entry.text
        self.slug = entry.slug
        self.kind = entry.kind
        self.tier = entry.tier
        self.project = entry.project
        self.tags = entry.tags
        self.created = entry.created
        self.updated = entry.updated
        self.valid_from = entry.valid_from
        self.valid_to = entry.valid_to
        self.trust = trust
        self.status = entry.status
        self.supersedes = entry.supersedes
        self.derived_from = entry.derived_from
        self.links = entry.links
        self.recall_count = entry.recall_count
        self.session = str(entry.source.get("ref") or "")


class StoppedError(Exception):
    """Raised in a pass over all notes that was asked to stop."""


class ActiveNotes:
    """The live, active notes when this is created, by id, without records. Each is read and parsed
    once, in the first pass, and kept in a temporary file without a name for further passes, so that
    memory does not grow with the text of a vault.
    A pass raises StoppedError at the next note once `stopped` returns True."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._spool = store.device.local.open_scratch()
        self.stopped: Callable[[], bool] = lambda: False
        known: list[tuple[str, Locator, str]] = sorted(
            (row.id, row.locator, counted_origin(row, store))
            for row in store.index.find(replace(CURRENT, successions=0))
            if row.locator.endswith(".md")
        )
        self._ids = [id_ for id_, _, _ in known]
        self._unread = [(locator, trust) for _, locator, trust in reversed(known)]
        self._ends = array("Q", (0,))

    def __del__(self) -> None:
        self._spool.close()

    def __iter__(self) -> Iterator[Memo]:
        for at in range(len(self._ids)):
            if self.stopped():
                raise StoppedError
            memo = self._load(at)
            if memo is not None:
                yield memo

    def find(self, id_: str) -> Memo | None:
        """Return the note of an id, None if it is not among the notes read so far."""
        at = bisect_left(self._ids, id_, hi=len(self._ends) - 1)
        return self._load(at) if at < len(self._ends) - 1 and self._ids[at] == id_ else None

    def _load(self, at: int) -> Memo | None:
        if at + 1 == len(self._ends):
            memo = self._read(self._ids[at], *self._unread.pop())
            self._ends.append(self._spool.seek(0, 2) + self._spool.write(_pack(memo)))
            return memo
        begin = self._spool.seek(self._ends[at])
        packed = self._spool.read(self._ends[at + 1] - begin)
        return pickle.loads(packed) if packed else None  # noqa: S301 - see above

    def _read(self, id_: str, locator: Locator, trust: str) -> Memo | None:
        entry = self._store.find_entry(locator)
        if entry is None or entry.id != id_ or isinstance(entry.note, JsonNote):
            return None
        return Memo(entry, trust)


def _pack(memo: Memo | None) -> bytes:
    return b"" if memo is None else pickle.dumps(memo, pickle.HIGHEST_PROTOCOL)
