"""A command line, in a process of its own, over a vault that one look does not compare whole."""

from __future__ import annotations

from pathlib import Path

import pytest

from engrain.engine.core.scanning import MOST
from unit.adapters.shell import Inside, Shell


@pytest.fixture(scope="module")
def shell(tmp_path_factory: pytest.TempPathFactory) -> Shell:
    shell = Inside(tmp_path_factory.mktemp("desk"))
    for n in range(MOST.whole + 1):
        path = shell.vault / f"Memory/fix/part-{n % 4}/note-{n}.md"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"# Note {n}\n\nThe sluice of lock {n} is shut.\n")
    assert shell.run("init").code == 0
    assert shell.run("list", "--fresh", "--limit", "1").code == 0
    return shell


def edit(shell: Shell, number: int, status: str, text: str) -> None:
    """Write a note in place, as most editors do."""
    path: Path = shell.vault / f"Memory/fix/part-{number % 4}/note-{number}.md"
    with path.open("r+") as file:
        file.write(f"---\nstatus: {status}\n---\n# Note {number}\n\n{text}\n")
        file.truncate()


@pytest.mark.parametrize(
    ("number", "command"),
    [
        (7, ("recall", "tide")),
        (8, ("list", "--limit", "1")),
        (9, ("show", "note-1")),
        (10, ("status",)),
    ],
)
def test_what_was_written_in_place_is_found_at_once_by_a_fresh_command(
    shell: Shell, number: int, command: tuple[str, ...]
) -> None:
    edit(shell, number, "active", f"The wherry {number} came through.")
    assert shell.run(*command, "--fresh").code == 0
    assert f"Note {number} " in shell.run("recall", f"wherry {number}").out
