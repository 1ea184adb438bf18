"""Ask a running server, which has the memory open and warm (S1.18).

Each request has its own connection. The hook sends the values of `FIELDS`, each ended by a zero
byte, then the payload as its host gave it, and closes its half; the server sends the number of
bytes to print, a line end, and these bytes. A late or incomplete answer counts as none.
"""

from __future__ import annotations

from time import monotonic

from engrain.resolution.endpoint import is_stopped

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

ENDING = "hooks.sock"
"""The name of the socket among those of `resolution.endpoint`."""
FIELDS = ("event", "host", "cwd", "project", "phase", "deadline")
_CHUNK = 64 * 1024


def ask_server(path: str, fields: Mapping[str, str], payload: bytes, wait: float) -> bytes | None:
    """Return the output from the server at `path`, None if it does not arrive in `wait` seconds."""
    try:
        import _socket  # `socket` takes longer to load than the answer to arrive

        connection = _socket.socket(_socket.AF_UNIX, _socket.SOCK_STREAM)
    except (ImportError, AttributeError):
        return None  # a system without such sockets has no server that listens on one
    try:
        head = b"".join(fields[name].encode(errors="replace") + b"\0" for name in FIELDS)
        until = monotonic() + wait
        connection.settimeout(wait)
        connection.connect(path)
        if is_stopped(connection):
            return None
        connection.sendall(head + payload)
        connection.shutdown(_socket.SHUT_WR)
        parts = []
        while part := connection.recv(_CHUNK):
            parts.append(part)
            connection.settimeout(max(0.001, until - monotonic()))
            if monotonic() > until:
                return None
    except OSError:
        return None
    finally:
        connection.close()
    size, _, printed = b"".join(parts).partition(b"\n")
    return printed if size == str(len(printed)).encode() else None
