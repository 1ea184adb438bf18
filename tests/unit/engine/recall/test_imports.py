"""What an import brought must fit a prompt by itself, until somebody used or confirmed it."""

from __future__ import annotations

from pathlib import Path

import pytest

from engrain import Memory
from engrain.engine.verbs.intake import Terms
from engrain.lifecycle.sessions.sessions import note_used

QUESTION = "how does the nightly billing job lock in postgres?"
OWN = "The nightly billing job takes an advisory lock in Postgres; a second run waits."
FOREIGN = "Nightly job: postgres rotates logs, with a lock.\n"
ABOUT = "which nightly job rotates the logs of the postgres cluster?"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Notes of somebody else, about other things but for one."""
    made = tmp_path / "foreign"
    made.mkdir()
    (made / "rotation.md").write_text(f"# Log rotation\n{FOREIGN}")
    for number in range(30):
        (made / f"n{number}.md").write_text(f"# Bird {number}\nThe heron stood on leg {number}.\n")
    return made


@pytest.fixture
def memory(memory: Memory) -> Memory:
    memory.save(OWN, title="Nightly billing lock", kind="fix")
    return memory


def found(memory: Memory, question: str = QUESTION) -> list[str]:
    return [item.row.title for item in memory.recall(question).results]


def use(memory: Memory, title: str) -> None:
    """A session in which the entry was read by its id."""
    (row,) = (row for row in memory.list().rows if row.title == title)
    session = memory.sessions.begin()
    note_used(memory.journal, session, 1.0, [row.id])
    memory.sessions.end(session)


def test_an_import_does_not_come_along_with_what_fits(memory: Memory, folder: Path) -> None:
    memory.import_folder(str(folder))
    assert found(memory) == ["Nightly billing lock"]
    assert found(memory, ABOUT)[0] == "Log rotation"


def test_one_that_was_used_does(memory: Memory, folder: Path) -> None:
    memory.import_folder(str(folder))
    use(memory, "Log rotation")
    assert found(memory, "nightly postgres job") == ["Nightly billing lock", "Log rotation"]


def test_being_recalled_is_not_being_used(memory: Memory, folder: Path) -> None:
    memory.import_folder(str(folder))
    session = memory.sessions.begin()
    assert memory.recall(ABOUT, session=session).results
    memory.sessions.end(session)
    assert found(memory) == ["Nightly billing lock"]


def test_one_that_somebody_vouches_for_does(memory: Memory, folder: Path) -> None:
    memory.import_folder(str(folder), terms=Terms("agent"))
    assert "Log rotation" in found(memory)


def test_one_that_is_named_comes_whatever_it_says(memory: Memory, folder: Path) -> None:
    memory.import_folder(str(folder))
    (row,) = (row for row in memory.list().rows if row.title == "Bird 7")
    assert found(memory, f"what is {row.id}?") == ["Bird 7"]
