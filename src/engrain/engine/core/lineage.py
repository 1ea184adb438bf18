"""Reads a device's chain of changes from its first record on, across the branches it left."""

from __future__ import annotations

import json
from collections.abc import Iterator

from engrain.model.errors import HistoryError, NotFoundError
from engrain.model.note.ids import BRANCH, base_device
from engrain.model.note.note import hash_bytes
from engrain.seam.storage import ChainLink, StorageBackend


def read_lineage(backend: StorageBackend, chain: str) -> Iterator[ChainLink]:
    """Every record that led to the newest one of a chain, in order; where an earlier part of a
    branch can't be found, what there is of it."""
    own = backend.chain(chain)
    if BRANCH in chain and (first := next(own, None)) is not None:
        yield from _read_ancestors(backend, chain, first)
        yield first
    yield from own


def first_number(backend: StorageBackend, chain: str) -> int:
    """The number of a chain's first record: 1, and of a branch where it left its chain."""
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
    """The number of a record, and the hash of the one before it; 1 and nothing for no record."""
    try:
        head = json.loads(link.line)
        return int(head["n"]), str(head["prev"])
    except (ValueError, KeyError, TypeError, RecursionError):
        return 1, ""
