"""Devices and the vault's key: reports who attests what, attests anew, and lets the operator
vouch."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass

from engrain.engine.core.attesting import list_unattested
from engrain.engine.core.batches import Batches
from engrain.engine.core.outcomes import KEPT
from engrain.engine.core.scope import counted_origin
from engrain.engine.core.store import Actor, Store
from engrain.engine.history.verification import ChainReport, verify_chains
from engrain.model.errors import EngrainError
from engrain.model.history.attestation import open_line
from engrain.model.note.entry import read_entry
from engrain.model.note.tiers import ACTIVE, EXTERNAL, OPERATOR
from engrain.seam.derived import Progress
from engrain.seam.rows import Filter, Row
from engrain.seam.storage import Write


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
    return bool(store.attestor.sign(store.backend.vault, b""))


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
    """Attest every entry anew, with the origin that its records name; return the number. This is
    for a vault whose key was lost: the codes of its records can't be checked, so the history is
    believed. Edits by other programs stay unattested."""
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
    found = store.index.find(Filter(statuses=(ACTIVE,)))
    return [row for row in found if counted_origin(row, store.settings) == EXTERNAL]


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
