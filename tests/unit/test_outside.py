"""No process of ours, and no library in it, reaches another machine or writes beside the vault, the
device's state, our own configuration and cache, temporary files, and the files of hosts."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path
from urllib.request import HTTPCookieProcessor, Request, build_opener, urlopen

import pytest

from engrain.inference import local
from support.outside import find_strange, needs_strace, run_traced, trace
from unit.adapters.mcp.served import INITIALIZE, LIST
from unit.adapters.shell import Shell

pytestmark = needs_strace
SHORT_S = 3.0
"""Seconds that a server lives here."""


class Watched:
    """A shell with a fresh home whose commands are traced."""

    def __init__(self, folder: Path) -> None:
        self.shell = shell = Shell(folder)
        self._log = folder / "calls"
        self._count = 0
        temporary = folder / "tmp"
        temporary.mkdir()
        (shell.home / ".claude").mkdir()
        shell.environ |= {"TMPDIR": str(temporary), "ENGRAIN_EMBEDDER": "auto"}
        own = ("vault", "state", "tmp", "home/.config/engrain", "home/.cache/engrain")
        hosts = ("home/.claude", "home/.claude.json", "home/.local/state/engrain")
        self.allowed = [(folder / name).resolve() for name in (*own, *hosts)]
        # A socket's folder where the state's path is too long.
        self.allowed.append(Path(f"/tmp/engrain-{os.getuid()}"))
        self.strange: list[str] = []

    def run(self, *argv: str, stdin: bytes = b"") -> bytes:
        done = run_traced(
            self._next(), [sys.executable, "-m", "engrain", *argv], self.shell.here,
            self.shell.environ, stdin,
        )  # fmt: skip
        assert done.returncode == 0, done.stderr.decode()
        self._look()
        return done.stdout

    def start(self, *argv: str) -> subprocess.Popen[bytes]:
        return subprocess.Popen(
            trace(self._next(), [sys.executable, "-m", "engrain", *argv]),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            cwd=self.shell.here,
            env=self.shell.environ,
        )

    def stop(self, process: subprocess.Popen[bytes], *, signalled: bool = False) -> None:
        """End a process that was started, and wait for those that it leaves."""
        if signalled:
            children = Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text()
            os.kill(int(children.split()[0]), signal.SIGTERM)
        _, errors = process.communicate(timeout=120)
        assert b"Traceback" not in errors, errors.decode()
        self._look()

    def _next(self) -> Path:
        self._count += 1
        return self._log.with_name(f"calls-{self._count}")

    def _look(self) -> None:
        log = self._log.with_name(f"calls-{self._count}")
        assert log.stat().st_size, "the calls are traced"
        allowed = [*self.allowed, *self._run_folders()]
        self.strange += find_strange(log, allowed, self.shell.here)

    def _run_folders(self) -> Sequence[Path]:
        return list(Path("/tmp").glob(f"engrain-{os.getuid()}-*"))


@pytest.fixture
def watched(tmp_path: Path) -> Watched:
    made = Watched(tmp_path)
    made.run("init")
    made.run("save", "A blue zebra crosses the street.")
    return made


def test_demo_setup_save_recall_embed_and_hooks(watched: Watched) -> None:
    try_commands(watched)
    assert watched.strange == []
    made = sorted(path.name for path in watched.shell.home.iterdir())
    assert made == [".claude", ".claude.json", ".config"]


@pytest.mark.skipif(local.find_missing(None) is not None, reason="engrain[local] is missing")
@pytest.mark.parametrize("seconds", [SHORT_S, pytest.param(60.0, marks=pytest.mark.long)])
def test_a_bridge_with_a_sentence_model(watched: Watched, seconds: float) -> None:
    """One that lives for a minute too: some libraries wait before they reach another machine."""
    serve_host(watched, seconds)
    assert watched.strange == []


@pytest.mark.skipif(find_spec("fastmcp") is None, reason="engrain[mcp] is missing")
def test_the_server_of_mcp(watched: Watched) -> None:
    process = watched.start("mcp", "--http", "--json")
    assert process.stdout
    told = json.loads(process.stdout.readline())["data"]
    token = Path(told["token_file"]).read_text().strip()
    headers = {
        "Authorization": f"Bearer {token}",
        "Content-Type": "application/json",
        "Accept": "application/json, text/event-stream",
    }
    request = Request(told["url"], json.dumps(INITIALIZE).encode(), headers)
    with urlopen(request, timeout=60) as answer:
        assert answer.status == 200
    time.sleep(SHORT_S)
    watched.stop(process, signalled=True)
    assert watched.strange == []


@pytest.mark.skipif(find_spec("starlette") is None, reason="engrain[console] is missing")
def test_the_console(watched: Watched) -> None:
    process = watched.start("console", "--no-browser", "--json")
    assert process.stdout
    url = json.loads(process.stdout.readline())["data"]["url"]
    with build_opener(HTTPCookieProcessor()).open(url, timeout=60) as answer:
        assert answer.status == 200
    watched.stop(process, signalled=True)
    assert watched.strange == []


@pytest.mark.skipif(find_spec("engrain_team") is None, reason="engrain-team is missing")
def test_the_client_of_postgres(watched: Watched, tmp_path: Path) -> None:
    log = tmp_path / "postgres-calls"
    vault = "postgresql://127.0.0.1:9/none"
    command = [sys.executable, "-m", "engrain", "status", "--vault", vault]
    done = run_traced(log, command, watched.shell.here, watched.shell.environ)
    assert done.returncode != 0 and b"Traceback" not in done.stderr
    assert b"psycopg" in log.read_bytes() or b"AF_INET" in log.read_bytes()
    assert find_strange(log, watched.allowed, watched.shell.here) == []


def test_what_is_forbidden_is_seen(tmp_path: Path) -> None:
    code = (
        "import socket\n"
        "wire = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)\n"
        "wire.connect(('192.0.2.1', 53))\n"
        "open('home-file', 'w').close()\n"
        "import os; os.mkdir('folder')\n"
    )
    log = tmp_path / "calls"
    run_traced(log, [sys.executable, "-B", "-c", code], tmp_path, {"PATH": os.environ["PATH"]})
    seen = find_strange(log, [tmp_path / "vault"], tmp_path)
    assert len(seen) == 3, seen


def try_commands(watched: Watched) -> None:
    """Run the commands of a first day."""
    watched.run("demo")
    watched.run("setup", "claude-code", "--learn", "rules")
    watched.run("save", "The nightly job takes an advisory lock.", "--kind", "fix")
    watched.run("jobs", "embed")
    watched.run("recall", "zebra on the road")
    watched.run("doctor")
    session = json.dumps({"session_id": "s", "prompt": "where does the zebra go?"}).encode()
    for event in ("session-start", "prompt", "stop", "session-end"):
        watched.run("hook", event, "--host", "claude-code", stdin=session)


def serve_host(watched: Watched, seconds: float) -> None:
    """Let a bridge with a loaded model live for some seconds."""
    watched.run("jobs", "embed")
    process = watched.start("mcp", "--stdio")
    assert process.stdin and process.stdout
    params = {"name": "memory_search", "arguments": {"query": "zebra on the road"}}
    search = {"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": params}
    until = time.monotonic() + seconds
    for message in (INITIALIZE, LIST, search):
        process.stdin.write(json.dumps(message).encode() + b"\n")
        process.stdin.flush()
        assert "result" in json.loads(process.stdout.readline())
    while time.monotonic() < until:
        time.sleep(1)
        process.stdin.write(json.dumps(search).encode() + b"\n")
        process.stdin.flush()
        assert "result" in json.loads(process.stdout.readline())
    watched.stop(process)
