"""Check requests before FastMCP sees them: they must come from a program of this machine that has
the token, and be small.

A page in a browser can send requests to loopback too, by its own name for it (DNS rebinding,
CVE-2025-66416) or from its own origin: both are refused, even with the token. This is plain ASGI
without a framework; a refusal is a JSON-RPC error that says what to do.
"""

from __future__ import annotations

import hmac
import json
from collections.abc import Awaitable, Callable, Mapping, MutableMapping
from typing import Any, Protocol, TypeAlias

from engrain.model.note.documents import is_json

Message: TypeAlias = "MutableMapping[str, Any]"
Receive: TypeAlias = "Callable[[], Awaitable[Message]]"
Send: TypeAlias = "Callable[[Message], Awaitable[None]]"
App: TypeAlias = "Callable[[Message, Receive, Send], Awaitable[None]]"

PATH = "/mcp"
SESSION_HEADER = "engrain-session"
"""The header with the client's session, since the server keeps no sessions."""
CALLER = "engrain-caller"
"""The key of the `Caller` in a request's ASGI scope, where a server knows who asks."""
MAX_BODY = 1024 * 1024  # bytes
_MOST_DROPPED = 16 * MAX_BODY
_LOOPBACK = (b"localhost", b"127.0.0.1")
_REFUSED = -32001
"""One of the codes that JSON-RPC leaves to servers."""


class Gatekeeper(Protocol):
    """An application that checks its requests."""

    async def __call__(self, scope: Message, receive: Receive, send: Send) -> None: ...

    def admits(self, headers: Mapping[bytes, bytes]) -> bool:
        """Whether a request with these headers has a token that the application accepts."""


class LoopbackGuard:
    """Passes requests on that are addressed to loopback, have the token and at most `MAX_BODY`
    bytes. A refusal names `token_file`."""

    def __init__(self, app: App, token: str, token_file: str) -> None:
        self._app = app
        self._expected = f"bearer {token}".encode()
        self._token_file = token_file

    async def __call__(self, scope: Message, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        headers = dict(scope["headers"])
        if not _is_loopback(headers.get(b"host", b"")):
            await refuse(send, 421, "this server answers to localhost and 127.0.0.1 alone")
        elif not _is_local_origin(headers.get(b"origin")):
            await refuse(send, 403, "pages of other origins may not use this server")
        elif not self.admits(headers):
            reason = (
                "no bearer token, or not this server's: send `Authorization: Bearer TOKEN`;"
                f" the token is in {self._token_file}"
            )
            await refuse(send, 401, reason, (b"www-authenticate", b"Bearer"))
        elif (body := await read_body(receive)) is None:
            reason = f"a request may have {MAX_BODY} bytes: send less text at a time"
            await refuse(send, 413, reason, (b"connection", b"close"))
        elif body and not is_json(body):
            await refuse(send, 400, "the body is not JSON, or nested too deep")
        else:
            await self._app(scope, replay(body, receive), send)

    def admits(self, headers: Mapping[bytes, bytes]) -> bool:
        """Whether a request with these headers, by names in lower case, has the token."""
        scheme, _, token = headers.get(b"authorization", b"").partition(b" ")
        return hmac.compare_digest(scheme.lower() + b" " + token.strip(), self._expected)


def _is_loopback(host: bytes) -> bool:
    """Whether a name, with or without a port, is a loopback name of this machine."""
    name, _, port = host.partition(b":")
    return name.lower() in _LOOPBACK and (not port or port.isdigit())


def _is_local_origin(origin: bytes | None) -> bool:
    """Whether a request comes from no page, or from a page that this machine serves."""
    if origin is None:
        return True
    scheme, _, host = origin.partition(b"://")
    return scheme in (b"http", b"https") and _is_loopback(host)


async def read_body(receive: Receive) -> bytes | None:
    """Return the body, None if it is over the limit or the client left before its end.

    The rest of a body over the limit is received and dropped, up to a bound: a client that is
    still sending would not see the refusal.
    """
    body, size = bytearray(), 0
    while True:
        message = await receive()
        size += len(message.get("body", b""))
        if size <= MAX_BODY:
            body += message.get("body", b"")
        if message["type"] == "http.disconnect" or size > _MOST_DROPPED:
            return None
        if not message.get("more_body", False):
            return bytes(body) if size <= MAX_BODY else None


def replay(body: bytes, receive: Receive) -> Receive:
    """Return a `receive` that returns the body that was read already, then continues."""
    waiting = [body]

    async def give() -> Message:
        if waiting:
            return {"type": "http.request", "body": waiting.pop(), "more_body": False}
        return await receive()

    return give


async def refuse(send: Send, status: int, reason: str, *more: tuple[bytes, bytes]) -> None:
    """Send an error of JSON-RPC, with `more` headers."""
    error = {"jsonrpc": "2.0", "id": None, "error": {"code": _REFUSED, "message": reason}}
    await answer(send, status, error, *more)


async def answer(send: Send, status: int, data: object, *more: tuple[bytes, bytes]) -> None:
    """Send data as JSON, with `more` headers."""
    body = json.dumps(data).encode()
    headers = [
        (b"content-type", b"application/json"),
        (b"content-length", str(len(body)).encode()),
        *more,
    ]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})
