"""One JSON request to a model's server: within a time, tried again when the server is busy."""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Mapping
from dataclasses import KW_ONLY, dataclass
from email.utils import parsedate_to_datetime
from http.client import HTTPException
from time import monotonic, sleep, time
from typing import TYPE_CHECKING
from urllib.error import HTTPError, URLError
from urllib.parse import urlsplit
from urllib.request import HTTPRedirectHandler, Request, build_opener

from engrain.inference.embedders import remaining

if TYPE_CHECKING:
    from email.message import Message
    from http.client import HTTPResponse
    from urllib.request import BaseHandler

    from engrain.model.errors import EngrainError

_ATTEMPTS = 4
_FIRST_PAUSE_S = 0.25
"""Doubled at each attempt; a server's own Retry-After counts for more."""
_LONGEST_PAUSE_S = 20.0
_CHUNK = 64 * 1024
_TOLD_BYTES = 16 * 1024
"""Bytes of a refusal's text that are read."""
_BUSY = (408, 425, 429, 500, 502, 503, 504, 529)
"""529 is how Anthropic says that it is overloaded."""
_LOOPBACK = ("localhost", "127.0.0.1", "::1")


@dataclass(frozen=True, slots=True)
class Peer:
    """The server that is asked: its `name` in a sentence, the settings with its address and the
    variable of its key, and the most bytes of a reply. `error` makes the exception from a reason,
    a remedy, and whether the server may have done the work in vain."""

    name: str
    url_setting: str
    key_setting: str
    most_bytes: int
    error: Callable[[str, str | None, bool], EngrainError]


class ServerRefusal(Exception):
    """A refusal that the caller wants to see: its status, and what the server said."""

    def __init__(self, status: int, text: str) -> None:
        super().__init__(status)
        self.status = status
        self.text = text


def check_url(peer: Peer, url: str, has_key: bool) -> None:
    """Raise the peer's error if it is no address, or would show the key to the network."""
    try:
        parts = urlsplit(url)
        host = parts.hostname
    except ValueError:
        host = None
    if host is None or parts.scheme not in ("http", "https"):
        raise peer.error(
            f"the address of {peer.name} is no http or https URL", f"set {peer.url_setting}", False
        )
    if has_key and parts.scheme == "http" and host not in _LOOPBACK:
        raise peer.error(
            "a key would travel unencrypted", f"set {peer.url_setting} to an https address", False
        )


def bearer(key: str | None) -> dict[str, str]:
    """Return the header with a key, if there is one."""
    return {"Authorization": f"Bearer {key}"} if key else {}


def post_json(
    peer: Peer,
    url: str,
    body: object,
    *,
    headers: Mapping[str, str],
    timeout: float,
    deadline: float | None = None,
    wanted: Collection[int] = (),
) -> object:
    """Return the reply to `body`. Raises the peer's error, which never contains the key, and
    Refusal for a status that is `wanted`.

    `timeout` is in seconds for each attempt, `deadline` holds for all (see `seam.embedder`).
    """
    sent = {"Content-Type": "application/json", "Accept": "application/json", **headers}
    data = json.dumps(body).encode()
    pause = _FIRST_PAUSE_S
    for attempt in range(1, _ATTEMPTS + 1):
        left = remaining(deadline)
        until = monotonic() + (timeout if left is None else min(timeout, left))
        outcome = _attempt(peer, url, data, sent, until)
        if isinstance(outcome, bytes):
            try:
                reply: object = json.loads(outcome)
            except (ValueError, RecursionError):
                raise peer.error(f"the reply of {peer.name} is no JSON", None, True) from None
            return reply
        if outcome.status in wanted:
            raise ServerRefusal(outcome.status, outcome.text)
        if not outcome.again or attempt == _ATTEMPTS or outcome.after > _LONGEST_PAUSE_S:
            raise peer.error(outcome.reason, outcome.remedy, outcome.worked)
        wait = max(pause, outcome.after)
        left = remaining(deadline)
        if left is not None and wait >= left:
            raise peer.error(
                f"{outcome.reason}, and there is no time to try again", None, outcome.worked
            )
        sleep(wait)
        pause *= 2
    raise AssertionError("the last attempt returns or raises")


@dataclass(slots=True)
class _Failure:
    """Why an attempt failed, whether to try again, after how many seconds, whether the server may
    have worked in vain, and the status and text of a refusal."""

    reason: str
    _: KW_ONLY
    again: bool = False
    worked: bool = False
    after: float = 0.0
    remedy: str | None = None
    status: int = 0
    text: str = ""


def _attempt(
    peer: Peer, url: str, data: bytes, headers: dict[str, str], until: float
) -> bytes | _Failure:
    request = Request(url, data=data, headers=headers, method="POST")
    begun = False
    left = until - monotonic()
    if left <= 0:
        return _late(peer)
    try:
        with build_opener(_no_redirects()).open(request, timeout=left) as response:
            begun = True
            return _read(peer, response, until)
    except HTTPError as error:
        with error:
            return _refused(peer, error)
    except TimeoutError:
        return _late(peer)
    except (URLError, HTTPException, OSError) as error:
        cause = error.reason if isinstance(error, URLError) else error
        if isinstance(cause, TimeoutError):
            return _late(peer)
        if begun:
            return _cut(peer)
        return _Failure(
            f"{peer.name} can't be reached: {type(cause).__name__}",
            again=True,
            worked=isinstance(cause, HTTPException | ConnectionResetError),
        )


def _read(peer: Peer, response: HTTPResponse, until: float) -> bytes | _Failure:
    """Read the body, which may come in small pieces."""
    parts = []
    size = 0
    while part := response.read1(_CHUNK):
        size += len(part)
        if size > peer.most_bytes:
            return _Failure(f"the reply of {peer.name} is too long", worked=True)
        if monotonic() > until:
            return _late(peer)
        parts.append(part)
    return _cut(peer) if response.length else b"".join(parts)


def _late(peer: Peer) -> _Failure:
    return _Failure(f"{peer.name} does not answer in time", worked=True)


def _cut(peer: Peer) -> _Failure:
    return _Failure(f"the reply of {peer.name} breaks off", again=True, worked=True)


def _refused(peer: Peer, error: HTTPError) -> _Failure:
    remedy = None
    if error.code in (401, 403):
        remedy = f"set {peer.key_setting} to the environment variable that has the key"
    try:
        text = error.read(_TOLD_BYTES).decode("utf-8", "replace")
    except (HTTPException, OSError):
        text = ""
    after = _pause_told(error.headers)
    wait = f" for {after:.0f} seconds" if after > _LONGEST_PAUSE_S else ""
    return _Failure(
        f"{peer.name} refuses with status {error.code}{wait}",
        again=error.code in _BUSY,
        after=after,
        remedy=remedy,
        status=error.code,
        text=text,
    )


def _pause_told(headers: Message) -> float:
    """Return the seconds of a Retry-After: a number or a date (RFC 9110, 10.2.3); 0 for none."""
    after = headers.get("Retry-After", "").strip()
    if after.isascii() and after.isdigit():
        return float(after)
    try:
        return max(0.0, parsedate_to_datetime(after).timestamp() - time())
    except (ValueError, OverflowError):
        return 0.0


def _no_redirects() -> BaseHandler:
    """Make a handler that follows no redirection: the key would go wherever that leads."""

    class Stay(HTTPRedirectHandler):
        def redirect_request(self, *_: object, **__: object) -> None:
            return None

    return Stay()
