"""A real `engrain mcp` in a process of its own, and bare HTTP to it."""

from __future__ import annotations

import http.client
import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from engrain.resolution.endpoint import run_folder
from unit.adapters.shell import Shell

LIST = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}
INITIALIZE = {
    "jsonrpc": "2.0",
    "id": 0,
    "method": "initialize",
    "params": {
        "protocolVersion": "2025-06-18",
        "capabilities": {},
        "clientInfo": {"name": "test", "version": "1"},
    },
}


class Reply:
    """What came back over HTTP."""

    def __init__(self, status: int, headers: dict[str, str], body: bytes) -> None:
        self.status = status
        self.headers = headers
        self.body = body

    @property
    def message(self) -> Any:
        return json.loads(self.body)


class Server:
    """A server that has said where it is."""

    def __init__(self, process: subprocess.Popen[bytes], told: dict[str, Any]) -> None:
        self.process = process
        self.url: str | None = told["url"]
        self.socket: str = told["socket"]
        self.hooks = str(Path(self.socket).with_name("hooks.sock"))
        self.token_file = Path(told["token_file"])
        self.pid: int = told["pid"]

    @property
    def token(self) -> str:
        return self.token_file.read_text().strip()

    def post(
        self,
        body: object,
        headers: dict[str, str] | None = None,
        *,
        way: str = "tcp",
        token: str | None = "",
        path: str = "/mcp",
    ) -> Reply:
        """POST a message, or bytes as they are; `token` "" is the right one, None is none."""
        sent = {
            "Content-Type": "application/json",
            "Accept": "application/json, text/event-stream",
            **({} if token is None else {"Authorization": f"Bearer {token or self.token}"}),
            **(headers or {}),
        }
        raw = body if isinstance(body, bytes) else json.dumps(body).encode()
        exchange = self.connect(way)
        try:
            exchange.request("POST", path, raw, sent)
            reply = exchange.getresponse()
            return Reply(reply.status, dict(reply.headers), reply.read())
        finally:
            exchange.close()

    def connect(self, way: str) -> http.client.HTTPConnection:
        if way == "tcp":
            assert self.url
            address = self.url.removeprefix("http://").removesuffix("/mcp")
            return http.client.HTTPConnection(address, timeout=30)
        exchange = http.client.HTTPConnection("localhost", timeout=30)
        exchange.sock = socket.socket(socket.AF_UNIX)
        exchange.sock.settimeout(30)
        exchange.sock.connect(self.socket)
        return exchange

    def call(self, tool: str, **arguments: object) -> Any:
        """The result of a tool."""
        message = {**LIST, "method": "tools/call"}
        message["params"] = {"name": tool, "arguments": arguments}
        return self.post(message).message["result"]

    def stop(self, how: int = signal.SIGTERM) -> int:
        self.process.send_signal(how)
        return self.process.wait(20)


def start(shell: Shell, *options: str, command: str = "mcp") -> subprocess.Popen[bytes]:
    """Start `engrain mcp`, or another command that serves, with these options."""
    return subprocess.Popen(
        [sys.executable, "-m", "engrain", command, *options],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        cwd=shell.here,
        env=shell.environ,
    )


@contextmanager
def serving(shell: Shell, *options: str) -> Iterator[Server]:
    """A server for the length of a block; nothing of it outlives that."""
    process = start(shell, "--json", *options)
    try:
        assert process.stdout
        line = process.stdout.readline()
        assert line, process.stderr and process.stderr.read().decode()
        yield Server(process, json.loads(line)["data"])
    finally:
        process.kill()
        process.communicate()


def run_path(state: Path) -> Path:
    """The folder of what servers keep: below the state folder, or in /tmp where that is deep."""
    return Path(run_folder(str(state)))


def kept(shell: Shell) -> list[str]:
    """The names of what servers keep, less the lock of jobs, which stays if some were due."""
    names = {path.name for path in run_path(shell.state).iterdir()}
    return sorted(names - {"jobs.lock"})


def alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


def wait_until(true: Any, seconds: float = 10.0) -> None:
    deadline = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < deadline
        time.sleep(0.02)
