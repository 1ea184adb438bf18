"""Fetch an approved URL and follow redirections that its host may make (S1.20).

A server is not trusted: its redirections, the size of its answer and its time are limited. A name
is resolved once and the checked address is connected to, so that a second answer can't lead
elsewhere (DNS rebinding). A proxy of the environment resolves names itself, so only the name is
checked then.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager, suppress
from http.client import HTTPConnection, HTTPException, HTTPResponse, HTTPSConnection
from socket import SHUT_RDWR, create_connection, socket
from ssl import SSLCertVerificationError, SSLError, create_default_context
from threading import Timer
from time import monotonic

from engrain.model.errors import FetchError
from engrain.resolution.fetching_hosts import (
    Proxy,
    RequestTarget,
    check_addresses,
    check_name,
    find_proxy,
    read_url,
)
from engrain.seam.sources import FEED, Approved, Fetched

MOST_BYTES = 8 << 20
"""The most bytes of an answer, both as sent and as unpacked."""
TIMEOUT_S = 30.0
"""The seconds for a whole answer with its redirections."""

_CONNECT_S = 10.0
_MOST_HOPS = 5
_CHUNK = 64 << 10
_MOST_HEADER = 1024
_REDIRECTS = (301, 302, 303, 307, 308)
_NOT_MODIFIED, _OK = 304, 200
_AGENT = "engrain (forward learning; a feed reader)"
_TEXT_TYPES = ("text/plain", "text/markdown", "text/x-markdown")
_PAGE_TYPES = ("text/html", "application/xhtml+xml", *_TEXT_TYPES)
_FEED_TYPES = (
    "application/rss+xml", "application/atom+xml", "application/rdf+xml", "application/feed+json",
    "application/xml", "text/xml", "application/json", "text/html", "text/plain",
)  # fmt: skip
# Pages and feeds are distinguished by their content, since servers are careless with types.
_TYPES = {FEED: _FEED_TYPES, "": (*_FEED_TYPES, *_PAGE_TYPES)}


def fetch(
    approved: Approved,
    environ: Mapping[str, str],
    etag: str = "",
    modified: str = "",
    *,
    most_bytes: int = MOST_BYTES,
    timeout: float = TIMEOUT_S,
) -> Fetched | None:
    """Return the answer of an approved URL, None if it has not changed. Raises FetchError."""
    until = monotonic() + timeout
    target = read_url(approved.place)
    for _ in range(_MOST_HOPS + 1):
        check_name(approved, target)
        headers = {"User-Agent": _AGENT, "Accept-Encoding": "gzip", "Connection": "close"}
        if etag:
            headers["If-None-Match"] = etag
        if modified:
            headers["If-Modified-Since"] = modified
        outcome = _ask(approved, target, environ, headers, until, most_bytes)
        if not isinstance(outcome, str):
            return outcome
        target = target.join(outcome)
    raise FetchError(f"{approved.place} redirects too often", path=approved.place)


def _ask(
    approved: Approved,
    target: RequestTarget,
    environ: Mapping[str, str],
    headers: Mapping[str, str],
    until: float,
    most_bytes: int,
) -> Fetched | str | None:
    """Return the answer of one URL, or the address to which it redirects."""
    try:
        proxy = find_proxy(target, environ)
        more: Mapping[str, str] = {}
        if proxy is None:
            connection, path = _connect(approved, target, until), target.path
        else:
            connection, path, more = _connect_by(proxy, target, until)
        with closing(connection), _ending(connection, until):
            connection.request("GET", path, headers={**headers, **more})
            with connection.getresponse() as response:
                return _read_answer(approved, target, response, until, most_bytes)
    except (HTTPException, OSError) as error:
        if isinstance(error, TimeoutError) or monotonic() >= until:
            raise _failed(target, "does not answer in time") from None
        if isinstance(error, SSLCertVerificationError):
            raise _failed(target, "has a certificate that is not trusted") from None
        if isinstance(error, SSLError):
            raise _failed(target, f"can't be asked by https: {error.reason}") from None
        if isinstance(error, OSError):
            raise _failed(target, f"can't be reached: {error.strerror or error}") from None
        raise _failed(target, f"gives no answer of HTTP: {type(error).__name__}") from None


def _connect(approved: Approved, target: RequestTarget, until: float) -> HTTPConnection:
    """Return a connection to one of the target's addresses."""
    failure = None
    for address in check_addresses(approved, target):
        try:
            wire = create_connection((address, target.port), _left(target, until, _CONNECT_S))
        except OSError as error:
            failure = error
            continue
        kind = HTTPSConnection if target.scheme == "https" else HTTPConnection
        connection = kind(target.host, target.port)
        connection.auto_open = 0  # a new connection would not be checked
        connection.sock = wire
        if target.scheme == "https":
            context = create_default_context()
            connection.sock = context.wrap_socket(
                wire, server_hostname=target.host, do_handshake_on_connect=False
            )
            try:
                with _ending(connection, until):
                    connection.sock.do_handshake()
            except BaseException:
                connection.close()
                raise
        return connection
    raise failure or OSError("it has no address")


def _connect_by(
    proxy: Proxy, target: RequestTarget, until: float
) -> tuple[HTTPConnection, str, Mapping[str, str]]:
    """Return (a connection through a proxy, the path to request, the headers for the proxy)."""
    wait = _left(target, until, _CONNECT_S)
    if target.scheme == "http":
        plain = HTTPConnection(proxy.host, proxy.port, timeout=wait)
        plain.connect()
        return plain, target.url, proxy.authorization
    tunnel = HTTPSConnection(proxy.host, proxy.port, timeout=wait, context=create_default_context())
    tunnel.set_tunnel(target.host, target.port, headers=dict(proxy.authorization))
    tunnel.connect()
    return tunnel, target.path, {}


@contextmanager
def _ending(connection: HTTPConnection, until: float) -> Iterator[None]:
    """Close a connection at a moment: with a server that sends a byte now and then, no single wait
    ever times out."""
    wire = connection.sock

    def end() -> None:
        with suppress(OSError):
            socket.shutdown(wire, SHUT_RDWR)

    timer = Timer(max(0.0, until - monotonic()), end)
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()


def _read_answer(
    approved: Approved, target: RequestTarget, response: HTTPResponse, until: float, most_bytes: int
) -> Fetched | str | None:
    if response.status == _NOT_MODIFIED:
        return None
    if response.status in _REDIRECTS and (leads := response.getheader("Location")):
        return leads
    if response.status != _OK:
        raise _failed(target, f"refuses with status {response.status}")
    type_ = response.headers.get_content_type() if response.getheader("Content-Type") else ""
    if type_ and type_ not in _TYPES.get(approved.kind, _PAGE_TYPES):
        raise _failed(target, f"gives {type_[:60]}, which is not read")
    body = _read_body(target, response, until, most_bytes)
    return Fetched(
        target.url,
        type_,
        response.headers.get_content_charset() or "",
        body,
        (response.getheader("ETag") or "")[:_MOST_HEADER],
        (response.getheader("Last-Modified") or "")[:_MOST_HEADER],
    )


def _read_body(
    target: RequestTarget, response: HTTPResponse, until: float, most_bytes: int
) -> bytes:
    """Return the body, which may arrive slowly and may unpack to much more than was sent."""
    packed = (response.getheader("Content-Encoding") or "identity").strip().lower()
    if packed not in ("identity", "gzip", "x-gzip"):
        raise _failed(target, f"packs its answer as {packed[:20]}, which was not asked for")
    unpack = zlib.decompressobj(zlib.MAX_WBITS | 16) if packed != "identity" else None
    parts = []
    sent = size = 0
    while part := response.read1(_CHUNK):
        sent += len(part)
        if unpack is not None:
            try:
                part = unpack.decompress(part, most_bytes - size + 1)
            except zlib.error:
                raise _failed(target, "packs its answer wrongly") from None
        size += len(part)
        if sent > most_bytes or size > most_bytes:
            raise _failed(target, f"gives more than {most_bytes >> 20} MiB")
        parts.append(part)
        _left(target, until, 0.0)
    _left(target, until, 0.0)  # the timer may have closed the connection
    if response.length or not (unpack is None or unpack.eof):
        raise _failed(target, "breaks off its answer")
    return b"".join(parts)


def _left(target: RequestTarget, until: float, most: float) -> float:
    """Return the seconds that are left, at most so many. Raises FetchError if there are none."""
    left = until - monotonic()
    if left <= 0:
        raise _failed(target, "does not answer in time")
    return min(left, most)


def _failed(target: RequestTarget, what: str) -> FetchError:
    return FetchError(f"{target.host} {what}", path=target.url)
