"""`verify`: checks the history of every device, link by link, and exports extracts that others can
check (S3.8)."""

from __future__ import annotations

import json
from collections.abc import Container, Iterator
from dataclasses import KW_ONLY, dataclass
from hashlib import sha256
from itertools import islice

from engrain.engine.core.store import Store
from engrain.engine.history.history import list_changes
from engrain.model.errors import HistoryError, NotFoundError
from engrain.model.history.attestation import open_line
from engrain.model.history.extracts import WITHHELD, erased_by, write_header, write_trailer
from engrain.model.history.record import (
    BLANK,
    CANCELLED,
    EXTERNAL,
    GENESIS,
    check_link,
    decode_record,
    is_blank,
    split_change,
)
from engrain.model.note.ids import BRANCH, base_device
from engrain.model.note.note import hash_bytes
from engrain.seam.storage import ChainLink, StorageBackend


def read_lineage(backend: StorageBackend, chain: str) -> Iterator[ChainLink]:
    """Yield every record that led to the newest one of a chain, in order; without the earlier part
    of a branch where it can't be found."""
    own = backend.chain(chain)
    if BRANCH in chain and (first := next(own, None)) is not None:
        yield from _read_ancestors(backend, chain, first)
        yield first
    yield from own


def first_number(backend: StorageBackend, chain: str) -> int:
    """Return the number of a chain's first record: 1, or for a branch the number where it left its
    chain."""
    first = next(backend.chain(chain), None) if BRANCH in chain else None
    return _read_place(first)[0] if first is not None else 1


def _read_ancestors(backend: StorageBackend, chain: str, first: ChainLink) -> Iterator[ChainLink]:
    n, prev = _read_place(first)
    family = [name for name in backend.heads() if base_device(name) == base_device(chain)]
    for name in family:
        try:
            parent = backend.find_change(name, n - 1)
        except (NotFoundError, HistoryError):
            continue
        if name != chain and hash_bytes(parent.line) == prev:
            for link in read_lineage(backend, name):
                yield link
                if link.line == parent.line:
                    return


def _read_place(link: ChainLink) -> tuple[int, str]:
    """Return the number of a record, and the hash of the one before it; 1 and "" for no record."""
    try:
        head = json.loads(link.line)
        return int(head["n"]), str(head["prev"])
    except (ValueError, KeyError, TypeError, RecursionError):
        return 1, ""


_UNEXPLAINED = "a payload is gone and no record says that it was erased"
_FOREIGN = "the record's code was not made with this vault's key"


@dataclass(slots=True, eq=False)
class ChainReport:
    """One device's chain: the number of valid links and of erased payloads, the error, the number
    of links with a code of the vault's key (`attested`), of void ones that took Engrain's own
    writing for another program's (`cancelled`), and the number of its first link, which is more
    than 1 for a branch."""

    device: str
    links: int
    erased: int
    wrong: str | None
    attested: int = 0
    cancelled: int = 0
    _: KW_ONLY
    first: int = 1


def verify_chains(store: Store) -> list[ChainReport]:
    """Check every device's chain: each link follows the one before, each payload is the one
    recorded, an erased payload is named by a record, and codes of the vault's key are genuine. A
    record without a code is sound, but attests nothing."""
    excused = set(_find_excused(store))
    devices = sorted({*store.backend.heads(), *store.index.cursors()})
    return [_verify_chain(store, device, excused) for device in devices]


def _find_excused(store: Store) -> Iterator[tuple[str, int]]:
    """Yield the device and number of each change whose payload was erased by the history."""
    known = store.backend.capabilities.authenticated
    for change in store.index.changes(op="erase"):
        for blanked in (change.undoes or "").split():
            chain, n = split_change(blanked) or ("", 0)
            # A chain itself names its erased payloads: other devices' records are no proof, unless
            # the store authenticates its writers. A branch has no device that could still write it.
            own = base_device(chain) == base_device(change.device)
            if own or (change.attested and (known or BRANCH in chain)):
                yield base_device(chain), n


def _verify_chain(store: Store, device: str, excused: Container[tuple[str, int]]) -> ChainReport:
    links = erased = attested = 0
    first = first_number(store.backend, device)
    prev, wrong = GENESIS, None
    newest = None
    for newest in read_lineage(store.backend, device):
        own = links + 1 >= first
        named = (base_device(device), links + 1) in excused
        wrong = _check_next(store, newest, prev, links + 1, named=named)
        erased += own and is_blank(newest.payload) and wrong in (None, _UNEXPLAINED, _FOREIGN)
        if wrong:
            break
        attested += own and _is_attested(store, newest)
        links += 1
        prev = hash_bytes(newest.line)
    if wrong:
        wrong = f"at {device}-{links + 1}: {wrong}"
    elif newest and (wrong := _check_newest(store, device, newest)):
        wrong = f"at {device}-{links}: {wrong}"
    wrong = "; ".join(filter(None, [wrong, *store.backend.unread(device)])) or None
    missing = {change.n for change in store.index.changes(device=device, after=links)}
    if not wrong and missing:
        wrong = f"{len(missing)} changes at its end, seen here before, are missing"
    void = {change.n for change in store.index.changes(device=device, op=CANCELLED)}
    links = max(0, links - first + 1)
    return ChainReport(device, links, erased, wrong, attested, len(void), first=first)


def _check_next(
    store: Store, link: ChainLink, prev: str, number: int, *, named: bool
) -> str | None:
    """Return the error of a link that has to follow `prev`, or None; `named` is whether a record
    names its payload as erased."""
    # A payload that is being erased may be partly blank.
    wrong = check_link(link.line, BLANK if named else link.payload, prev, number)
    if not wrong and is_blank(link.payload) and not named:
        return _UNEXPLAINED
    claims = store.attestor.claims(store.backend.vault, open_line(link.line)[1])
    if not wrong and claims and not _is_attested(store, link):
        return _FOREIGN
    return wrong


def _is_attested(store: Store, link: ChainLink) -> bool:
    return link.vouched or store.attestor.holds(store.backend.vault, *open_line(link.line))


def _check_newest(store: Store, device: str, link: ChainLink) -> str | None:
    """Return the error of the newest record, which no later one confirms, or None."""
    try:
        record = decode_record(link.line, None)
    except HistoryError as error:
        return error.message
    if record.device != base_device(device):
        return f"the record is one of {record.device}"
    record.device = device  # names of changes are by chain
    own = (record.at, record.op, record.agent, record.trust, record.undoes)
    recorded = (*own, set(record.entries))
    seen = store.index.changes(change=record.change)
    entries = {change.entry for change in seen}
    if any(
        (change.at, op, change.agent, change.trust, change.undoes, entries) != recorded
        for change in seen
        # A void record is cancelled in the index, and external where it stands.
        for op in [EXTERNAL if change.op == CANCELLED else change.op]
    ):
        return "the record is not the one seen here before"
    lost = any(change.attested for change in seen) and not open_line(link.line)[1]
    if lost and not link.vouched:
        return "the record bore a code when it was seen here before"
    return None


def make_extract(
    store: Store, reference: str | None = None, *, payloads: bool = True
) -> Iterator[bytes]:
    """Yield the lines of an extract, each with its line end. About one entry it has the payloads of
    changes of that entry and its predecessors and successors; a payload with other entries is
    withheld, and without `payloads` all are. Raises NotFoundError when the history has nothing
    about the entry; HistoryError."""
    entry = None if reference is None else list_changes(store, reference, 1)[0].entry
    return _Survey(store, entry).write(store, payloads=payloads)


class _Survey:
    """The heads, erased changes and related entries, which are needed before the first line."""

    def __init__(self, store: Store, entry: str | None) -> None:
        self.entry = entry
        self.heads: dict[str, tuple[int, str]] = {}
        self.erased: set[str] = set()
        self.kin = {entry} if entry else set()
        for device in sorted(store.backend.heads()):
            links, head = 0, GENESIS
            for link in read_lineage(store.backend, device):
                links, head = links + 1, hash_bytes(link.line)
                record = decode_record(link.line, None)
                self.erased |= erased_by(record)
                if record.op == "evolve" and self.entry in record.entries:
                    self.kin |= set(record.entries)
            self.heads[device] = links, head

    def write(self, store: Store, *, payloads: bool) -> Iterator[bytes]:
        digest = sha256()
        for line in self._lines(store, payloads=payloads):
            digest.update(line + b"\n")
            yield line + b"\n"
        yield write_trailer(digest.hexdigest()) + b"\n"

    def _lines(self, store: Store, *, payloads: bool) -> Iterator[bytes]:
        yield write_header(store.backend.vault, self.entry, self.heads)
        for device, (links, _) in self.heads.items():
            # The header does not count what was recorded since the survey.
            for link in islice(read_lineage(store.backend, device), links):
                yield link.line
                yield self._payload(link) if payloads else WITHHELD

    def _payload(self, link: ChainLink) -> bytes:
        record = decode_record(link.line, None)
        if self.entry is not None and not set(record.entries) <= self.kin:
            return WITHHELD
        if is_blank(link.payload) or record.change in self.erased:
            return BLANK
        return link.payload
