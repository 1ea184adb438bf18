"""The short way: a running server answers with what it has warm (S1.18).

One request a connection. The hook sends the names of `FIELDS`, each ended by a zero byte, then the
payload as its host gave it, and ends its half; the server sends how many bytes are to be printed,
a line end, and these bytes. A server that does not answer at once, or not to the end, is as good as
none.
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
    """What the server at `path` would have printed, None when it does not say so in `wait`
    seconds."""
    try:
        import _socket  # what `socket` adds takes longer to load than the answer to come

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
