"""The MCP Inspector's command line as a client."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path
from typing import Any

INSPECTOR = "@modelcontextprotocol/inspector@2.12.0"


class Inspector:
    """Asks a server one thing at a time, each in a process of its own."""

    def __init__(self, program: Path, home: Path) -> None:
        self._program = program
        self._home = home

    def run(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [self._program, "--cli", *arguments],
            capture_output=True,
            text=True,
            check=False,
            timeout=60,
            stdin=subprocess.DEVNULL,
            cwd=self._home,
            env={"HOME": str(self._home), "PATH": os.environ["PATH"]},
        )

    def ask(self, *arguments: str) -> Any:
        """What the server answers."""
        done = self.run(*arguments)
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout)
