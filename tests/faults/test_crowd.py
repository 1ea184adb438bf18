"""Many writers at once, as processes: nothing acknowledged is lost, and the history verifies."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from engrain import ConflictError
from support.forked import run_well_at_once
from support.vaults import make_memory

# Half the saves are entries of its own, half add a line to one entry by compare and swap.
WRITER = """
import sys
from engrain import ConflictError, open_memory

vault, state, writer, saves = sys.argv[1], sys.argv[2], sys.argv[3], int(sys.argv[4])
with open_memory(vault, state_dir=state, backend="device-local") as memory:
    for number in range(saves // 2):
        memory.save(f"Writer {writer}, number {number}.", title=f"Note {writer} {number}")
        while True:
            entry = memory.show("shared").entry
            try:
                memory.edit("shared", expect=entry.hash, text=f"{entry.text}\\n{writer}:{number}")
                break
            except ConflictError:
                continue
"""

SAME = """
import sys
from engrain import open_memory

with open_memory(sys.argv[1], state_dir=sys.argv[2], backend="device-local") as memory:
    print(memory.save("The very same thing.", title="Same").outcome)
"""


@pytest.mark.parametrize(
    ("writers", "saves"), [(6, 40), pytest.param(16, 200, marks=pytest.mark.long)]
)
def test_many_writers_lose_nothing_and_the_history_verifies(
    tmp_path: Path, writers: int, saves: int
) -> None:
    with make_memory(tmp_path) as memory:
        memory.save("start", title="Shared", kind="memory")
        where = (tmp_path / "vault", tmp_path / "state")
        run_well_at_once(WRITER, [(*where, writer, saves) for writer in range(writers)], tmp_path)
        wanted = {f"{writer}:{number}" for writer in range(writers) for number in range(saves // 2)}
        assert set(memory.show("shared").entry.text.split()) == wanted | {"start"}
        titles = {row.title for row in memory.list().rows}
        assert titles == {f"Note {mark.replace(':', ' ')}" for mark in wanted} | {"Shared"}
        (report,) = memory.trust.survey().chains
        assert report.wrong is None
        assert report.links == 1 + writers * saves


def test_sixty_four_identical_saves_at_once_make_one_entry(tmp_path: Path) -> None:
    with make_memory(tmp_path) as memory:
        where = (tmp_path / "vault", tmp_path / "state")
        outcomes = run_well_at_once(SAME, [where] * 64, tmp_path)
        assert sorted(outcomes) == ["created"] + ["unchanged"] * 63
        assert memory.list().total == 1


def test_of_two_that_evolve_one_entry_exactly_one_wins(tmp_path: Path) -> None:
    with make_memory(tmp_path) as memory:
        for round_ in range(10):
            old = memory.save(f"Round {round_}, old.", title=f"Round {round_}")

            def evolve(text: str, old_id: str = old.id) -> str:
                try:
                    return memory.evolve(old_id, text).id
                except ConflictError:
                    return "conflict"

            with ThreadPoolExecutor(2) as pool:
                results = list(pool.map(evolve, ["one way", "the other way"]))
            assert results.count("conflict") == 1
            heads = [row for row in memory.list().rows if row.title == f"Round {round_}"]
            assert [row.id for row in heads] == [r for r in results if r != "conflict"]
