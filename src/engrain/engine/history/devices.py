"""Devices and the vault's key: reports who attests what, and attests anew when a key was lost."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from engrain.engine.core.attesting import list_unattested
from engrain.engine.core.store import Actor, Store
from engrain.engine.history.verification import ChainReport, verify_chains
from engrain.model.errors import ConflictError, EngrainError
from engrain.model.history.attestation import open_line
from engrain.seam.derived import Progress
from engrain.seam.locator import Locator
from engrain.seam.rows import Filter, Row
from engrain.seam.storage import Write

# A commit attests so much: large enough to share its disk flushes, small enough for a segment.
_FILES = 64
_BYTES = 256 * 1024


@dataclass(slots=True, eq=False)
class Attestation:
    """The state of the vault's key: this device's id, whether it has the key, every device's chain,
    and by tier how many active entries no attested record explains."""

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
    """By tier, how many active entries no attested record explains."""
    return {tier: len(list_unattested(store, tier)) for tier in ("T2", "T3")}


def recognise_key(store: Store, holds: Callable[[bytes, str], bool]) -> bool | None:
    """Whether any record has a code that `holds`; None where no record has a code."""
    known: bool | None = None
    for device in store.backend.heads():
        for link in store.backend.chain(device):
            message, code = open_line(link.line)
            if code:
                known = holds(message, code)
            if known:
                return True
    return known


def attest_again(store: Store, progress: Progress | None = None) -> int:
    """Attest every entry anew, with the origin its records name; returns how many.

    For a vault whose key was lost: the codes of its records can no longer be checked, so the
    history is believed. What another program wrote stays unattested.
    """
    told = list(_tell(store))
    done = 0
    for origin in dict.fromkeys(origin for _, origin in told):
        rows = [row for row, its in told if its == origin]
        while rows:
            done += _attest_batch(store, rows, origin)
            if progress:
                progress(done, len(told))
    store.upkeep.rebuild()
    return done


def _tell(store: Store) -> Iterator[tuple[Row, str]]:
    for row in store.index.find(Filter()):
        told = row.source if row.attested else store.index.told_origin(row.id, row.hash)
        if told is not None:
            yield row, told


def _attest_batch(store: Store, rows: list[Row], origin: str) -> int:
    """Attest some of `rows`, which are taken off it; how many still were what the index knows."""
    writes: list[Write] = []
    expected: dict[Locator, str | None] = {}
    taken: list[Row] = []
    size = 0
    while rows and len(writes) < _FILES and size < _BYTES:
        row = rows.pop()
        try:
            stored = store.backend.read(row.locator)
        except EngrainError:
            continue
        if stored.hash == row.hash:
            taken.append(row)
            writes.append(Write(row.locator, stored.raw, row.id))
            expected[row.locator] = stored.hash
            size += len(stored.raw)
    if not writes:
        return 0
    try:
        store.commit("attest", writes, expected, actor=Actor(store.actor.agent, origin))
    except ConflictError:
        # Another writer touched one of them: that one's own record tells of it.
        alone = len(taken) == 1
        return 0 if alone else sum(_attest_batch(store, [row], origin) for row in taken)
    return len(writes)
