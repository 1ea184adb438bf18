"""What a request must be before any of FastMCP sees it: from a program of this machine that has the
token, and small.

A page in a browser can send requests to loopback too, by its own name for it (DNS rebinding,
CVE-2025-66416) or from its own origin: both are refused, token or not. Plain ASGI, so that it
needs no framework; a refusal is a JSON-RPC error that says what to do.
"""

from __future__ import annotations

import json

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Mapping, MutableMapping
    from typing import Any, Protocol, TypeAlias

    class Beside(Protocol):
        """An application that guards itself."""

        async def __call__(self, scope: Message, receive: Receive, send: Send) -> None: ...

        def admits(self, headers: Mapping[bytes, bytes]) -> bool: ...

        def invite(self) -> str: ...

        def leave(self) -> None: ...


Message: TypeAlias = "MutableMapping[str, Any]"
Receive: TypeAlias = "Callable[[], Awaitable[Message]]"
Send: TypeAlias = "Callable[[Message], Awaitable[None]]"
App: TypeAlias = "Callable[[Message, Receive, Send], Awaitable[None]]"

PATH = "/mcp"
PROJECT_HEADER = "engrain-project"
"""Names the client's project, percent-encoded: a server for all of them can't see it."""
SESSION_HEADER = "engrain-session"
"""Distinguishes the client's session from others: the server keeps none."""
INVITE = "/invite"
MAX_BODY = 1024 * 1024  # bytes
_MOST_DROPPED = 16 * MAX_BODY
_LOOPBACK = (b"localhost", b"127.0.0.1")
_REFUSED = -32001
"""Of the codes that JSON-RPC leaves to servers."""


class Guard:
    """Lets through what is meant for loopback, bears `token` and has at most `MAX_BODY` bytes;
    a refusal names `token_file`."""

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
        elif not _is_at_home(headers.get(b"origin")):
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
        elif body and not _is_json(body):
            await refuse(send, 400, "the body is not JSON, or nested too deep")
        else:
            await self._app(scope, replay(body, receive), send)

    def admits(self, headers: Mapping[bytes, bytes]) -> bool:
        """Whether a request with these headers, by names in lower case, bears the token."""
        import hmac  # loads OpenSSL, for which who wants but the names above need not wait

        scheme, _, token = headers.get(b"authorization", b"").partition(b" ")
        return hmac.compare_digest(scheme.lower() + b" " + token.strip(), self._expected)


class Fork:
    """Two applications on the same sockets: `guard` stands before one, and what is asked under
    `prefix` goes to another, which is made when it is first asked for and guards itself. Who bears
    the guard's token gets an address that lets a browser in there from `prefix` + `INVITE`."""

    def __init__(self, guard: Guard, prefix: str, make: Callable[[], Beside]) -> None:
        self._guard = guard
        self._prefix = prefix
        self._make = make
        self._made: Beside | None = None

    async def __call__(self, scope: Message, receive: Receive, send: Send) -> None:
        path = scope.get("path", "")
        if path != self._prefix and not path.startswith(f"{self._prefix}/"):
            await self._guard(scope, receive, send)
            return
        self._made = self._made or self._make()
        if path == self._prefix + INVITE and self._guard.admits(dict(scope["headers"])):
            await answer(send, 200, {"url": self._made.invite()})
        else:
            await self._made(scope, receive, send)

    def leave(self) -> None:
        """The server ends."""
        if self._made is not None:
            self._made.leave()

    def admits(self, headers: Mapping[bytes, bytes]) -> bool:
        """Whether one of the two lets a request with these headers through."""
        beside = self._made is not None and self._made.admits(headers)
        return beside or self._guard.admits(headers)


def _is_loopback(host: bytes) -> bool:
    """Whether a name, with or without a port, is one of this machine for itself."""
    name, _, port = host.partition(b":")
    return name.lower() in _LOOPBACK and (not port or port.isdigit())


def _is_at_home(origin: bytes | None) -> bool:
    """Whether a request is of no page at all, or of one that this machine serves itself."""
    if origin is None:
        return True
    scheme, _, host = origin.partition(b"://")
    return scheme in (b"http", b"https") and _is_loopback(host)


async def read_body(receive: Receive) -> bytes | None:
    """The whole body; None when it is over the limit, or the client has left before its end.

    Of one over the limit the rest is taken and dropped, up to a bound: a client that is still
    sending would not see why it is refused.
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


def _is_json(body: bytes) -> bool:
    """Whether a body can be parsed; not every SDK survives one that is nested without end."""
    try:
        json.loads(body)
    except (ValueError, RecursionError):
        return False
    return True


def replay(body: bytes, receive: Receive) -> Receive:
    """A `receive` that gives the body that was read already, then goes on."""
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
