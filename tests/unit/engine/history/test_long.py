"""A long history costs no more than a short one."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from bench.long_history import make

from engrain import Memory, open_memory
from engrain.backends import segments
from engrain.index import sqlite_index

SHORT, LONG = 300, 3_000


class Count:
    """What a memory reads: records of the index, and segments of the history."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.rows = self.segments = 0
        own_change, own_read = sqlite_index._change, segments.read_segment

        def change(values: tuple[object, ...]) -> object:
            self.rows += 1
            return own_change(values)

        def read(*args: int, **named: int) -> bytes:
            self.segments += 1
            return own_read(*args, **named)  # type: ignore[arg-type]  # a folder and a name

        monkeypatch.setattr(sqlite_index, "_change", change)
        monkeypatch.setattr(segments, "read_segment", read)

    def take(self) -> tuple[int, int]:
        """What was read since this was asked."""
        found, self.rows, self.segments = (self.rows, self.segments), 0, 0
        return found


ACTIONS: dict[str, Callable[[Memory], object]] = {
    "undo": lambda memory: memory.undo(),
    "undo again": lambda memory: memory.undo(),
    "history": lambda memory: memory.history(limit=5),
    "save": lambda memory: memory.save("A text of its own.", kind="fix"),
    "list": lambda memory: memory.list(limit=1),
}


def test_reading_does_not_grow_with_the_number_of_changes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    read: dict[int, dict[str, tuple[int, int]]] = {}
    for changes in (SHORT, LONG):
        vault, state = tmp_path / f"{changes}", tmp_path / f"{changes}-state"
        make(vault, state, changes)
        with open_memory(vault, state_dir=state, backend="device-local") as memory:
            memory.list(limit=1)
            assert len(memory.history()) == changes
            count = Count(monkeypatch)
            read[changes] = {}
            for name, action in ACTIONS.items():
                action(memory)
                read[changes][name] = count.take()
            monkeypatch.undo()
    for name, short in read[SHORT].items():
        # Not equal: how much a call looks at besides may depend on how long the last one took.
        assert all(
            after <= before + 20 for before, after in zip(short, read[LONG][name], strict=True)
        ), name
    assert read[LONG]["undo"][0] > 0 and read[LONG]["undo"][1] > 0


def test_verify_asks_the_index_for_no_change_that_is_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    make(tmp_path / "vault", tmp_path / "state", SHORT)
    with open_memory(
        tmp_path / "vault", state_dir=tmp_path / "state", backend="device-local"
    ) as memory:
        memory.list(limit=1)
        count = Count(monkeypatch)
        (report,) = memory.trust.survey().chains
        assert (report.links, report.wrong) == (SHORT, None)
        assert count.rows < 5
