"""A real `engrain serve` in a process of its own, and bare HTTPS to it."""

from __future__ import annotations

import http.client
import json
import socket
import ssl
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from team.issuer import Issuer
from unit.adapters.mcp.served import LIST, Reply, start
from unit.adapters.shell import Shell

HOST = "memory.example"
URL = f"https://{HOST}/mcp"
REQUESTS = 20
"""A minute, of each client: every test is a client of its own."""


class RemoteServer:
    """A server that has said where it listens. `certificate` is its own, None behind a proxy."""

    def __init__(
        self, shell: Shell, issuer: Issuer, certificate: Path | None, told: dict[str, Any]
    ) -> None:
        self.shell = shell
        self.issuer = issuer
        self.port: int = told["port"]
        self.pid: int = told["pid"]
        self.certificate = certificate

    def token(self, **claims: object) -> str:
        return self.issuer.issue(URL, **claims)

    def connect(self) -> http.client.HTTPConnection:
        if self.certificate is None:
            return http.client.HTTPConnection("127.0.0.1", self.port, timeout=30)
        tls = ssl.create_default_context(cafile=str(self.certificate))
        return http.client.HTTPSConnection("127.0.0.1", self.port, timeout=30, context=tls)

    def send(
        self,
        body: object,
        token: str | None,
        headers: dict[str, str] | None = None,
        *,
        method: str = "POST",
        path: str = "/mcp",
    ) -> Reply:
        """Send a message, or bytes as they are."""
        sent = {
            "Host": HOST,
            "Content-Type": "application/json",
            "Accept": "application/json, text/event-stream",
            **({} if token is None else {"Authorization": f"Bearer {token}"}),
            **(headers or {}),
        }
        raw = body if isinstance(body, bytes) else json.dumps(body).encode()
        exchange = self.connect()
        try:
            exchange.request(method, path, raw, sent)
            reply = exchange.getresponse()
            return Reply(reply.status, dict(reply.headers), reply.read())
        finally:
            exchange.close()

    def call(self, token: str, tool: str, **arguments: object) -> Reply:
        params = {"name": tool, "arguments": arguments}
        return self.send({**LIST, "method": "tools/call", "params": params}, token)


@contextmanager
def reserved_port() -> Iterator[int]:
    """A port that no other process gets, and a server may listen on."""
    with socket.socket() as holder:
        holder.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        holder.bind(("127.0.0.1", 0))
        yield holder.getsockname()[1]


@contextmanager
def serving_remotely(
    shell: Shell,
    issuer: Issuer,
    certificate: tuple[Path, Path] | None,
    *,
    port: int = 0,
    listen: str = "127.0.0.1",
    **settings: str,
) -> Iterator[RemoteServer]:
    """A server for the length of a block; what it wrote to standard error is in `errors`."""
    given = {"url": URL, "issuer": issuer.url, "requests": str(REQUESTS), **settings}
    for name, value in given.items():
        shell.environ[f"ENGRAIN_SERVE_{name.upper()}"] = value
    options = ["--json", "--port", str(port), "--no-jobs"]
    if certificate is None:
        options.append("--behind-proxy")
    else:
        options += ["--listen", listen, "--tls-cert", str(certificate[0])]
        options += ["--tls-key", str(certificate[1])]
    process: subprocess.Popen[bytes] = start(shell, *options, command="serve")
    try:
        assert process.stdout
        line = process.stdout.readline()
        assert line, process.stderr and process.stderr.read().decode()
        told = json.loads(line)["data"]
        yield RemoteServer(shell, issuer, certificate and certificate[0], told)
    finally:
        process.kill()
        _, errors = process.communicate()
        (shell.folder / "errors").write_bytes(errors)
