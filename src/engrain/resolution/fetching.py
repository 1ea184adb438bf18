"""Fetch an approved URL (S1.20), and keep the approved places of a vault.

A server is not trusted: it may redirect nowhere, and the size of its answer and its time are
limited. A name is resolved once and the checked address is connected to, so that a second answer
can't lead elsewhere (DNS rebinding). A name that leads to this device, to its network or to the
service that gives machines of a cloud their keys (169.254.169.254) is refused, unless the operator
approved that address itself, or allowed private addresses for the name.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass, replace
from http.client import HTTPConnection, HTTPException, HTTPResponse, HTTPSConnection
from ipaddress import IPv4Address, IPv6Address, ip_address
from socket import IPPROTO_TCP, SHUT_RDWR, create_connection, gaierror, getaddrinfo, socket
from ssl import SSLCertVerificationError, SSLError, create_default_context
from threading import Timer
from time import monotonic
from typing import Any
from urllib.parse import quote, urljoin, urlsplit

from engrain.model.errors import ConfigError, FetchError, NotFoundError, UsageError
from engrain.model.experience.ledger import check_name
from engrain.resolution.config_file import read_tables, sources_file, write_tables
from engrain.resolution.sources import free_name
from engrain.seam.sources import Approved, Fetched

MOST_BYTES = 8 << 20
"""The most bytes of an answer."""
TIMEOUT_S = 30.0
"""The seconds for a whole answer."""

_CONNECT_S = 10.0
_CHUNK = 64 << 10
_MOST_HEADER = 1024
_LONGEST_URL = 2000
_REDIRECTS = (301, 302, 303, 307, 308)
_NOT_MODIFIED, _OK = 304, 200
_AGENT = "engrain (forward learning; a feed reader)"
# Servers are careless with types.
_TYPES = (
    "application/rss+xml", "application/atom+xml", "application/rdf+xml", "application/xml",
    "text/xml", "text/html", "text/plain",
)  # fmt: skip
_PORTS = {"http": 80, "https": 443}
_HOST = re.compile(r"[A-Za-z0-9._-]+|[0-9A-Fa-f:.%]+")
_SAFE = "/?#[]@!$&'()*+,;=:%~-._"


@dataclass(slots=True, eq=False)
class RequestTarget:
    """A URL with the parts of a request. `host` is without brackets, in lower case."""

    scheme: str
    host: str
    port: int
    path: str

    @property
    def url(self) -> str:
        """The URL as it is compared and stored."""
        shown = f"[{self.host}]" if ":" in self.host else self.host
        at = "" if self.port == _PORTS[self.scheme] else f":{self.port}"
        return f"{self.scheme}://{shown}{at}{self.path}"


def read_url(url: str) -> RequestTarget:
    """Parse a URL of http or https. Raises UsageError for any other, and for one with a user or a
    password, which would be stored in the vault."""
    try:
        parts = urlsplit(url.strip())
        host, port = parts.hostname or "", parts.port
        plain = host if ":" in host else host.encode("idna").decode("ascii")
    except ValueError:
        parts, port, plain = urlsplit(""), None, ""
    if parts.scheme not in _PORTS or not _HOST.fullmatch(plain) or len(url) > _LONGEST_URL:
        raise UsageError(f"{url[:80]!a} is no URL of http or https", remedy="give a URL")
    if (parts.username or parts.password) is not None:
        raise UsageError(
            "a URL with a name or a password in it", remedy="approve a URL that needs none"
        )
    path = quote(parts.path or "/", safe=_SAFE)
    if parts.query:
        path += "?" + quote(parts.query, safe=_SAFE)
    return RequestTarget(parts.scheme, plain.lower(), port or _PORTS[parts.scheme], path)


def fetch(
    approved: Approved,
    etag: str = "",
    modified: str = "",
    *,
    most_bytes: int = MOST_BYTES,
    timeout: float = TIMEOUT_S,
) -> Fetched | None:
    """Return the answer of an approved URL, None if it has not changed. Raises FetchError."""
    until = monotonic() + timeout
    target = read_url(approved.place)
    headers = {"User-Agent": _AGENT, "Accept-Encoding": "identity", "Connection": "close"}
    if etag:
        headers["If-None-Match"] = etag
    if modified:
        headers["If-Modified-Since"] = modified
    return _request(approved, target, headers, until, most_bytes)


def check_addresses(approved: Approved, target: RequestTarget) -> Sequence[str]:
    """Return the addresses of a host, all public or approved. Raises FetchError, OSError."""
    try:
        found = getaddrinfo(target.host, target.port, proto=IPPROTO_TCP)
    except (gaierror, UnicodeError) as error:
        why = error.strerror if isinstance(error, OSError) else "it is no name"
        raise _failed(target, f"is not known: {why}") from None
    addresses = list(dict.fromkeys(str(info[4][0]) for info in found))
    if not (approved.private or _is_literal(target.host)):
        for address in addresses:
            if not _is_public(ip_address(address.partition("%")[0])):
                raise FetchError(
                    f"{target.host} is at {address}, which is no public address",
                    path=target.url,
                    remedy="`engrain learn add --private` approves a host of your network",
                )
    return addresses


def _is_literal(host: str) -> bool:
    """Return whether a host is an address or `localhost`, so that the operator approved it."""
    try:
        return host == "localhost" or bool(ip_address(host.partition("%")[0]))
    except ValueError:
        return False


def _is_public(address: IPv4Address | IPv6Address) -> bool:
    """Return whether an address, and any address that it contains, is of the public network."""
    within = [getattr(address, "ipv4_mapped", None), getattr(address, "sixtofour", None)]
    within.append((getattr(address, "teredo", None) or (None, None))[1])
    if address.version == 6 and str(address).startswith("64:ff9b:"):
        within.append(IPv4Address(int(address) & 0xFFFFFFFF))
    if address.is_multicast or address.is_reserved or address.is_unspecified:
        return any(within) and all(_is_public(one) for one in within if one is not None)
    return address.is_global and all(_is_public(one) for one in within if one is not None)


def _request(
    approved: Approved,
    target: RequestTarget,
    headers: dict[str, str],
    until: float,
    most_bytes: int,
) -> Fetched | None:
    try:
        connection = _connect(approved, target, until)
        with closing(connection), _ending(connection, until):
            connection.request("GET", target.path, headers=headers)
            with connection.getresponse() as response:
                return _read_answer(target, response, until, most_bytes)
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
        connection = HTTPConnection(target.host, target.port)
        connection.sock = wire
        if target.scheme == "https":
            connection = HTTPSConnection(target.host, target.port)
            connection.sock = create_default_context().wrap_socket(
                wire, server_hostname=target.host, do_handshake_on_connect=False
            )
            try:
                with _ending(connection, until):
                    connection.sock.do_handshake()
            except BaseException:
                connection.close()
                raise
        connection.auto_open = 0  # a new connection would not be checked
        return connection
    raise failure or OSError("it has no address")


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
    target: RequestTarget, response: HTTPResponse, until: float, most_bytes: int
) -> Fetched | None:
    if response.status == _NOT_MODIFIED:
        return None
    if response.status in _REDIRECTS and (leads := response.getheader("Location")):
        place = leads[:120]
        with suppress(ValueError):
            place = urljoin(target.url, place)
        raise FetchError(
            f"{target.host} redirects to {place}, which was not approved",
            path=target.url,
            remedy=f"`engrain learn add {place}` approves that",
        )
    if response.status != _OK:
        raise _failed(target, f"refuses with status {response.status}")
    type_ = response.headers.get_content_type() if response.getheader("Content-Type") else ""
    if type_ and type_ not in _TYPES:
        raise _failed(target, f"gives {type_[:60]}, which is not read")
    packed = (response.getheader("Content-Encoding") or "identity").strip().lower()
    if packed != "identity":
        raise _failed(target, f"packs its answer as {packed[:20]}, which was not asked for")
    return Fetched(
        target.url,
        response.headers.get_content_charset() or "",
        _read_body(target, response, until, most_bytes),
        (response.getheader("ETag") or "")[:_MOST_HEADER],
        (response.getheader("Last-Modified") or "")[:_MOST_HEADER],
    )


def _read_body(
    target: RequestTarget, response: HTTPResponse, until: float, most_bytes: int
) -> bytes:
    """Return the body, which may arrive slowly."""
    parts: list[bytes] = []
    size = 0
    while part := response.read1(_CHUNK):
        size += len(part)
        if size > most_bytes:
            raise _failed(target, f"gives more than {most_bytes >> 20} MiB")
        parts.append(part)
        _left(target, until, 0.0)
    _left(target, until, 0.0)  # the timer may have closed the connection
    if response.length:
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


_TABLE = "learn"


@dataclass(slots=True, eq=False)
class ApprovedPlaces:
    """The approved places of a vault, by its id."""

    _environ: Mapping[str, str]
    _vault: str

    def list(self) -> Sequence[Approved]:
        """Return every place, in the order in which they were added. Raises ConfigError."""
        path = sources_file(self._environ)
        return [_read(table, path) for table in read_tables(self._environ, _TABLE, self._vault)]

    def add(self, approved: Approved) -> Approved:
        """Store a place and return it as stored; a missing name is filled in. Raises UsageError for
        an unfit place or a used name, ConfigError, StorageError."""
        kept = self.list()
        target = read_url(approved.place)
        for other in kept:
            if other.place == target.url:
                raise UsageError(
                    f"{target.url} is approved already: {other.name}",
                    path=target.url,
                    remedy=f"`engrain learn remove {other.name}` first",
                )
        taken = {other.name for other in kept}
        name = check_name(approved.name, "source") if approved.name else ""
        name = name or free_name(target.host.removeprefix("www."), taken)
        if name in taken:
            raise UsageError(f"there is a source {name!r} already", remedy="give another --name")
        added = replace(approved, name=name, place=target.url)
        write_tables(self._environ, _TABLE, self._vault, list(map(_describe, [*kept, added])))
        return added

    def remove(self, name: str) -> Approved:
        """Remove a place. Raises NotFoundError, ConfigError, StorageError."""
        kept = self.list()
        found = next((one for one in kept if one.name == name), None)
        if found is None:
            raise NotFoundError(
                f"no approved source {name!r}",
                path=sources_file(self._environ),
                remedy="`engrain learn list` lists them",
            )
        left = [_describe(one) for one in kept if one is not found]
        write_tables(self._environ, _TABLE, self._vault, left)
        return found

    def fetch(self, approved: Approved, etag: str = "", modified: str = "") -> Fetched | None:
        """Return the present content of its URL, None if it has not changed since that `etag` or
        `modified`. Raises FetchError, UsageError for a place that is no URL."""
        return fetch(approved, etag, modified)


def _read(table: Mapping[str, Any], path: str) -> Approved:
    name, place = table.get("name"), table.get("place")
    if not isinstance(name, str) or not name or not isinstance(place, str) or not place:
        raise ConfigError("a source has no name or no place", path=path, remedy="correct the file")
    return Approved(name, place, private=table.get("private") is True)


def _describe(approved: Approved) -> dict[str, Any]:
    return {"name": approved.name, "place": approved.place, "private": approved.private}
