"""Many writers at once, as processes: nothing acknowledged is lost, and the history verifies."""

from __future__ import annotations

import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from engrain import ConflictError
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
        where = [str(tmp_path / "vault"), str(tmp_path / "state")]
        running = [
            subprocess.Popen([sys.executable, "-c", WRITER, *where, str(writer), str(saves)])
            for writer in range(writers)
        ]
        assert [process.wait() for process in running] == [0] * writers
        wanted = {f"{writer}:{number}" for writer in range(writers) for number in range(saves // 2)}
        assert set(memory.show("shared").entry.text.split()) == wanted | {"start"}
        titles = {row.title for row in memory.list().rows}
        assert titles == {f"Note {mark.replace(':', ' ')}" for mark in wanted} | {"Shared"}
        (report,) = memory.verify()
        assert report.wrong is None
        assert report.links == 1 + writers * saves


def test_sixty_four_identical_saves_at_once_make_one_entry(tmp_path: Path) -> None:
    with make_memory(tmp_path) as memory:
        where = [str(tmp_path / "vault"), str(tmp_path / "state")]
        savers = [
            subprocess.Popen(
                [sys.executable, "-c", SAME, *where], stdout=subprocess.PIPE, text=True
            )
            for _ in range(64)
        ]
        outcomes = sorted(saver.communicate()[0].strip() for saver in savers)
        assert outcomes == ["created"] + ["unchanged"] * 63
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
