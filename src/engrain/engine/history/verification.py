"""`verify`: checks the history of every device, link by link (S3.8)."""

from __future__ import annotations

from collections.abc import Container, Iterator
from dataclasses import KW_ONLY, dataclass

from engrain.engine.core.lineage import first_number, read_lineage
from engrain.engine.core.store import Store
from engrain.model.errors import HistoryError
from engrain.model.history.attestation import open_line
from engrain.model.history.cancelling import CANCELLED, EXTERNAL
from engrain.model.history.record import (
    BLANK,
    GENESIS,
    check_link,
    decode_record,
    is_blank,
    split_change,
)
from engrain.model.note.ids import BRANCH, base_device
from engrain.model.note.note import hash_bytes
from engrain.seam.storage import ChainLink

_UNEXPLAINED = "a payload is gone and no record says that it was erased"
_FOREIGN = "the record's code was not made with this vault's key"


@dataclass(slots=True, eq=False)
class ChainReport:
    """One device's chain: how many links hold, how many payloads were erased, what is wrong, how
    many links have a code of the vault's key (`attested`), how many took Engrain's own writing for
    another program's and are void (`cancelled`), and the number of its first link, which is more
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
    """The device and number of each change whose payload was erased, as the history says."""
    for change in store.index.changes(op="erase"):
        for blanked in (change.undoes or "").split():
            chain, n = split_change(blanked) or ("", 0)
            # A chain itself says what was erased of it: others' records are no proof. A branch has
            # no device that could still say so in it.
            own = base_device(chain) == base_device(change.device)
            if own or (BRANCH in chain and change.attested):
                yield base_device(chain), n


def _verify_chain(store: Store, device: str, excused: Container[tuple[str, int]]) -> ChainReport:
    links = erased = attested = 0
    first = first_number(store.backend, device)
    prev, wrong = GENESIS, None
    newest: ChainLink | None = None
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
    known = {change.n for change in store.index.changes(device=device)}
    if not wrong and known and max(known) > links:
        missing = sum(n > links for n in known)
        wrong = f"{missing} changes at its end, seen here before, are missing"
    void = {change.n for change in store.index.changes(device=device, op=CANCELLED)}
    links = max(0, links - first + 1)
    return ChainReport(device, links, erased, wrong, attested, len(void), first=first)


def _check_next(
    store: Store, link: ChainLink, prev: str, number: int, *, named: bool
) -> str | None:
    """What is wrong with a link that has to follow `prev`, or None; `named` says that a record
    names its payload as erased."""
    # Of a payload that is being erased some bytes may be blank and others not yet.
    wrong = check_link(link.line, BLANK if named else link.payload, prev, number)
    if not wrong and is_blank(link.payload) and not named:
        return _UNEXPLAINED
    claims = store.attestor.claims(store.backend.vault, open_line(link.line)[1])
    if not wrong and claims and not _is_attested(store, link):
        return _FOREIGN
    return wrong


def _is_attested(store: Store, link: ChainLink) -> bool:
    return store.attestor.holds(store.backend.vault, *open_line(link.line))


def _check_newest(store: Store, device: str, link: ChainLink) -> str | None:
    """What is wrong with the newest record, which none after it vouches for, or None."""
    try:
        record = decode_record(link.line, None)
    except HistoryError as error:
        return error.message
    if record.device != base_device(device):
        return f"the record is one of {record.device}"
    record.device = device  # names of changes are by chain
    told = (record.at, record.op, record.agent, record.trust, record.undoes, set(record.entries))
    seen = store.index.changes(change=record.change)
    entries = {change.entry for change in seen}
    if any(
        (change.at, op, change.agent, change.trust, change.undoes, entries) != told
        for change in seen
        # A void record is cancelled in the index, and external where it stands.
        for op in [EXTERNAL if change.op == CANCELLED else change.op]
    ):
        return "the record is not the one seen here before"
    lost = any(change.attested for change in seen) and not open_line(link.line)[1]
    if lost:
        return "the record bore a code when it was seen here before"
    return None
