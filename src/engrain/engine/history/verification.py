"""`verify`: the history of every device shown to be unbroken, link by link (S3.8)."""

from __future__ import annotations

from collections.abc import Container, Iterator

from engrain.engine.core.lineage import first_number, read_lineage
from engrain.engine.core.outcomes import ChainReport
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
from engrain.seam.search import Change
from engrain.seam.storage import ChainLink


def verify_chains(store: Store) -> list[ChainReport]:
    """Check every device's chain: each link follows the one before, each payload is the one
    recorded, one that was erased is named by a record that says so, and a code that claims to be
    of the vault's key is. A record without one is sound, and attests nothing."""
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
        named = (base_device(device), links + 1) in excused
        own = links + 1 >= first
        # Of a payload that is being erased some bytes may be blank and others not yet.
        payload = BLANK if named else newest.payload
        wrong = check_link(newest.line, payload, prev, links + 1)
        if not wrong and is_blank(newest.payload):
            erased += own
            if not named:
                wrong = "a payload is gone and no record says that it was erased"
        message, code = open_line(newest.line)
        held = store.attestor.holds(store.backend.vault, message, code)
        if not wrong and not held and store.attestor.claims(store.backend.vault, code):
            wrong = "the record's code was not made with this vault's key"
        if wrong:
            break
        attested += held and own
        links += 1
        prev = hash_bytes(newest.line)
    if wrong:
        wrong = f"at {device}-{links + 1}: {wrong}"
    elif newest and (wrong := _check_newest(store, device, newest)):
        wrong = f"at {device}-{links}: {wrong}"
    wrong = "; ".join([*([wrong] if wrong else ()), *store.backend.unread(device)]) or None
    missing = {change.n for change in store.index.changes(device=device) if change.n > links}
    if not wrong and missing:
        wrong = f"{len(missing)} changes at its end, seen here before, are missing"
    void = {change.n for change in store.index.changes(device=device, op=CANCELLED)}
    links = max(0, links - first + 1)
    return ChainReport(device, links, erased, wrong, attested, len(void), first=first)


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
        (change.at, _recorded_op(change), change.agent, change.trust, change.undoes, entries)
        != told
        for change in seen
    ):
        return "the record is not the one seen here before"
    lost = any(change.attested for change in seen) and not open_line(link.line)[1]
    if lost:
        return "the record bore a code when it was seen here before"
    return None


def _recorded_op(change: Change) -> str:
    """The operation that a change's record bears, where the index knows it to be void."""
    return EXTERNAL if change.op == CANCELLED else change.op
