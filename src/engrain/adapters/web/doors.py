"""Admit only the person who started the console, in the browser opened with its address.

A page of any origin can send requests to loopback, and cookies are the same for all ports. So a
request must name this address and port exactly, come from this origin or from the person, and have
the cookie that a one-use token was exchanged for; a change needs the form's token too.
"""

from __future__ import annotations

import hmac
import os
from dataclasses import dataclass, field
from hashlib import sha256
from html import escape
from urllib.parse import parse_qs

from starlette.datastructures import MutableHeaders
from starlette.requests import ClientDisconnect, Request
from starlette.responses import HTMLResponse, RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from engrain.adapters.web.asking import PREFIX

MAX_BODY = 2 * 1024 * 1024
"""The most bytes of a form."""
_MOST_TOKENS = 16
_MOST_SESSIONS = 64
_MOST_FIELDS = 1000
_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self';"
    " form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
HEADERS = {
    "content-security-policy": _POLICY,
    "referrer-policy": "no-referrer",
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "cache-control": "no-store",
}
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

    `app` finds the `AdmittedBrowser` in `scope["visit"]` and a form in `scope["form"]`.
    """

    def __init__(self, app: ASGIApp, port: int) -> None:
        self._app = app
        self._host = f"127.0.0.1:{port}"
        self._origin = f"http://{self._host}"
        self._cookie = f"engrain-console-{port}"
        self._tokens: list[str] = []
        self._visits: dict[str, AdmittedBrowser] = {}

    def invite(self) -> str:
        """Return an address that admits one browser, once."""
        self._tokens = [*self._tokens[1 - _MOST_TOKENS :], os.urandom(24).hex()]
        return f"{self._origin}{PREFIX}/?token={self._tokens[-1]}"

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            return
        answer = await self._admit(Request(scope, receive))
        await (answer or self._app)(scope, receive, _with_headers(send))

    def leave(self) -> None:
        """End the streams: the console ends."""
        for visit in self._visits.values():
            visit.over = True

    async def _admit(self, request: Request) -> Response | None:
        """Return the answer to a request that the pages don't get, None if they get it."""
        if refused := self._find_fault(request):
            return _refuse(403, refused)
        visit = self._visits.get(request.cookies.get(self._cookie, ""))
        asked = parse_qs(request.url.query, max_num_fields=_MOST_FIELDS)
        if "token" in asked and request.method == "GET":
            return self._exchange(asked["token"][-1], visit)
        if visit is None:
            return _refuse(401, _AGAIN)
        request.scope["visit"] = visit
        if request.method != "POST":
            return None
        body = await _read_body(request)
        if body is None:
            return _refuse(413, f"A form may have {MAX_BODY} bytes.")
        form = _read_form(body)
        sent = (form.get("csrf") or [""])[-1]
        if not hmac.compare_digest(sent.encode(), visit.csrf.encode()):
            return _refuse(403, "The form is not of this visit. Load the page again.")
        request.scope["form"] = form
        return None

    def _find_fault(self, request: Request) -> str:
        """Return why a request is refused from any browser, "" if it is not."""
        site = (request.headers.getlist("sec-fetch-site") or [""])[-1]
        origin = (request.headers.getlist("origin") or [""])[-1]
        changes = request.method == "POST"
        if request.headers.getlist("host") != [self._host]:
            return "This address is not the one that `engrain console` printed."
        if site not in (("", "same-origin") if changes else ("", "same-origin", "none")):
            return "Another page may not lead here. Open the address by hand."
        # A browser that sends no referrer sends the origin `null` with a form.
        own = (self._origin, "") if site != "same-origin" else (self._origin, "", "null")
        if origin not in own:
            return "Pages of other origins may not use this console."
        if request.method not in ("GET", "HEAD", "POST"):
            return "This method is not supported."
        return ""

    def _exchange(self, token: str, visit: AdmittedBrowser | None) -> Response:
        """Admit a browser for a token, which is used up and removed from the address."""
        known = [one for one in self._tokens if hmac.compare_digest(one.encode(), token.encode())]
        if not known:
            return _refuse(403, f"This address was used already, or was never given. {_AGAIN}")
        self._tokens = [one for one in self._tokens if one not in known]
        answer = RedirectResponse(f"{PREFIX}/", 303)
        if visit is None:
            visit = AdmittedBrowser(os.urandom(24).hex())
            kept = list(self._visits.items())[1 - _MOST_SESSIONS :]
            self._visits = {**dict(kept), visit.secret: visit}
            answer.set_cookie(
                self._cookie, visit.secret, path=PREFIX, httponly=True, samesite="strict"
            )
        return answer


async def _read_body(request: Request) -> bytes | None:
    """Return the body, None if it is over the limit or the client has left."""
    body = bytearray()
    try:
        async for part in request.stream():
            body += part
            if len(body) > MAX_BODY:
                return None
    except ClientDisconnect:
        return None
    return bytes(body)


def _read_form(body: bytes) -> dict[str, list[str]]:
    try:
        return parse_qs(body.decode(), keep_blank_values=True, max_num_fields=_MOST_FIELDS)
    except ValueError:  # too many fields, or not UTF-8
        return {}


def _with_headers(send: Send) -> Send:
    async def sending(message: Message) -> None:
        if message["type"] == "http.response.start":
            MutableHeaders(scope=message).update(HEADERS)
        await send(message)

    return sending


def _refuse(status: int, why: str) -> Response:
    title = "Not let in" if status in (401, 403) else "Refused"
    return HTMLResponse(_REFUSED.format(title, escape(why)), status, {"connection": "close"})
