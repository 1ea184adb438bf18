"""Check requests from other machines before FastMCP sees them: they must be addressed to this
server, with a token for it whose scopes permit them, small, and within the limits of the client.

Only the endpoint and the description of the resource (RFC 9728), which tells clients where to get
tokens (MCP, authorization), exist here. The token is not passed on.
"""

from __future__ import annotations

import asyncio
import json
import math
import time
from collections import Counter, OrderedDict
from collections.abc import Awaitable, Callable, Hashable, Mapping, Set
from dataclasses import dataclass
from hashlib import sha256
from typing import Any
from urllib.parse import urlsplit

from engrain.adapters.mcp.guard import (
    CALLER,
    MAX_BODY,
    PATH,
    App,
    Message,
    Receive,
    Send,
    answer,
    read_body,
    refuse,
    replay,
)

READ, WRITE, WRITE_EXTERNAL = "memory:read", "memory:write", "memory:write-external"
SCOPES = {
    READ: "search and recall",
    WRITE: "append and forget; what is appended counts as an agent's",
    WRITE_EXTERNAL: "append; what is appended counts as external",
}
"""What each scope of a token permits."""
_TOOLS = {
    "memory_search": (READ,),
    "memory_recall": (READ,),
    "memory_append": (WRITE, WRITE_EXTERNAL),
    "memory_forget": (WRITE,),
}


@dataclass(frozen=True, slots=True)
class Caller:
    """The holder of a token: `client` is a digest of the token's subject and client, in hex, `name`
    their name in the history, `scopes` the token's scopes."""

    client: str
    name: str
    scopes: Set[str]

    @property
    def trust(self) -> str:
        """Return the trust of memories that they append, never more than an agent's."""
        return "agent" if WRITE in self.scopes else "external"

    def name_session(self, session: str) -> str:
        """Return a name of their session that no other client can use; "" means unnamed."""
        return f"{self.client}-{session[:100]}" if session else self.client


def needed_scopes(message: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the scopes that permit a message: a token must have one of them."""
    params = message.get("params")
    if message.get("method") == "tools/call" and isinstance(params, dict):
        return _TOOLS.get(str(params.get("name")), tuple(SCOPES))
    return tuple(SCOPES)


METADATA = "/.well-known/oauth-protected-resource" + PATH
MOST_AT_ONCE = 8
"""The most requests of one client that are answered at once."""
STRANGERS_PER_MINUTE = 60
"""The most refused tokens from one address in a minute."""
KEPT = 30.0
"""Seconds for which a valid token is not verified again, even if it is revoked."""
_LONGEST_TOKEN = 8192
_BODY_SECONDS = 20.0
_MOST_CLIENTS = 10_000
_CLOSE = (b"connection", b"close")

Verify = Callable[[str], Awaitable["tuple[Caller, float] | None"]]
"""Returns (the token's holder, its end in epoch seconds), None for an invalid token."""


@dataclass(frozen=True, slots=True)
class Limits:
    """The limits of one client in a minute, and in a burst."""

    requests: int
    bytes: int


class Rates:
    """A bucket for each key that fills up within a minute (token bucket)."""

    def __init__(self, per_minute: float, clock: Callable[[], float] = time.monotonic) -> None:
        self._full = per_minute
        self._clock = clock
        self._taken: OrderedDict[Hashable, tuple[float, float]] = OrderedDict()

    def take(self, key: Hashable, amount: float) -> float:
        """Take an amount from the bucket of a key and return 0, or return the seconds until it has
        so much."""
        wait = self.wait(key, amount)
        if not wait:
            self._taken[key] = self._left(key) - amount, self._clock()
            self._taken.move_to_end(key)
            if len(self._taken) > _MOST_CLIENTS:
                self._taken.popitem(last=False)
        return wait

    def wait(self, key: Hashable, amount: float) -> float:
        """Return the seconds until the bucket of a key has so much, or is full."""
        missing = min(amount, self._full) - self._left(key)
        return max(0.0, missing * 60.0 / self._full)

    def _left(self, key: Hashable) -> float:
        left, at = self._taken.get(key, (self._full, 0.0))
        return min(self._full, left + (self._clock() - at) * self._full / 60.0)


class Doorkeeper:
    """Passes requests on to `app` that are addressed to `url` (https, with `PATH`) and have a token
    that `verify` accepts. Clients get tokens from `issuer`. Refused tokens are counted by address
    unless `proxied`, when all requests come from one address."""

    def __init__(
        self, app: App, url: str, issuer: str, verify: Verify, limits: Limits, *, proxied: bool
    ) -> None:
        self._app = app
        self._url = url
        self._verify = verify
        self._limits = limits
        self._proxied = proxied
        parts = urlsplit(url)
        self._hosts = {parts.netloc.lower(), f"{parts.hostname}:{parts.port or 443}"}
        self._origins = {f"https://{host}" for host in self._hosts}
        self._metadata = {
            "resource": url,
            "authorization_servers": [issuer],
            "scopes_supported": list(SCOPES),
            "bearer_methods_supported": ["header"],
            "resource_name": "Engrain",
        }
        self._challenge = f'Bearer resource_metadata="https://{parts.netloc}{METADATA}"'
        self._good: OrderedDict[bytes, tuple[Caller, float]] = OrderedDict()
        self._requests = Rates(limits.requests)
        self._bytes = Rates(limits.bytes)
        self._strangers = Rates(STRANGERS_PER_MINUTE)
        self._running: Counter[str] = Counter()

    def admits(self, headers: Mapping[bytes, bytes]) -> bool:
        """Whether a request with these headers has a token that was recently verified."""
        return self._recall(_read_token(headers)) is not None

    async def __call__(self, scope: Message, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        headers = dict(scope["headers"])
        origin = headers.get(b"origin", b"").decode("latin-1").lower()
        if headers.get(b"host", b"").decode("latin-1").lower() not in self._hosts:
            await refuse(send, 421, f"this server is {self._url}")
        elif b"origin" in headers and origin not in self._origins:
            await refuse(send, 403, "pages of other origins may not use this server")
        elif scope["path"] == METADATA and scope["method"] == "GET":
            await answer(send, 200, self._metadata)
        elif scope["path"] != PATH:
            await refuse(send, 404, "there is nothing here")
        elif scope["method"] != "POST":
            await refuse(send, 405, "POST a message", (b"allow", b"POST"))
        else:
            await self._take(scope, headers, receive, send)

    async def _take(
        self, scope: Message, headers: Mapping[bytes, bytes], receive: Receive, send: Send
    ) -> None:
        token, address = _read_token(headers), (scope.get("client") or ("",))[0]
        caller = self._recall(token)
        if caller is None:
            if not self._proxied and (wait := self._strangers.wait(address, 1)):
                await _send_away(send, wait, "too many tokens that are not good")
                return
            caller = await self._look_at(token)
        if caller is None:
            self._strangers.take(address, 1)
            await self._refuse_token(send, token)
        elif wait := self._requests.take(caller.client, 1):
            await _send_away(send, wait, f"a client may send {self._limits.requests} a minute")
        elif self._running[caller.client] >= MOST_AT_ONCE:
            await _send_away(send, 1, f"a client may send {MOST_AT_ONCE} at once")
        else:
            self._running[caller.client] += 1
            try:
                await self._read(scope, caller, receive, send)
            finally:
                self._running[caller.client] -= 1
                self._running += Counter()  # drops what is 0

    async def _read(self, scope: Message, caller: Caller, receive: Receive, send: Send) -> None:
        try:
            async with asyncio.timeout(_BODY_SECONDS):
                body = await read_body(receive)
        except TimeoutError:
            await refuse(send, 408, "the request took too long", _CLOSE)
            return
        if body is None:
            reason = f"a request may have {MAX_BODY} bytes: send less text at a time"
            await refuse(send, 413, reason, _CLOSE)
        elif wait := self._bytes.take(caller.client, len(body)):
            await _send_away(send, wait, f"a client may send {self._limits.bytes} bytes a minute")
        elif (message := _parse(body)) is None:
            await refuse(send, 400, "the body is not a message in JSON")
        elif caller.scopes.isdisjoint(needed := needed_scopes(message)):
            reason = f"this needs a token of the scope {' or '.join(needed)}"
            await refuse(send, 403, reason, self._challenge_by("insufficient_scope", needed[0]))
        else:
            kept = [(name, value) for name, value in scope["headers"] if name != b"authorization"]
            passed = {**scope, "headers": kept, CALLER: caller}
            await self._app(passed, replay(body, receive), send)

    async def _look_at(self, token: str) -> Caller | None:
        """Verify a token and return its holder, None if it is invalid; the answer is kept."""
        found = await self._verify(token) if token else None
        if found is None:
            return None
        caller, ends = found
        self._good[_digest(token)] = caller, min(ends, time.time() + KEPT)
        if len(self._good) > _MOST_CLIENTS:
            self._good.popitem(last=False)
        return caller

    def _recall(self, token: str) -> Caller | None:
        key = _digest(token)
        caller, ends = self._good.get(key, (None, math.inf))
        if time.time() < ends:
            return caller
        del self._good[key]
        return None

    async def _refuse_token(self, send: Send, token: str) -> None:
        if not token:
            reason = "no token: send `Authorization: Bearer TOKEN`"
            await refuse(send, 401, reason, self._challenge_by("", f"{READ} {WRITE}"))
        else:
            reason = "the token has expired, or is not for this server"
            await refuse(send, 401, reason, self._challenge_by("invalid_token", ""))

    def _challenge_by(self, error: str, scope: str) -> tuple[bytes, bytes]:
        """Return the header that says which token a client needs (RFC 6750, RFC 9728)."""
        more = {"error": error, "scope": scope}
        said = [self._challenge, *(f'{name}="{text}"' for name, text in more.items() if text)]
        return b"www-authenticate", ", ".join(said).encode()


async def _send_away(send: Send, wait: float, reason: str) -> None:
    later = str(math.ceil(wait)).encode()
    await refuse(send, 429, f"{reason}: wait", (b"retry-after", later), _CLOSE)


def _read_token(headers: Mapping[bytes, bytes]) -> str:
    """Return the token of a request, "" if it has none."""
    scheme, _, token = headers.get(b"authorization", b"").strip().partition(b" ")
    if scheme.lower() != b"bearer" or len(token) > _LONGEST_TOKEN or not token.isascii():
        return ""
    return token.strip().decode()


def _digest(token: str) -> bytes:
    return sha256(token.encode()).digest()


def _parse(body: bytes) -> dict[str, Any] | None:
    try:
        message = json.loads(body)
    except (ValueError, RecursionError):
        return None
    return message if isinstance(message, dict) else None
