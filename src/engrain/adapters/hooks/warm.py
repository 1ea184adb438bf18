"""The short way: a running server answers with what it has warm (S1.18).

One request a connection. The hook sends the names of `FIELDS`, each ended by a zero byte, then the
payload as its host gave it, and ends its half; the server sends what is to be printed, with a
marker before it, and closes. A server that does not answer at once is as good as none.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

ENDING = "hooks.sock"
"""The name of the socket among those of `resolution.endpoint`."""
FIELDS = ("event", "host", "cwd", "project", "phase", "deadline")
READY = b"\x06"
"""What an answer begins with; an end without it means that there is none."""
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
        connection.settimeout(wait)
        connection.connect(path)
        head = b"".join(fields[name].encode(errors="replace") + b"\0" for name in FIELDS)
        connection.sendall(head + payload)
        connection.shutdown(_socket.SHUT_WR)
        parts = []
        while part := connection.recv(_CHUNK):
            parts.append(part)
    except OSError:
        return None
    finally:
        connection.close()
    answer = b"".join(parts)
    return answer[len(READY) :] if answer.startswith(READY) else None
