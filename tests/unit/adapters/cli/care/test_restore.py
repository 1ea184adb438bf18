"""A backup holds the whole vault: it is unpacked by tar."""

from __future__ import annotations

import json
import tarfile
from collections.abc import Callable
from pathlib import Path

import pytest

from unit.adapters.shell import CommandLine, Done, Inside


@pytest.fixture
def backup(cli: CommandLine, tmp_path: Path) -> Path:
    """A backup with the key in it, of a vault with all that has a state."""
    cli("save", "--title", "Kept", "A note to keep.", "--trust", "operator")
    cli("save", "--kind", "commitment", "--due", "2030-01-01", "I will send the report.")
    cli("handoff", "create", "Go on with the export.")
    cli("forget", "Kept")
    cli("save", "--title", "Agent", "An agent's note.", "--kind", "fix")
    assert cli("backup", str(tmp_path / "memory.tar"), "--with-key").code == 0
    return tmp_path / "memory.tar"


@pytest.fixture
def machine(tmp_path: Path) -> Inside:
    """A new machine, on which nothing is configured."""
    return Inside(tmp_path / "new", configured=False)


def states(shell: Inside | CommandLine, run: Callable[..., Done]) -> object:
    listed = run("list", "--all-projects", "--include-archive", "--json").answer["data"]
    handed = run("handoff", "list", "--json").answer["data"]
    assert isinstance(listed, dict) and isinstance(handed, dict)
    rows = [(row["id"], row["source"], row["attested"], row["status"]) for row in listed["results"]]
    return sorted(rows), json.dumps(handed.get("handoffs"), sort_keys=True)


def test_a_backup_that_is_unpacked_on_a_new_machine_is_the_vault_with_its_key(
    backup: Path, machine: Inside, cli: CommandLine, tmp_path: Path
) -> None:
    before = states(cli, cli)
    with tarfile.open(backup) as archive:
        archive.extractall(tmp_path / "new", filter="data")
    (vault,) = (path for path in (tmp_path / "new").iterdir() if (path / ".engrain").is_dir())
    assert machine.run("config", "set", "vault", str(vault)).code == 0
    assert machine.run("device", "join", str(tmp_path / "new" / "engrain-key")).code == 0
    assert states(machine, machine.run) == before
    assert machine.run("verify").code == 0
    assert machine.run("restore", "kept").code == 0
