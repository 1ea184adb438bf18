"""`docs/operate.md`: from nothing to a team, by the commands as they are written there."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from urllib.parse import quote

from support.documents import ROOT, read_blocks
from team.servers import start_server

HOST = "db.example"


def test_the_commands_lead_from_nothing_to_a_team(tmp_path: Path) -> None:
    server = start_server(fsync="off")
    page = (ROOT / "docs" / "operate.md").read_text()
    section = page.partition("## Share a memory in a team\n")[2].partition("\n## ")[0]
    commands = read_commands(section)
    assert len(commands) == 10
    programs = [str(Path(sys.executable).parent), str(server.programs), os.environ["PATH"]]
    printed = []
    for command in commands:
        done = subprocess.run(
            ["bash", "-c", command.replace(HOST, quote(str(server.folder), safe=""))],
            env={
                "HOME": str(tmp_path),
                "PATH": os.pathsep.join(programs),
                "LANG": "C.UTF-8",
                "ENGRAIN_EMBEDDER": "none",
            },
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, command + done.stdout + done.stderr
        printed.append(done.stdout)
    assert "5544" in printed[9]
    server.stop()


def read_commands(page: str) -> list[str]:
    """The lines of a page's blocks of shell."""
    return [
        line
        for block in read_blocks(page)
        if block.language == "sh"
        for line in block.text.splitlines()
    ]
