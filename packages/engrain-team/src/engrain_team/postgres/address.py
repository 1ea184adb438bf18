"""Reads the address of a namespace, `postgresql://[ROLE@]HOST[:PORT]/DB?namespace=N`.

Several hosts, separated by commas, are a primary and its replicas in any order: libpq finds the one
that takes writes. A host may be the
folder of a Unix socket, with its slashes as `%2F`. Passwords and certificates come from libpq's own
places: PGPASSFILE, a service file (PGSERVICE), the environment.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from dataclasses import dataclass
from urllib.parse import parse_qsl, unquote, urlsplit

from engrain.model.errors import UsageError
from engrain.seam.locator import refuse_secrets

NAMESPACE = re.compile(r"[a-z0-9][a-z0-9_.-]{0,62}")
_FORM = "write postgres://[ROLE@]HOST[:PORT]/DATABASE?namespace=NAME"
_SCHEMES = ("postgres", "postgresql")
_HOST = re.compile(r"(\[[^\[\]]+\]|[^:\[\]]+)(?::(\d{1,5}))?")
_CONNECT_SECONDS = 10


@dataclass(frozen=True)
class Address:
    """The parts of a namespace's address; a port or `user` is None if libpq chooses it."""

    text: str
    hosts: tuple[tuple[str, int | None], ...]
    database: str
    user: str | None
    namespace: str

    @property
    def server(self) -> str:
        """The address without the namespace, for messages."""
        return self.text.partition("?")[0]

    @property
    def has_replicas(self) -> bool:
        """Whether the address names several servers, where only one takes writes."""
        return len(self.hosts) > 1


def parse_address(text: str, *, needs_namespace: bool = True) -> Address:
    """Read an address. Raises UsageError, which does not repeat an address that has a password."""
    refuse_secrets(text)
    try:
        parts = urlsplit(text)
        if parts.scheme not in _SCHEMES:
            raise UsageError(f"{text[:200]!a} is no address of a database", remedy=_FORM)
        options = dict(parse_qsl(parts.query, keep_blank_values=True, strict_parsing=True))
    except ValueError:
        options = {}
        if "?" in text or needs_namespace:
            raise UsageError(f"{text[:200]!a} is no address of a store", remedy=_FORM) from None
    hosts = _parse_hosts(parts.netloc.rpartition("@")[2])
    database = unquote(parts.path.removeprefix("/"))
    user = unquote(parts.netloc.rpartition("@")[0]) or None
    if not hosts or not database or "\0" in database + (user or ""):
        raise UsageError(f"{text[:200]!a} names no host and database", remedy=_FORM)
    namespace = options.pop("namespace", "")
    if options:
        raise UsageError(
            f"an address may not say {min(options)[:40]!a}",
            remedy=f"{_FORM}; the rest comes from libpq's environment and service file",
        )
    if needs_namespace and not NAMESPACE.fullmatch(namespace):
        raise UsageError(
            f"{namespace[:80]!a} is no name of a namespace",
            remedy="use 1 to 63 of a-z, 0-9, `.`, `_` and `-`, beginning with a letter or digit",
        )
    return Address(text, hosts, database, user, namespace)


def _parse_hosts(text: str) -> tuple[tuple[str, int | None], ...]:
    """Read the hosts with their ports; return none if one of them is malformed."""
    # `hostname` would put a socket's folder in lower case.
    found = [_HOST.fullmatch(host) for host in text.split(",")]
    hosts = tuple(
        (unquote(host[1]).strip("[]"), int(host[2]) if host[2] else None) for host in found if host
    )
    readable = not any({*",\0"} & {*host} for host, _ in hosts)
    return hosts if readable and len(hosts) == len(found) else ()


def connection_options(address: Address, environ: Mapping[str, str]) -> dict[str, str | int]:
    """Return libpq's connection options, which choose the primary among several hosts. A server on
    another machine must show a certificate for its host name, unless PGSSLMODE asks for less."""
    options: dict[str, str | int] = {
        "host": ",".join(host for host, _ in address.hosts),
        "dbname": address.database,
        "application_name": "engrain",
        "client_encoding": "UTF8",
        "connect_timeout": _CONNECT_SECONDS,
        "tcp_user_timeout": 30_000,
    }
    if any(port for _, port in address.hosts):
        options["port"] = ",".join(str(port or "") for _, port in address.hosts)
    if address.has_replicas:
        options["target_session_attrs"] = "read-write"
    if address.user:
        options["user"] = address.user
    if not all(_is_local(host) for host, _ in address.hosts) and not environ.get("PGSSLMODE"):
        options["sslmode"] = "verify-full"
        own = os.path.expanduser("~/.postgresql/root.crt")
        if not environ.get("PGSSLROOTCERT") and not os.path.exists(own):
            options["sslrootcert"] = "system"
    return options


def _is_local(host: str) -> bool:
    """Whether a host is a Unix socket or a loopback address, so data stays on this machine."""
    loopback = re.fullmatch(r"localhost|::1|127(\.\d{1,3}){3}", host)
    return host.startswith("/") or loopback is not None
