"""A namespace that was written before the store had a package of its own: `version-3.sql.gz` is a
dump of schema 3 with notes, an edit, an erasure, a hand-off and two devices."""

from __future__ import annotations

import gzip
import subprocess
from pathlib import Path

import pytest

from engrain_team.postgres.schema import NEWEST
from team.servers import OWNER, shared_server
from unit.adapters.shell import Inside

DUMP = Path(__file__).parents[2] / "data" / "version-3.sql.gz"


@pytest.fixture(scope="module")
def address() -> str:
    server = shared_server()
    server.run("postgres", "CREATE DATABASE version_3")
    command = [server.programs / "psql", "-h", server.folder, "-U", "postgres", "-d", "version_3"]
    subprocess.run(
        [*map(str, command), "--quiet", "--set=ON_ERROR_STOP=1"],
        input=gzip.decompress(DUMP.read_bytes()),
        stdout=subprocess.DEVNULL,
        check=True,
    )
    return server.address("version_3", OWNER, "team").replace("postgres://", "postgresql://")


def test_it_opens_as_before(address: str, tmp_path: Path) -> None:
    shell = Inside(tmp_path, configured=False)
    shell.environ |= {"ENGRAIN_VAULT": address, "ENGRAIN_STATE_DIR": str(tmp_path / "state")}

    def run(*argv: str) -> str:
        done = shell.run(*argv)
        assert done.code == 0, done.err
        return done.out

    assert f"schema version {NEWEST}" in run("admin", "migrate")
    found = run("recall", "which port does staging listen on")
    assert "Staging listens on port 5545." in found
    listed = run("list")
    assert "Sluice gates" in listed
    assert "Secret plan" not in listed
    assert "Nothing is wrong" in run("check", "history")
    run("handoff", "claim", "01m8hxh9q70604v2hh3k0m8pdy", "--agent", "reviewer")
    run("save", "The lock has one gate.", "--title", "Lock gate", "--kind", "fix")
    assert "Lock gate" in run("list")
