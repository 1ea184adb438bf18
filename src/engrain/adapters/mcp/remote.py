"""The vault's server in another process, asked over its Unix socket.

By hand, in HTTP/1.0, in which an answer is whole when the connection ends: `http.client` would
take a third of the time that a cold bridge has.
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable
from socket import socket
from urllib.parse import quote

from engrain.adapters.mcp.description import Json
from engrain.adapters.mcp.guard import INVITE, PATH, PROJECT_HEADER, SESSION_HEADER
from engrain.adapters.mcp.singleton import Running, connect
from engrain.resolution.endpoint import find_peer, read_state

_LONGEST = 120.0  # seconds that an answer may take
_PATIENCE = 0.2
"""Seconds without an answer after which a server is asked whether it is alive; then ever longer."""
_LONGEST_PATIENCE = 1.0
_PROOF = 0.3
"""Seconds in which a server that is alive says something."""
_MOST_SILENT = 20
"""So often a server that is busy may say nothing in that time."""
_PROBE = b"GET / HTTP/1.0\r\nHost: localhost\r\n\r\n"
_CHUNK = 64 * 1024


class Remote:
    """Asks `running` for a host that is in `project` and has this `session`, in a connection of its
    own each time. Raises StorageError without token.

    While it does not show that it is alive, `has_other` is asked whether somebody else could answer
    by now; if so, it is no longer waited for.
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
        """The server's response. Raises OSError where it gives none: it has gone, is full, or shows
        no life while somebody else could answer; ValueError for what is no response."""
        answer = json.loads(self._post(json.dumps(request).encode()))
        if not isinstance(answer, dict):
            raise ValueError("not one message")
        return answer

    def invite(self, prefix: str) -> str:
        """An address that lets a browser in to what the server serves under `prefix`; "" where
        that is nothing. Raises OSError where it gives no response."""
        try:
            return str(json.loads(self._post(b"{}", prefix + INVITE))["url"])
        except (ValueError, KeyError, TypeError):
            return ""

    def _post(self, body: bytes, path: str = PATH) -> bytes:
        fields = {**self._fields, "Content-Length": str(len(body))}
        lines = [f"POST {path} HTTP/1.0", *(f"{name}: {value}" for name, value in fields.items())]
        with connect(self._socket, _PROOF) as connection:
            connection.sendall("\r\n".join(lines).encode("ascii") + b"\r\n\r\n" + body)
            head, _, content = self._receive(connection).partition(b"\r\n\r\n")
        if not head:
            raise ConnectionResetError("it ended without an answer")
        if head.split(maxsplit=2)[1:2] == [b"503"]:
            raise ConnectionRefusedError("it has too many clients")
        return content

    def _receive(self, connection: socket) -> bytes:
        """All that comes. Raises TimeoutError where the server is waited for no longer."""
        patience, until, silent = _PATIENCE, time.monotonic() + _LONGEST, 0
        parts: list[bytes] = []
        while True:
            connection.settimeout(patience)
            try:
                part = connection.recv(_CHUNK)
            except TimeoutError:
                silent = 0 if self._says_something() else silent + 1
                patience = _PATIENCE if silent else min(2 * patience, _LONGEST_PATIENCE)
                is_lost = silent > _MOST_SILENT or (silent and not _is_busy(connection))
                if time.monotonic() > until or (is_lost and self._has_other()):
                    raise
            else:
                if not part:
                    return b"".join(parts)
                parts.append(part)

    def _says_something(self) -> bool:
        """Whether the server is alive: it refuses a stranger at once, whatever else it does."""
        try:
            with connect(self._socket, _PROOF) as connection:
                connection.sendall(_PROBE)
                return bool(connection.recv(1))
        except OSError:
            return False


def _is_busy(connection: socket) -> bool:
    """Whether the server has work for a processor: then it is only slow, or short of one."""
    place = f"/proc/{find_peer(connection)}/task"
    try:
        return any(read_state(f"{place}/{thread}/stat") == b"R" for thread in os.listdir(place))
    except OSError:
        return False
