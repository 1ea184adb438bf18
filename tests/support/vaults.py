"""Vaults for tests: real folders, a clock that is set by hand, random bytes that repeat."""

from __future__ import annotations

import random
from pathlib import Path

from engrain import Memory, open_memory
from engrain.engine.core.store import Actor
from engrain.model.errors import NotFoundError
from engrain.model.note.entry import read_entry
from engrain.model.note.note import hash_bytes
from engrain.seam.changes import Write
from engrain.seam.clock import Clock, Entropy
from engrain.seam.locator import Locator

START = 1_790_000_000.0
"""2026-09-21, some time after which nothing in the tests is said to happen by itself."""


class FakeClock(Clock):
    """Time moves a second at each look, or as told."""

    def __init__(self, at: float = START, step: float = 1.0) -> None:
        self.at = at
        self.step = step

    def now(self) -> float:
        self.at += self.step
        return self.at


class FakeEntropy(Entropy):
    """The same bytes in every run."""

    def __init__(self, seed: int = 7) -> None:
        self._random = random.Random(seed)

    def draw(self, size: int) -> bytes:
        return self._random.randbytes(size)


def make_memory(
    folder: Path,
    *,
    name: str = "vault",
    device: str = "state",
    clock: Clock | None = None,
    backend: str = "device-local",
    trust: str = "agent",
    project: str | None = None,
    seed: int = 7,
) -> Memory:
    """A memory over `folder/name`, on the device whose state is `folder/device`."""
    return open_memory(
        folder / name,
        state_dir=folder / device,
        backend=backend,
        project=project,
        trust=trust,
        create=True,
        clock=clock or FakeClock(),
        entropy=FakeEntropy(seed),
    )


def write_as(memory: Memory, trust: str, place: str, text: str) -> str:
    """Have an actor of that trust write a whole note by a recorded change; the entry's id."""
    store = memory._open_store()
    locator, raw = Locator(place), text.encode()
    try:
        before = store.backend.read(locator).hash
    except NotFoundError:
        before = None
    entry = read_entry(place, raw)
    op = "save" if before is None else "edit"
    store.commit(op, [Write(locator, raw, entry.id, before)], actor=Actor("", trust))
    assert store.backend.read(locator).hash == hash_bytes(raw)
    return entry.id
