"""A vault of any size to recall from: files from a generator, indexed without a history."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from bench import corpus
from engrain.engine.core.store import Actor, Store
from engrain.model.note.entry import read_entry
from engrain.seam.batches import BATCH, Batch, Document
from engrain.seam.locator import Locator
from engrain.wiring import Opener, SystemClock, SystemEntropy, open_memory

HISTORY_UP_TO = 10_000
"""Entries up to which a vault gets its history, as the scan of a cold process wants it: larger
ones are indexed from the generator, which takes a tenth of the time."""


def make_vault(vault: Path, state: Path, count: int) -> None:
    """Fill a new vault with `count` entries and index them."""
    with open_memory(vault, state_dir=state, backend="device-local", create=True) as memory:
        files = corpus.write_mixed(vault / "Memory" / "active", count)
        if count <= HISTORY_UP_TO:
            for _ in files:
                pass
            memory.reindex()
        else:
            open_store(vault, state).index.rebuild(_read(files))


def open_store(vault: Path, state: Path) -> Store:
    """What stands behind a memory: its index and vectors by themselves are the floors."""
    flags = {"vault": str(vault), "state_dir": str(state), "backend": "device-local"}
    return Opener({**flags, "project": None}, Actor(), SystemClock(), SystemEntropy(), False)()


def _read(files: Iterator[tuple[str, bytes]]) -> Iterator[Batch]:
    documents = []
    for path, raw in files:
        locator = Locator(os.path.join("Memory", "active", path))
        documents.append(Document(locator, read_entry(locator, raw), (), "", True))
        if len(documents) == BATCH:
            yield Batch(documents=documents)
            documents = []
    yield Batch(documents=documents)
