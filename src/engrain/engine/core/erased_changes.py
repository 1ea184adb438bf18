"""The changes of the history that erase, as far as this device believes them."""

from __future__ import annotations

from engrain.engine.core.store import Store
from engrain.seam.search import Change


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
