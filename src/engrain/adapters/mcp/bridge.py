"""A bridge for hosts that speak only stdio: each line is a request to a server that keeps no
session, each answer comes back as a line.

What a host would put into the headers of HTTP is read from the message itself. Nothing is imported
here that a cold process would wait for.
"""

from __future__ import annotations

import json
import os
import threading
from queue import SimpleQueue
from urllib.parse import quote

from engrain.adapters.mcp.guard import PROJECT_HEADER, SESSION_HEADER
from engrain.adapters.present.failures import error_line
from engrain.model.errors import EngrainError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, BinaryIO, Protocol

    class Target(Protocol):
        """Where requests go."""

        def post(self, body: bytes, headers: dict[str, str], /) -> bytes: ...


_WORKERS = 8
_PARSE_ERROR = -32700
_INVALID_REQUEST = -32600
_INTERNAL_ERROR = -32603
_ENCODED = "=?base64?"
_VERSION_KEY = "io.modelcontextprotocol/protocolVersion"
_NAMES = {"tools/call": "name", "prompts/get": "name", "resources/read": "uri"}
"""Methods whose `Mcp-Name` header repeats a parameter (MCP 2026-07-28, transports)."""
_OWN_HEADERS = {"Content-Type": "application/json", "Accept": "application/json, text/event-stream"}


class Bridge:
    """Forwards the lines of one host, which is in `project`, to the target that `choose` gives.

    `choose` is told how often a target has failed at the request at hand: after the first failure
    it may give a server that proves to be alive, after the second none. So a request may be made
    twice, which every tool bears. What the host asks from here on is one session, however many
    servers answer. Raises what `choose` raises.
    """

    def __init__(
        self, choose: Callable[[int], Target], project: str | None, output: BinaryIO
    ) -> None:
        self._choose = choose
        self._target = choose(0)
        self._own = {**_OWN_HEADERS, SESSION_HEADER: os.urandom(8).hex()}
        if project:
            self._own[PROJECT_HEADER] = quote(project)
        self._output = output
        self._writing = threading.Lock()
        self._choosing = threading.Lock()
        self._version: str | None = None

    def run(self, lines: BinaryIO) -> None:
        """Forward until the input ends and every answer is out."""
        queue: SimpleQueue[bytes | None] = SimpleQueue()
        workers = [
            threading.Thread(target=self._work, args=(queue,), daemon=True) for _ in range(_WORKERS)
        ]
        for worker in workers:
            worker.start()
        for line in lines:
            if line.strip():
                queue.put(line)
        for _ in workers:
            queue.put(None)
        for worker in workers:
            worker.join()

    def _work(self, queue: SimpleQueue[bytes | None]) -> None:
        while (line := queue.get()) is not None:
            answer = self._answer(line)
            try:
                if answer is not None:
                    self._write(answer)
            except OSError:
                return  # The host has closed the output: its input ends next.

    def _answer(self, line: bytes) -> object:
        """What the host gets for a line, None for nothing."""
        try:
            message = json.loads(line)
        except (ValueError, RecursionError):
            return _fail(None, _PARSE_ERROR, "not JSON")
        if not isinstance(message, dict):
            return _fail(None, _INVALID_REQUEST, "not one message")
        identity = message.get("id")
        try:
            answer = self._forward(line, message)
        except EngrainError as error:
            answer = _fail(identity, _INTERNAL_ERROR, error_line(error))
        except (OSError, ValueError) as error:
            answer = _fail(identity, _INTERNAL_ERROR, f"the memory server failed: {error!r}")
        if identity is None:
            return None
        # An error that came before the server had read the id is this request's all the same.
        answer["id"] = identity
        if message.get("method") == "initialize":
            self._version = answer.get("result", {}).get("protocolVersion")
        return answer

    def _forward(self, line: bytes, message: dict[str, Any]) -> dict[str, Any]:
        headers = {**self._own, **_headers(message, self._version)}
        body = self._ask(line, headers)
        answer = json.loads(body) if body else {}
        if not isinstance(answer, dict):
            raise ValueError("not one message")
        return answer

    def _ask(self, body: bytes, headers: dict[str, str]) -> bytes:
        target = self._target
        for failures in (1, 2):
            try:
                return target.post(body, headers)
            except OSError:
                with self._choosing:
                    if self._target is target:
                        self._target = self._choose(failures)
                    target = self._target
        return target.post(body, headers)

    def _write(self, answer: object) -> None:
        raw = json.dumps(answer, separators=(",", ":")).encode()
        with self._writing:
            self._output.write(raw + b"\n")
            self._output.flush()


def _headers(message: dict[str, Any], negotiated: str | None) -> dict[str, str]:
    """The headers in which MCP over HTTP repeats what a message says."""
    given = message.get("params")
    params: dict[str, Any] = given if isinstance(given, dict) else {}
    meta = params.get("_meta")
    version = meta.get(_VERSION_KEY) if isinstance(meta, dict) else None
    if not isinstance(version, str):
        return {"MCP-Protocol-Version": negotiated} if negotiated else {}
    method = str(message.get("method"))
    headers = {"MCP-Protocol-Version": version, "Mcp-Method": method}
    if (name := params.get(_NAMES.get(method, ""))) is not None:
        headers["Mcp-Name"] = str(name)
    return {key: _encode(value) for key, value in headers.items()}


def _encode(value: str) -> str:
    """A header's value, in the sentinel form where it isn't plain ASCII."""
    plain = value.isascii() and value.isprintable() and value == value.strip()
    if plain and not value.startswith(_ENCODED):
        return value
    from base64 import b64encode

    return f"{_ENCODED}{b64encode(value.encode(errors='replace')).decode()}?="


def _fail(identity: object, code: int, told: str) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": identity, "error": {"code": code, "message": told}}
