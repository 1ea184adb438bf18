"""Imports leave out what was erased: it is known by keyed codes of what it said, or by its id where
Engrain made that (another tool's `note-1` may be many notes).

Every way in that takes another program's files asks here before it writes: `Batches`, the bridge to
Claude Code's memory, skills and transcripts. `Store.allowing_erased` lets everything through.
"""

from __future__ import annotations

from collections.abc import Iterable

from engrain.engine.core.store import Store
from engrain.model.errors import EngrainError, ErasedError
from engrain.model.history.tombstone import (
    PREFIX,
    codes_of,
    content_message,
    content_messages,
    seal_message,
)
from engrain.model.note.entry import read_entry
from engrain.model.note.ids import is_id
from engrain.seam.locator import Locator
from engrain.seam.search import Change
from engrain.seam.storage import Write

ERASED = "erased"
"""The outcome of what is left out."""
LEFT_OUT = "it was erased here: --allow-erased takes it in again"


class ErasedContents:
    """What was erased of a vault, read once, when it is first asked for."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._ids: set[str] | None = None
        self._codes: set[str] = set()

    def refuses(self, write: Write) -> bool:
        """Whether a file that an import would write was erased, by its id or by what it says."""
        if write.after is None or not self._known():
            return False
        if is_id(write.entry) and write.entry in (self._ids or ()):
            return True
        try:
            entry = read_entry(write.locator, write.after)
        except EngrainError:
            return False
        seal = seal_message(entry)
        return self._has([*content_messages(entry), *([seal] if seal else [])])

    def refuses_id(self, id_: str) -> bool:
        """Whether the entry of this id was erased."""
        return self._known() and id_ in (self._ids or ())

    def refuses_text(self, text: str) -> bool:
        """Whether a statement was erased, such as a fact of an entity."""
        return self._known() and self._has([content_message(text)])

    def check(self, write: Write) -> None:
        """Raise ErasedError for what `refuses` refuses."""
        if self.refuses(write):
            raise ErasedError(LEFT_OUT, entry=write.entry)

    def _known(self) -> bool:
        """Whether anything was erased that an import must ask for; reads the tombstones."""
        if self._ids is None:
            self._ids = set()
            if not self._store.allows_erased:
                self._ids = {change.entry for change in find_erasures(self._store)}
            for id_ in self._ids:
                for row in self._store.index.lookup(id_):
                    if row.locator.name.startswith(PREFIX):
                        self._read(row.locator)
        return bool(self._ids)

    def _read(self, place: Locator) -> None:
        if tombstone := self._store.find_entry(place):
            self._codes.update(codes_of(tombstone, "contents"), codes_of(tombstone, "seals"))

    def _has(self, messages: Iterable[bytes]) -> bool:
        sign, vault = self._store.attestor.sign, self._store.backend.vault
        return bool(self._codes) and any(sign(vault, one) in self._codes for one in messages)


def find_erasures(store: Store) -> list[Change]:
    """The changes that erase: this device's own, and those of others that hold a key of the vault.
    A device without a key can't tell, and believes all of them."""
    device = store.backend.device
    return [
        change
        for change in store.index.erasures()
        if counts(store, change.change == f"{device}-{change.n}", change.attested)
    ]


def counts(store: Store, own: bool, attested: bool) -> bool:
    """Whether a device believes a change that erases: its own, or one that is attested."""
    return own or attested or not store.attestor.sign(store.backend.vault, b"")
