"""Check the hosts of requests: only approved ones, at addresses of the public network, through the
proxy of the environment.

A name that leads to this device, to its network or to the service that gives machines of a cloud
their keys (169.254.169.254) is refused, unless the operator approved that address itself, or
allowed private addresses for the name.
"""

from __future__ import annotations

import re
from base64 import b64encode
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from ipaddress import IPv4Address, IPv6Address, ip_address
from socket import IPPROTO_TCP, gaierror, getaddrinfo
from typing import TypeAlias
from urllib.parse import SplitResult, quote, unquote, urljoin, urlsplit

from engrain.model.errors import FetchError, UsageError
from engrain.seam.sources import Approved

Address: TypeAlias = "IPv4Address | IPv6Address"


_PORTS = {"http": 80, "https": 443}
_LONGEST = 2000
_LOCAL = "localhost"
_HOST = re.compile(r"[A-Za-z0-9._-]+|[0-9A-Fa-f:.%]+")
_SAFE = "/?#[]@!$&'()*+,;=:%~-._"


class RequestTarget:
    """A URL with the parts of a request. `host` is without brackets, in lower case."""

    def __init__(self, scheme: str, host: str, port: int, path: str) -> None:
        self.scheme = scheme
        self.host = host
        self.port = port
        self.path = path
        shown = f"[{host}]" if ":" in host else host
        at = "" if port == _PORTS[scheme] else f":{port}"
        self.url = f"{scheme}://{shown}{at}{path}"

    def join(self, leads: str) -> RequestTarget:
        """Return the URL of a redirection. Raises FetchError for an invalid one."""
        try:
            found = read_url(urljoin(self.url, leads[:_LONGEST]))
        except (UsageError, ValueError):
            raise FetchError(
                f"{self.host} redirects to something that is not a URL", path=self.url
            ) from None
        if self.scheme == "https" and found.scheme == "http":
            raise FetchError(f"{self.host} redirects from https to http", path=self.url)
        return found


@dataclass(slots=True, eq=False)
class Proxy:
    """A proxy of the environment, and the headers that authorise requests to it."""

    host: str
    port: int
    authorization: Mapping[str, str]


def read_url(url: str) -> RequestTarget:
    """Parse a URL of http or https. Raises UsageError for any other, and for one with a user or a
    password, which would be stored in the vault."""
    parts, host, port = _split(url.strip())
    if not host or parts.scheme not in _PORTS or len(url) > _LONGEST:
        raise UsageError(f"{url[:80]!a} is no URL of http or https", remedy="give a URL or a path")
    if (parts.username or parts.password) is not None:
        raise UsageError(
            "a URL with a name or a password in it", remedy="approve a URL that needs none"
        )
    try:
        plain = host if ":" in host else host.encode("idna").decode("ascii")
    except UnicodeError:
        plain = ""
    if not _HOST.fullmatch(plain):
        raise UsageError(f"{host[:80]!a} is no host", remedy="give a URL or a path")
    path = quote(parts.path or "/", safe=_SAFE)
    if parts.query:
        path += "?" + quote(parts.query, safe=_SAFE)
    return RequestTarget(parts.scheme, plain.lower(), port or _PORTS[parts.scheme], path)


def _split(url: str) -> tuple[SplitResult, str, int | None]:
    """Return (parts, host, port) of a URL; the host is "" if it is invalid."""
    try:
        parts = urlsplit(url)
        return parts, parts.hostname or "", parts.port
    except ValueError:
        return urlsplit(""), "", None


def check_name(approved: Approved, target: RequestTarget) -> None:
    """Raise FetchError for a host that the operator did not approve."""
    first = read_url(approved.place)
    if target.host == first.host:
        # Only the same port of the same host, except that http may redirect to https.
        upgraded = (first.scheme, target.scheme) == ("http", "https")
        if target.port == first.port or (upgraded and target.port == _PORTS["https"]):
            return
    elif target.host in approved.hosts and target.port == _PORTS[target.scheme]:
        return
    raise FetchError(
        f"{first.host} redirects to {target.url[:120]}, which was not approved",
        path=approved.place,
        remedy=f"`engrain learn sources add --host {target.host}` approves it",
    )


def check_addresses(approved: Approved, target: RequestTarget) -> Sequence[str]:
    """Return the addresses of a host, all public or approved. Raises FetchError, OSError."""
    try:
        found = getaddrinfo(target.host, target.port, proto=IPPROTO_TCP)
    except (gaierror, UnicodeError) as error:
        why = error.strerror if isinstance(error, OSError) else "it is no name"
        raise FetchError(f"{target.host} is not known: {why}", path=target.url) from None
    addresses = list(dict.fromkeys(str(info[4][0]) for info in found))
    if not (approved.private or _is_literal(target.host)):
        for address in addresses:
            if not _is_public(ip_address(address.partition("%")[0])):
                raise FetchError(
                    f"{target.host} is at {address}, which is no public address",
                    path=target.url,
                    remedy="`engrain learn sources add --private` approves a host of your network",
                )
    return addresses


def find_proxy(target: RequestTarget, environ: Mapping[str, str]) -> Proxy | None:
    """Return the proxy for a URL by the variables that curl uses (http_proxy, HTTPS_PROXY,
    ALL_PROXY, NO_PROXY), None if there is none. Raises FetchError for an unusable one."""
    if _is_literal(target.host) or _goes_direct(target, environ):
        return None
    # HTTP_PROXY is ignored: a request to a CGI program could set it.
    own = (f"{target.scheme}_proxy", "HTTPS_PROXY" if target.scheme == "https" else "")
    values = (environ.get(name) for name in (*own, "all_proxy", "ALL_PROXY"))
    value = next(filter(None, values), "")
    if not value:
        return None
    parts, host, port = _split(value if "://" in value else f"http://{value}")
    if not host or parts.scheme != "http":
        raise FetchError(
            "the proxy named by the environment is not an HTTP proxy",
            remedy=f"set {target.scheme}_proxy to http://HOST:PORT",
        )
    if parts.username is None:
        return Proxy(host, port or _PORTS["http"], {})
    who = f"{unquote(parts.username)}:{unquote(parts.password or '')}"
    basic = "Basic " + b64encode(who.encode()).decode("ascii")
    return Proxy(host, port or _PORTS["http"], {"Proxy-Authorization": basic})


def _goes_direct(target: RequestTarget, environ: Mapping[str, str]) -> bool:
    value = environ.get("no_proxy") or environ.get("NO_PROXY") or ""
    names = filter(None, (part.strip().lower().lstrip(".") for part in value.split(",")))
    return any(one == "*" or f".{target.host}".endswith(f".{one}") for one in names)


def _is_literal(host: str) -> bool:
    """Whether a host is an address or `localhost`, so that the operator approved the address."""
    if host == _LOCAL:
        return True
    try:
        ip_address(host.partition("%")[0])
    except ValueError:
        return False
    return True


def _is_public(address: Address) -> bool:
    """Whether an address and all addresses that it contains are of the public network."""
    within = [getattr(address, name, None) for name in ("ipv4_mapped", "sixtofour")]
    teredo = getattr(address, "teredo", None)
    if teredo is not None:
        within.append(teredo[1])
    if address.version == 6 and str(address).startswith("64:ff9b:"):
        within.append(IPv4Address(int(address) & 0xFFFFFFFF))
    if address.is_multicast or address.is_reserved or address.is_unspecified:
        return any(within) and all(_is_public(one) for one in within if one is not None)
    return address.is_global and all(_is_public(one) for one in within if one is not None)
