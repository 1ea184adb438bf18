"""Ask the vault's server in another process over its Unix socket.

It speaks HTTP/1.0 by itself, in which an answer is complete when the connection ends: to load
`http.client` would take a third of the time that a cold bridge has.
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable
from socket import socket
from urllib.parse import quote

from engrain.adapters.mcp.description import Json
from engrain.adapters.mcp.guard import PATH, SESSION_HEADER
from engrain.adapters.mcp.singleton import Running, connect
from engrain.resolution.endpoint import PROJECT_HEADER, find_peer, read_state

_LONGEST = 120.0  # seconds that an answer may take
_PATIENCE = 0.2
"""Seconds without an answer after which a server is probed; the pauses grow."""
_LONGEST_PATIENCE = 1.0
_PROOF = 0.3
"""Seconds within which a running server answers a probe."""
_MOST_SILENT = 20
"""The most probes in a row that a busy server may leave unanswered."""
_PROBE = b"GET / HTTP/1.0\r\nHost: localhost\r\n\r\n"
_CHUNK = 64 * 1024


class Remote:
    """Asks `running` for a host in this project and session, by a new connection each time. Raises
    StorageError without a token.

    While the server does not answer probes, `has_other` is asked whether another process can answer
    by now; if so, this one stops waiting.
    """

    def __init__(
        self, running: Running, has_other: Callable[[], bool], project: str | None, session: str
    ) -> None:
        self._has_other = has_other
        self._socket = running.socket
        self._fields = {
            "Host": "localhost",
            "Authorization": f"Bearer {running.read_token()}",
            "Content-Type": "application/json",
            "Accept": "application/json, text/event-stream",
            SESSION_HEADER: session,
        }
        if project:
            self._fields[PROJECT_HEADER] = quote(project)

    def ask(self, request: Json) -> Json:
        """Return the server's response. Raises OSError if there is none: the server has ended, is
        full, or does not react while another could answer; ValueError for an invalid response."""
        answer = json.loads(self._post(json.dumps(request).encode()))
        if not isinstance(answer, dict):
            raise ValueError("not one message")
        return answer

    def _post(self, body: bytes) -> bytes:
        fields = {**self._fields, "Content-Length": str(len(body))}
        lines = [f"POST {PATH} HTTP/1.0", *(f"{name}: {value}" for name, value in fields.items())]
        with connect(self._socket, _PROOF) as connection:
            connection.sendall("\r\n".join(lines).encode("ascii") + b"\r\n\r\n" + body)
            head, _, content = self._receive(connection).partition(b"\r\n\r\n")
        if not head:
            raise ConnectionResetError("it ended without an answer")
        if head.split(maxsplit=2)[1:2] == [b"503"]:
            raise ConnectionRefusedError("it has too many clients")
        return content

    def _receive(self, connection: socket) -> bytes:
        """Return the whole response. Raises TimeoutError if it no longer waits for the server."""
        patience, until, silent = _PATIENCE, time.monotonic() + _LONGEST, 0
        parts: list[bytes] = []
        while True:
            connection.settimeout(patience)
            try:
                part = connection.recv(_CHUNK)
            except TimeoutError:
                silent = 0 if self._is_alive() else silent + 1
                patience = _PATIENCE if silent else min(2 * patience, _LONGEST_PATIENCE)
                is_lost = silent > _MOST_SILENT or (silent and not _is_busy(connection))
                if time.monotonic() > until or (is_lost and self._has_other()):
                    raise
            else:
                if not part:
                    return b"".join(parts)
                parts.append(part)

    def _is_alive(self) -> bool:
        """Whether the server answers a request without token, which it refuses at once."""
        try:
            with connect(self._socket, _PROOF) as connection:
                connection.sendall(_PROBE)
                return bool(connection.recv(1))
        except OSError:
            return False


def _is_busy(connection: socket) -> bool:
    """Whether a thread of the server is running or wants a processor: then it is only slow."""
    place = f"/proc/{find_peer(connection)}/task"
    try:
        return any(read_state(f"{place}/{thread}/stat") == b"R" for thread in os.listdir(place))
    except OSError:
        return False
