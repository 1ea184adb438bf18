"""Checks the history of every device, link by link, and attests entries with the vault's key
(S3.8)."""

from __future__ import annotations

import json
from collections.abc import Callable, Container, Iterator, Sequence
from contextlib import suppress
from dataclasses import KW_ONLY, dataclass

from engrain.engine.core.attesting import list_unattested
from engrain.engine.core.batches import Batches
from engrain.engine.core.outcomes import KEPT
from engrain.engine.core.scope import count_origins
from engrain.engine.core.store import Actor, Store
from engrain.model.errors import EngrainError, HistoryError, NotFoundError
from engrain.model.history.line import BLANK, GENESIS, is_blank, open_line, split_change
from engrain.model.history.record import CANCELLED, HANDOVER, check_link, decode_record
from engrain.model.history.record import EXTERNAL as EXTERNAL_OP
from engrain.model.note.entry import read_entry
from engrain.model.note.note import BRANCH, base_device, hash_bytes
from engrain.model.note.tiers import ACTIVE, EXTERNAL, OPERATOR
from engrain.seam.changes import Write
from engrain.seam.derived import Progress
from engrain.seam.rows import Filter, Row
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
    """Check every device's chain."""
    excused = set(_find_excused(store))
    ends = list(_find_named(store))
    named = {one.device for one in ends}
    devices = sorted({*store.backend.heads(), *store.index.cursors(), *named})
    reports = [_verify_chain(store, device, excused) for device in devices]
    for report in reports:
        if not report.wrong and report.device in named:
            report.wrong = _miss_named(store, report.device, reports, ends)
    return reports


@dataclass(slots=True, eq=False)
class _Named:
    """A change that something outside its chain names, with the hash of its record, "" if that is
    not named."""

    device: str
    n: int
    hash: str
    by: str


def _find_named(store: Store) -> Iterator[_Named]:
    """Yield the changes that must be in the history: the end of each device's chain that took
    another id, that of this device by its own state, and each change that an undo took back."""
    if (noted := store.backend.noted_end()) is not None:
        yield _Named(*noted, "the state of this device")
    for device in store.backend.heads():
        first = next(store.backend.chain(device), None)
        with suppress(HistoryError):
            record = decode_record(first.line, None) if first is not None else None
            if record and record.op == HANDOVER:
                former, _, hash_ = (record.undoes or "").partition(":")
                if ended := split_change(former):
                    yield _Named(*ended, hash_, f"the change {record.change}")
    for change in store.index.changes(op="undo"):
        if undone := split_change(change.undoes or ""):
            yield _Named(*undone, "", f"the change {change.change}")


def _miss_named(
    store: Store, device: str, reports: Sequence[ChainReport], ends: Sequence[_Named]
) -> str | None:
    """Return what is missing of a device's chain and its branches, None if all is there that
    something names."""
    family = [one for one in reports if base_device(one.device) == base_device(device)]
    last = max(one.first + one.links - 1 for one in family)
    own = sorted((one for one in ends if one.device == device), key=lambda one: one.n)
    if own and own[-1].n > last:
        end = own[-1]
        if end.n == last + 1:
            return f"the change {end.n} at its end is missing, which {end.by} names"
        return f"the changes {last + 1} to {end.n} at its end are missing; {end.by} names the last"
    for one in own:
        if one.hash and not any(_is_at(store, chain.device, one) for chain in family):
            return f"the change {one.n} is not the one that {one.by} names"
    return None


def _is_at(store: Store, chain: str, named: _Named) -> bool:
    try:
        return hash_bytes(store.backend.find_change(chain, named.n).line) == named.hash
    except (NotFoundError, HistoryError):
        return False


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
    claims = store.vault.attestor.claims(store.backend.vault, open_line(link.line)[1])
    if not wrong and claims and not _is_attested(store, link):
        return _FOREIGN
    return wrong


def _is_attested(store: Store, link: ChainLink) -> bool:
    return link.vouched or store.vault.attestor.holds(store.backend.vault, *open_line(link.line))


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
        for op in [EXTERNAL_OP if change.op == CANCELLED else change.op]
    ):
        return "the record is not the one seen here before"
    lost = any(change.attested for change in seen) and not open_line(link.line)[1]
    if lost and not link.vouched:
        return "the record bore a code when it was seen here before"
    return None


@dataclass(slots=True, eq=False)
class Attestation:
    """The state of the vault's key: this device's id, whether it has the key, every device's chain,
    and the number of unattested active entries by tier."""

    device: str
    has_key: bool
    chains: Sequence[ChainReport]
    unattested: dict[str, int]


def survey_attestation(store: Store) -> Attestation:
    """Look up the state of the vault's key."""
    return Attestation(
        store.backend.device, has_key(store), verify_chains(store), count_unattested(store)
    )


def has_key(store: Store) -> bool:
    """Whether this device has the vault's key."""
    return bool(store.vault.attestor.sign(store.backend.vault, b""))


def count_unattested(store: Store) -> dict[str, int]:
    """Count the active entries without an attested record, by tier."""
    return {tier: len(list_unattested(store, tier)) for tier in ("T2", "T3")}


def recognise_key(store: Store, holds: Callable[[bytes, str], bool]) -> bool | None:
    """Whether any record has a code that `holds`; None where no record has a code."""
    known = None
    for device in store.backend.heads():
        for link in store.backend.chain(device):
            message, code = open_line(link.line)
            if code:
                known = holds(message, code)
            if known:
                return True
    return known


def attest_again(store: Store, progress: Progress | None = None) -> int:
    """Attest every entry anew, with the origin that its records name."""
    rows = store.index.find(Filter())
    told = (
        (row, row.source if row.attested else store.index.told_origin(row.id, row.hash))
        for row in rows
    )
    origins = [(row, origin) for row, origin in told if origin is not None]
    done: list[str] = []
    for origin in dict.fromkeys(origin for _, origin in origins):
        actor = Actor(store.actor.agent, origin)
        # If another writer was quicker, its own record names the entry.
        batches = Batches(store, "attest", actor, "", done.append, lambda *_: None)
        for row in (row for row, whose in origins if whose == origin):
            with suppress(EngrainError):
                stored = store.backend.read(row.locator)
                if stored.hash == row.hash:
                    write = Write(row.locator, stored.raw, row.id, stored.hash)
                    batches.add(row.locator, row.id, write)
            batches.flush_full()
            if progress:
                progress(len(done), len(origins))
        batches.flush()
    if progress:
        progress(len(done), len(origins))
    store.upkeep.rebuild()
    return sum(one != KEPT for one in done)


def list_outside(store: Store) -> list[Row]:
    """List the active entries that come from outside, newest first."""
    origin = count_origins(store)
    return [row for row in store.index.find(Filter(statuses=(ACTIVE,))) if origin(row) == EXTERNAL]


def attest_all(store: Store, reason: str = "") -> tuple[list[str], list[tuple[str, str]]]:
    """Attest every entry from outside in the operator's name, in one change; return their ids, and
    for each unreadable one its place and the reason. The caller has asked the operator."""
    ids: list[str] = []
    left = []
    actor = Actor(store.actor.agent, OPERATOR)
    batches = Batches(
        store.as_one_change(), "attest", actor, reason, ids.append, lambda *why: left.append(why)
    )
    for row in list_outside(store):
        try:
            stored = store.backend.read(row.locator)
            id_ = read_entry(row.locator, stored.raw).id
        except EngrainError as error:
            left.append((row.locator, error.message))
            continue
        batches.add(row.locator, id_, Write(row.locator, stored.raw, id_, stored.hash))
        batches.flush_full()
    batches.flush()
    return [id_ for id_ in ids if id_ != KEPT], left
