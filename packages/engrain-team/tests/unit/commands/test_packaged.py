"""The commands of the package, found by their entry points."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from engrain.adapters.cli.commands import PACKAGED
from unit.adapters.shell import Inside


@pytest.mark.parametrize("command", PACKAGED)
def test_help_of_every_command_shows_examples(tmp_path: Path, command: str) -> None:
    done = Inside(tmp_path).run(command, "--help")
    assert done.code == 0
    assert f"engrain {command}" in done.out.partition("\nexamples:\n")[2]


def test_a_command_loads_the_client_of_the_server_and_no_other_command() -> None:
    code = "import sys\nimport engrain_team.commands.migrate\nprint(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert not {"psycopg", "fastmcp", "http.server"} & set(done.stdout.split())
