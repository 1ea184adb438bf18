"""One JSON request to a model's server: within a time, tried again when the server is busy."""

from __future__ import annotations

from engrain.inference.texts import remaining
from engrain.model.errors import EmbeddingError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from email.message import Message
    from http.client import HTTPResponse
    from urllib.request import BaseHandler

_ATTEMPTS = 4
_FIRST_PAUSE_S = 0.25
"""Doubled at each attempt; a server's own Retry-After counts for more."""
_LONGEST_PAUSE_S = 20.0
_REPLY_BYTES = 64 * 1024 * 1024
_CHUNK = 64 * 1024
_BUSY = (408, 425, 429, 500, 502, 503, 504)
_LOOPBACK = ("localhost", "127.0.0.1", "::1")


def check_url(url: str, has_key: bool) -> None:
    """Raises EmbeddingError for what is no address, or would show the key to the network."""
    from urllib.parse import urlsplit

    try:
        parts = urlsplit(url)
        host = parts.hostname
    except ValueError:
        host = None
    if host is None or parts.scheme not in ("http", "https"):
        raise EmbeddingError(
            "the embedder's address is no http or https URL", remedy="set embedder_url"
        )
    if has_key and parts.scheme == "http" and host not in _LOOPBACK:
        raise EmbeddingError(
            "a key would travel unencrypted", remedy="set embedder_url to an https address"
        )


def post_json(
    url: str, body: object, *, key: str | None, timeout: float, deadline: float | None
) -> object:
    """The reply to `body`. Raises EmbeddingError, which never tells the key.

    `timeout`: seconds for each attempt. `deadline`: for all of them, see `seam.embedder`.
    """
    import json
    from time import monotonic, sleep

    headers = {"Content-Type": "application/json", "Accept": "application/json"}
    if key:
        headers["Authorization"] = f"Bearer {key}"
    data = json.dumps(body).encode()
    pause = _FIRST_PAUSE_S
    for attempt in range(1, _ATTEMPTS + 1):
        left = remaining(deadline)
        until = monotonic() + (timeout if left is None else min(timeout, left))
        outcome = _attempt(url, data, headers, until)
        if isinstance(outcome, bytes):
            try:
                reply: object = json.loads(outcome)
            except (ValueError, RecursionError):
                raise EmbeddingError("the embedder's reply is no JSON") from None
            return reply
        if not outcome.again or attempt == _ATTEMPTS:
            raise EmbeddingError(outcome.reason, remedy=outcome.remedy)
        wait = min(max(pause, outcome.after), _LONGEST_PAUSE_S)
        left = remaining(deadline)
        if left is not None and wait >= left:
            raise EmbeddingError(f"{outcome.reason}, and there is no time to try again")
        sleep(wait)
        pause *= 2
    raise AssertionError("the last attempt returns or raises")


class _Failure:
    """Why an attempt failed, whether another may do, and after how many seconds."""

    __slots__ = ("after", "again", "reason", "remedy")

    def __init__(
        self, reason: str, again: bool, after: float = 0.0, remedy: str | None = None
    ) -> None:
        self.reason = reason
        self.again = again
        self.after = after
        self.remedy = remedy


def _attempt(url: str, data: bytes, headers: dict[str, str], until: float) -> bytes | _Failure:
    from http.client import HTTPException
    from time import monotonic
    from urllib.error import HTTPError, URLError
    from urllib.request import Request, build_opener

    request = Request(url, data=data, headers=headers, method="POST")
    try:
        with build_opener(_no_redirects()).open(request, timeout=until - monotonic()) as response:
            return _read(response, until)
    except HTTPError as error:
        with error:
            return _refused(error.code, error.headers)
    except TimeoutError:
        return _Failure("the embedder does not answer in time", again=False)
    except (URLError, HTTPException, OSError) as error:
        cause = error.reason if isinstance(error, URLError) else error
        if isinstance(cause, TimeoutError):
            return _Failure("the embedder does not answer in time", again=False)
        return _Failure(f"the embedder can't be reached: {type(cause).__name__}", again=True)


def _read(response: HTTPResponse, until: float) -> bytes | _Failure:
    """The body, which may come in drops."""
    from time import monotonic

    parts = []
    size = 0
    while part := response.read1(_CHUNK):
        size += len(part)
        if size > _REPLY_BYTES:
            return _Failure("the embedder's reply is too long", again=False)
        if monotonic() > until:
            return _Failure("the embedder does not answer in time", again=False)
        parts.append(part)
    return b"".join(parts)


def _refused(code: int, headers: Message) -> _Failure:
    told = headers.get("Retry-After", "")
    after = float(told) if told.isascii() and told.isdigit() else 0.0
    remedy = None
    if code in (401, 403):
        remedy = "set embedder.key_variable to the environment variable that has the key"
    return _Failure(f"the embedder refuses with status {code}", code in _BUSY, after, remedy)


def _no_redirects() -> BaseHandler:
    """A handler that follows no redirection: the key would go wherever it leads."""
    from urllib.request import HTTPRedirectHandler

    class Stay(HTTPRedirectHandler):
        def redirect_request(self, *_: object, **__: object) -> None:
            return None

    return Stay()
