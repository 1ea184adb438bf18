"""Devices and the vault's key: reports who attests what, and attests anew when a key was lost."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass

from engrain.engine.core.attesting import list_unattested
from engrain.engine.core.batches import Batches
from engrain.engine.core.outcomes import KEPT
from engrain.engine.core.store import Actor, Store
from engrain.engine.history.verification import ChainReport, verify_chains
from engrain.model.errors import EngrainError
from engrain.model.history.attestation import open_line
from engrain.seam.derived import Progress
from engrain.seam.rows import Filter, Row
from engrain.seam.storage import Write


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
    done: list[str] = []
    for origin in dict.fromkeys(origin for _, origin in told):
        actor = Actor(store.actor.agent, origin)
        # Where another writer was quicker, that one's own record tells of the entry.
        batches = Batches(store, "attest", actor, "", done.append, lambda *_: None)
        for row in (row for row, its in told if its == origin):
            with suppress(EngrainError):
                stored = store.backend.read(row.locator)
                if stored.hash == row.hash:
                    write = Write(row.locator, stored.raw, row.id)
                    batches.add(row.locator, row.id, write, stored.hash)
            batches.flush_full()
            if progress:
                progress(len(done), len(told))
        batches.flush()
    if progress:
        progress(len(done), len(told))
    store.upkeep.rebuild()
    return sum(one != KEPT for one in done)


def _tell(store: Store) -> Iterator[tuple[Row, str]]:
    for row in store.index.find(Filter()):
        told = row.source if row.attested else store.index.told_origin(row.id, row.hash)
        if told is not None:
            yield row, told
