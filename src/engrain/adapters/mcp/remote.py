"""A server in another process, asked over its Unix socket.

By hand, in HTTP/1.0, in which an answer is whole when the connection ends: `http.client` would
take a third of the time that a cold bridge has.
"""

from __future__ import annotations

from engrain.adapters.mcp.guard import PATH
from engrain.adapters.mcp.singleton import connect

TYPE_CHECKING = False
if TYPE_CHECKING:
    from engrain.adapters.mcp.singleton import Running

_LONGEST = 120.0  # seconds that an answer may take


class Remote:
    """Asks `running`, in a connection of its own each time. Raises StorageError without token."""

    def __init__(self, running: Running) -> None:
        self._socket = running.socket
        self._token = running.read_token()

    def post(self, body: bytes, headers: dict[str, str]) -> bytes:
        """The body of the answer. Raises ConnectionRefusedError or FileNotFoundError when there is
        no server any more and nothing was sent, other OSErrors later."""
        fields = {
            "Host": "localhost",
            "Authorization": f"Bearer {self._token}",
            "Content-Length": str(len(body)),
            **headers,
        }
        lines = [f"POST {PATH} HTTP/1.0", *(f"{name}: {value}" for name, value in fields.items())]
        with connect(self._socket, _LONGEST) as connection:
            connection.sendall("\r\n".join(lines).encode("ascii") + b"\r\n\r\n" + body)
            with connection.makefile("rb") as answer:
                head, _, content = answer.read().partition(b"\r\n\r\n")
        if not head:
            raise ConnectionResetError("it ended without an answer")
        return content
