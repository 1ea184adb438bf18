"""A process killed in the middle of an import, or of its undo: what it left is taken back whole, or
completed by the same call."""

from __future__ import annotations

import random
import subprocess
import sys
import time
from pathlib import Path

import pytest

from engrain.engine.core.scope import Scope
from engrain.engine.verbs.intake import Terms
from support.vaults import make_memory

CHILD = Path(__file__).with_name("importer.py")
NOTES = 200
TITLES = {f"Note {number}" for number in range(NOTES)}


@pytest.fixture
def tmp_path(on_disk: Path) -> Path:
    """A test's own folder: in memory the notes would not be brought to the disk together."""
    return on_disk


def run(folder: Path, *words: str) -> subprocess.Popen[str]:
    command = [sys.executable, str(CHILD), str(folder / "vault"), str(folder / "state"), *words]
    child = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    assert child.stdout is not None
    assert child.stdout.readline() == "begun\n"
    return child


def kill_when(child: subprocess.Popen[str], folder: Path, before: int, grown: int) -> None:
    """Kill it once its history has grown by so many bytes, if it has not ended by then."""
    while child.poll() is None and history_size(folder) < before + grown:
        time.sleep(0.001)
    child.kill()
    child.wait()
    if child.stdout:
        child.stdout.close()


def history_size(folder: Path) -> int:
    return sum(path.stat().st_size for path in (folder / "vault/.engrain/history").rglob("*.log"))


def active(folder: Path) -> set[str]:
    with make_memory(folder) as memory:
        rows = memory.list(scope=Scope(all_projects=True), limit=2 * NOTES).rows
        assert all(report.wrong is None for report in memory.trust.survey().chains)
        return {row.title for row in rows}


@pytest.fixture
def notes(tmp_path: Path) -> Path:
    notes = tmp_path / "notes"
    notes.mkdir()
    for number in range(NOTES):
        (notes / f"n{number}.md").write_text(f"# Note {number}\n\nIt says {number}.\n")
    return notes


MANY = 2_000
TRIALS = [0, 1, *(pytest.param(seed, marks=pytest.mark.long) for seed in range(2, 30))]


@pytest.mark.parametrize("seed", TRIALS)
def test_nothing_that_a_killed_import_acknowledged_is_lost_and_importing_again_makes_no_doubles(
    tmp_path: Path, seed: int
) -> None:
    notes = tmp_path / "notes"
    notes.mkdir()
    for number in range(MANY):
        (notes / f"n{number}.md").write_text(f"# Note {number}\n\nIt says {number}.\n")
    with make_memory(tmp_path) as memory:
        memory.save("It was there before.", title="Own")
    child = run(tmp_path, "import", str(notes))
    assert child.stdout is not None
    # Some kills come before anything was acknowledged, others behind one commit or several.
    told = "".join(child.stdout.readline() for _ in range(seed % 4))
    time.sleep(random.Random(seed).uniform(0, 0.3))
    child.kill()
    told += child.stdout.read()
    child.stdout.close()
    child.wait()
    with make_memory(tmp_path) as memory:
        rows = memory.list(scope=Scope(all_projects=True), limit=2 * MANY).rows
        assert set(told.split()) <= {row.id for row in rows}
        memory.import_folder(str(notes), name="notes")
        assert not list((tmp_path / "vault").rglob(".~engrain-*"))
        rows = memory.list(scope=Scope(all_projects=True), limit=2 * MANY).rows
        assert all(report.wrong is None for report in memory.trust.survey().chains)
    titles = [row.title for row in rows]
    assert sorted(titles) == sorted([*(f"Note {number}" for number in range(MANY)), "Own"])


@pytest.mark.parametrize("seed", range(2))
def test_a_killed_import_is_taken_back_whole_and_a_killed_undo_completed(
    tmp_path: Path, notes: Path, seed: int
) -> None:
    chance = random.Random(seed)
    with make_memory(tmp_path) as memory:
        memory.save("It was there before.", title="Own")
    before = history_size(tmp_path)
    kill_when(run(tmp_path, "import", str(notes)), tmp_path, before, chance.randrange(1, 45_000))
    some = active(tmp_path)
    assert some - {"Own"} <= TITLES
    if some != {"Own"}:
        with make_memory(tmp_path) as memory:
            memory.undo()
    assert active(tmp_path) == {"Own"}
    with make_memory(tmp_path) as memory:
        done = memory.import_folder(str(notes), name="notes", terms=Terms(restore_deleted=True))
        assert done.documents == NOTES
    assert active(tmp_path) == TITLES | {"Own"}
    before = history_size(tmp_path)
    kill_when(run(tmp_path, "undo"), tmp_path, before, chance.randrange(1, 45_000))
    if active(tmp_path) != {"Own"}:
        with make_memory(tmp_path) as memory:
            memory.undo()
    assert active(tmp_path) == {"Own"}
