"""The other end of FastMCP's range: the same tests over its oldest release."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
OLDEST = "fastmcp==3.4.0"


@pytest.mark.long
def test_the_server_is_the_same_over_the_oldest_fastmcp(tmp_path: Path) -> None:
    venv = tmp_path / "venv"
    python = venv / "bin" / "python"
    subprocess.run([sys.executable, "-m", "venv", venv], check=True)
    subprocess.run(
        [python, "-m", "pip", "install", "-q", OLDEST, "pytest", "hypothesis", ROOT], check=True
    )
    suites = ["tests/unit/adapters/mcp", "tests/clients/test_sdk.py"]
    done = subprocess.run(
        [python, "-m", "pytest", "-q", "-p", "no:cacheprovider", *suites],
        cwd=ROOT,
        check=False,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stdout[-4000:]
