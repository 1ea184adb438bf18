"""Admit only the person who started the console, in the browser opened with its address.

A page of any origin can send requests to loopback, and cookies are the same for all ports. So a
request must name this address and port exactly, come from this origin or from the person, and have
the cookie that a one-use token was exchanged for; a change needs the form's token too. This is
plain ASGI, before any framework.
"""

from __future__ import annotations

import asyncio
import hmac
import os
from collections.abc import Awaitable, Callable, MutableMapping
from dataclasses import dataclass, field
from hashlib import sha256
from html import escape
from threading import Lock
from typing import Any, TypeAlias
from urllib.parse import parse_qs

from engrain.adapters.web.asking import PREFIX

Message: TypeAlias = MutableMapping[str, Any]
Receive: TypeAlias = Callable[[], Awaitable[Message]]
Send: TypeAlias = Callable[[Message], Awaitable[None]]
App: TypeAlias = Callable[[Message, Receive, Send], Awaitable[None]]

MAX_BODY = 2 * 1024 * 1024
"""The most bytes of a form."""
_MOST_TOKENS = 16
_MOST_SESSIONS = 64
_MOST_FIELDS = 1000
_HOME = f"{PREFIX}/".encode()
_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self';"
    " form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
HEADERS = (
    (b"content-security-policy", _POLICY.encode()),
    (b"referrer-policy", b"no-referrer"),
    (b"x-content-type-options", b"nosniff"),
    (b"x-frame-options", b"DENY"),
    (b"cross-origin-opener-policy", b"same-origin"),
    (b"cross-origin-resource-policy", b"same-origin"),
    (b"cache-control", b"no-store"),
)
"""The headers of every answer."""
_REFUSED = (
    '<!doctype html><html lang="en"><meta charset="utf-8"><title>Engrain</title><h1>{}</h1><p>{}'
)
_AGAIN = "Run `engrain console` again and open the address that it prints."


@dataclass(slots=True, eq=False)
class AdmittedBrowser:
    """An admitted browser: its secret, the token of its forms, and the notices of its next page."""

    secret: str
    notices: list[str] = field(default_factory=list)
    over: bool = False
    """Whether the console ends, so that streams must end."""

    @property
    def csrf(self) -> str:
        return hmac.new(self.secret.encode(), b"form", sha256).hexdigest()


class Doors:
    """Passes requests to `port` on to `app` if the person made them.

    `app` finds the `AdmittedBrowser` in `scope["visit"]` and a form in `scope["form"]`. `load`
    prepares it
    before the first request.
    """

    def __init__(self, app: App, port: int, load: Callable[[], object] = lambda: None) -> None:
        self._app = app
        self.load = load
        self._host = f"127.0.0.1:{port}".encode()
        self._origin = b"http://" + self._host
        self._cookie = f"engrain-console-{port}"
        self._tokens: list[str] = []
        self._visits: dict[str, AdmittedBrowser] = {}

    def invite(self) -> str:
        """Return an address that admits one browser, once."""
        self._tokens = [*self._tokens[1 - _MOST_TOKENS :], os.urandom(24).hex()]
        return f"http://{self._host.decode()}{PREFIX}/?token={self._tokens[-1]}"

    async def __call__(self, scope: Message, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            return
        headers: dict[bytes, list[bytes]] = {}
        for name, value in scope["headers"]:
            headers.setdefault(name.lower(), []).append(value)
        if refused := self._find_fault(scope["method"], headers):
            await _refuse(send, 403, refused)
            return
        visit = self._find_visit(headers)
        asked = parse_qs(scope["query_string"].decode("latin-1"), max_num_fields=_MOST_FIELDS)
        if "token" in asked and scope["method"] == "GET":
            await self._exchange(asked["token"][-1], visit, send)
            return
        if visit is None:
            await _refuse(send, 401, _AGAIN)
            return
        scope["visit"] = visit
        if scope["method"] == "POST":
            body = await _read_body(receive)
            if body is None:
                await _refuse(send, 413, f"A form may have {MAX_BODY} bytes.")
                return
            form = _read_form(body)
            sent = (form.get("csrf") or [""])[-1]
            if not hmac.compare_digest(sent.encode(), visit.csrf.encode()):
                await _refuse(send, 403, "The form is not of this visit. Load the page again.")
                return
            scope["form"] = form
        await self._app(scope, receive, _with_headers(send))

    def leave(self) -> None:
        """End the streams: the console ends."""
        for visit in self._visits.values():
            visit.over = True

    def _find_visit(self, headers: dict[bytes, list[bytes]]) -> AdmittedBrowser | None:
        """Return the visit whose cookie these headers have, None if there is none."""
        for line in headers.get(b"cookie", ()):
            for part in line.decode("latin-1").split(";"):
                name, _, value = part.strip().partition("=")
                if name == self._cookie and value in self._visits:
                    return self._visits[value]
        return None

    def _find_fault(self, method: str, headers: dict[bytes, list[bytes]]) -> str:
        """Return why a request is refused from any browser, "" if it is not."""
        site = (headers.get(b"sec-fetch-site") or [b""])[-1]
        origin = (headers.get(b"origin") or [b""])[-1]
        changes = method == "POST"
        if headers.get(b"host") != [self._host]:
            return "This address is not the one that `engrain console` printed."
        if site not in ((b"", b"same-origin") if changes else (b"", b"same-origin", b"none")):
            return "Another page may not lead here. Open the address by hand."
        # A browser that sends no referrer sends the origin `null` with a form.
        own = (self._origin, b"") if site != b"same-origin" else (self._origin, b"", b"null")
        if origin not in own:
            return "Pages of other origins may not use this console."
        if method not in ("GET", "HEAD", "POST"):
            return "This method is not supported."
        return ""

    async def _exchange(self, token: str, visit: AdmittedBrowser | None, send: Send) -> None:
        """Admit a browser for a token, which is used up and removed from the address."""
        known = [one for one in self._tokens if hmac.compare_digest(one.encode(), token.encode())]
        if not known:
            await _refuse(send, 403, f"This address was used already, or was never given. {_AGAIN}")
            return
        self._tokens = [one for one in self._tokens if one not in known]
        headers = [(b"location", _HOME)]
        if visit is None:
            visit = AdmittedBrowser(os.urandom(24).hex())
            kept = list(self._visits.items())[1 - _MOST_SESSIONS :]
            self._visits = {**dict(kept), visit.secret: visit}
            cookie = f"{self._cookie}={visit.secret}; HttpOnly; SameSite=Strict; Path={PREFIX}"
            headers.append((b"set-cookie", cookie.encode()))
        await _send(send, 303, headers, b"")


async def _read_body(receive: Receive) -> bytes | None:
    """Return the body, None if it is over the limit or the client has left."""
    body = bytearray()
    while True:
        message = await receive()
        body += message.get("body", b"")
        if message["type"] == "http.disconnect" or len(body) > MAX_BODY:
            return None
        if not message.get("more_body", False):
            return bytes(body)


def _read_form(body: bytes) -> dict[str, list[str]]:
    try:
        return parse_qs(body.decode(), keep_blank_values=True, max_num_fields=_MOST_FIELDS)
    except ValueError:  # too many fields, or not UTF-8
        return {}


def _with_headers(send: Send) -> Send:
    async def sending(message: Message) -> None:
        if message["type"] == "http.response.start":
            given = [one for one in message.get("headers", ()) if one[0] != b"cache-control"]
            message = {**message, "headers": [*given, *HEADERS]}
        await send(message)

    return sending


async def _refuse(send: Send, status: int, why: str) -> None:
    title = "Not let in" if status in (401, 403) else "Refused"
    body = _REFUSED.format(title, escape(why)).encode()
    headers = [
        (b"content-type", b"text/html; charset=utf-8"),
        (b"content-length", str(len(body)).encode()),
        (b"connection", b"close"),
    ]
    await _send(send, status, headers, body)


async def _send(send: Send, status: int, headers: list[tuple[bytes, bytes]], body: bytes) -> None:
    send = _with_headers(send)
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})


class _Pages:
    """The pages, made at their first request: that takes longer than to print their address."""

    def __init__(self, make: Callable[[], App]) -> None:
        self._make = make
        self._lock = Lock()
        self._app: App | None = None

    def load(self) -> App:
        with self._lock:
            if self._app is None:
                self._app = self._make()
            return self._app

    async def __call__(self, scope: Message, receive: Receive, send: Send) -> None:
        app = self._app
        if app is None:
            app = await asyncio.to_thread(self.load)
        await app(scope, receive, send)


def make_console(port: int, make: Callable[[], App]) -> Doors:
    """Return the console for a server on 127.0.0.1 and this port; `make` makes its pages.
    `Doors.invite` returns the address that admits a browser."""
    pages = _Pages(make)
    return Doors(pages, port, pages.load)
