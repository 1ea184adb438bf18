"""The `ram` backend: the reference store, which lives in this process and ends with it.

All openers of one location share one store, and closing does not remove it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from threading import Lock, RLock

from engrain.model.errors import MalformedError, NotFoundError, StorageError, VaultUnavailableError
from engrain.model.history.line import BLANK, GENESIS, is_blank
from engrain.model.history.record import FileChange, Record, encode_record
from engrain.model.note.note import MAX_NOTE_BYTES, encode, hash_bytes
from engrain.model.note.tiers import Naming
from engrain.seam.changes import ChangeSet, own_numbers
from engrain.seam.locator import Locator, make_locator
from engrain.seam.looks import Seen
from engrain.seam.storage import (
    BackendRequest,
    Capabilities,
    ChainLink,
    Group,
    StorageBackend,
    Stored,
    make_conflict,
)


class _Store:
    """The store that all openers of one location share; `mutex` guards the other attributes."""

    __slots__ = ("chains", "changes", "files", "mutex", "vault")

    def __init__(self, vault: str) -> None:
        self.vault = vault
        self.mutex = RLock()  # reentrant: a commit that makes the vault's key reads the chains
        self.files: dict[Locator, Stored] = {}
        self.chains: dict[str, list[ChainLink]] = {}
        self.changes = 0


_STORES: dict[str, _Store] = {}
_STORES_MUTEX = Lock()


def open_backend(request: BackendRequest) -> StorageBackend:
    """Open the store named `request.location`. Raises VaultUnavailableError if there is none."""
    return RamBackend(request)


class RamBackend(StorageBackend):
    """A store in memory."""

    def __init__(self, request: BackendRequest) -> None:
        self.capabilities = Capabilities(durable=False, edited_outside=False, shared=False)
        self.device = request.device
        self._location = request.location
        self._entropy = request.entropy
        self._attestor = request.attestor
        self._read_only = request.read_only
        self._store = _find_store(request)
        self.vault = self.key = self._store.vault

    def describe(self, locator: Locator | None = None) -> str:
        return f"{self._location}, {locator}" if locator else self._location

    def read(self, locator: Locator) -> Stored:
        place = make_locator(locator)
        with self._store.mutex:
            stored = self._store.files.get(place)
        if stored is None:
            raise NotFoundError(f"nothing at {place}", path=place)
        if len(stored.raw) > MAX_NOTE_BYTES:
            raise MalformedError(
                f"file of {len(stored.raw)} bytes is over the limit of {MAX_NOTE_BYTES}",
                reason="too-large",
                path=place,
                remedy="split the note",
            )
        return stored

    def groups(self) -> Iterator[Group]:
        # No file here is hidden, since a checked locator has no part that begins with a dot.
        with self._store.mutex:
            files = list(self._store.files.items())
            fingerprint = str(self._store.changes)
        seen = [
            Seen(place, file.stamp)
            for place, file in files
            if Naming(place.folder).admits(place.name)
        ]
        yield _RamGroup(fingerprint, seen)

    def commit(self, change: ChangeSet) -> Record:
        if self._read_only:
            raise StorageError(
                "the store is opened read-only; nothing was changed",
                path=self._location,
                remedy="open it for writing",
            )
        for write in change.writes:
            make_locator(write.locator)
        store = self._store
        with store.mutex:
            for write in change.writes:
                stored = store.files.get(write.locator)
                if (stored and stored.hash) != write.before:
                    raise make_conflict(write.locator)
            links = store.chains.get(self.device, [])
            record = change.to_record(self.device, len(links) + 1)
            prev = hash_bytes(links[-1].line) if links else GENESIS
            line, payload = encode_record(record, prev, self._entropy(16).hex(), self._sign)
            links.append(ChainLink(line, payload, hash_bytes(line)))
            store.chains[self.device] = links
            for file in record.files or ():
                self._put(file)
        return record

    def recover(self) -> list[Record]:
        return []

    def heads(self) -> dict[str, str]:
        with self._store.mutex:
            return {device: links[-1].cursor for device, links in self._store.chains.items()}

    def chain(self, device: str, after: str | None = None) -> Iterator[ChainLink]:
        with self._store.mutex:
            links = self._store.chains.get(device, [])
            known = len(links) if after else 0
            while known and links[known - 1].cursor != after:
                known -= 1
            behind = links[known:]
        yield from behind

    def find_change(self, device: str, n: int) -> ChainLink:
        with self._store.mutex:
            links = self._store.chains.get(device, [])
            if 0 < n <= len(links):
                return links[n - 1]
        raise NotFoundError(f"no change {device}-{n} in the history")

    def erase(self, changes: Iterable[str]) -> list[str]:
        erased = []
        with self._store.mutex:
            links = self._store.chains.get(self.device, [])
            for n in own_numbers(self.device, changes):
                if n <= len(links) and not is_blank((link := links[n - 1]).payload):
                    links[n - 1] = ChainLink(link.line, BLANK, link.cursor)
                    erased.append(f"{self.device}-{n}")
        return erased

    def probe(self) -> str | None:
        return "the store is opened read-only" if self._read_only else None

    def close(self) -> None:
        return

    def _sign(self, message: bytes) -> str:
        return self.sign_record(self._attestor, message)

    def _put(self, file: FileChange) -> None:
        """Store or remove one file of a change; the caller holds the mutex."""
        place = Locator(file.path)
        if file.after is None or file.after_hash is None:
            self._store.changes += 1
            self._store.files.pop(place, None)
        elif file.after_hash != file.before_hash:
            self._store.changes += 1
            stamp = str(self._store.changes)
            self._store.files[place] = Stored(file.after, file.after_hash, stamp, settled=True)


class _RamGroup(Group):
    """The whole store."""

    __slots__ = ("_seen",)

    def __init__(self, fingerprint: str, seen: list[Seen]) -> None:
        super().__init__("", fingerprint, len(seen))
        self._seen = seen

    def seen(self) -> list[Seen]:
        return self._seen


def _find_store(request: BackendRequest) -> _Store:
    with _STORES_MUTEX:
        store = _STORES.get(request.location)
        if store is None:
            if not request.create:
                raise VaultUnavailableError(
                    f"no store in memory at {request.location}",
                    path=request.location,
                    remedy="run `engrain init`",
                )
            store = _Store(encode(int.from_bytes(request.entropy(10), "big"), 16))
            _STORES[request.location] = store
        return store
