"""Serve a memory to other machines until a signal ends the process."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable
from socket import socket
from ssl import PROTOCOL_TLS_SERVER, SSLContext, SSLObject

from engrain.adapters.present.failures import error_line
from engrain.api.memory import Memory
from engrain.model.errors import ConfigError
from engrain_team.https.guard import Doorkeeper
from engrain_team.https.settings import Remote


def serve_remote(
    memory: Memory,
    remote: Remote,
    listening: socket,
    tls: SSLContext | None,
    is_asked_to_end: Callable[[], bool],
) -> None:
    """Serve only the tools, as `remote` is configured, until a signal ends it; without `tls` to a
    proxy that has the certificate."""
    from engrain.adapters.mcp.fastmcp_server import make_app, make_server
    from engrain.adapters.mcp.serving import serve_guarded
    from engrain_team.https.tokens import make_verifier

    app = make_app(make_server(memory))
    trust = remote.trust
    keeper = Doorkeeper(
        app, remote.url, trust.issuer, make_verifier(trust), remote.limits, proxied=tls is None
    )
    serve_guarded(memory, keeper, [listening], tls, is_asked_to_end)


def load_certificate(certificate: str, key: str) -> SSLContext:
    """Return a context that shows clients the certificate with its chain, and after a renewal of
    the files the new one. Raises ConfigError for files that don't fit together or can't be read,
    and for a key that everybody can read.

    A renewal that can't be used is reported once on standard error, and the former certificate
    stays; since one file is replaced before the other, it may be usable at the next client.
    """
    files = os.path.abspath(certificate), os.path.abspath(key)
    used = reported = _stamp(files)
    current = first = _read_certificate(*files)

    def choose(connection: SSLObject, *_: object) -> None:
        nonlocal current, used, reported
        found = _stamp(files)
        if found != used:
            try:
                current, used = _read_certificate(*files), found
            except ConfigError as error:
                if found != reported:
                    sys.stderr.write(error_line(error) + "\n")
                reported = found
        connection.context = current

    # Despite its name it is also called for clients that send no server name.
    first.sni_callback = choose
    return first


def _read_certificate(certificate: str, key: str) -> SSLContext:
    context = SSLContext(PROTOCOL_TLS_SERVER)
    context.set_alpn_protocols(["http/1.1"])
    try:
        if os.stat(key).st_mode & 0o007:
            raise ConfigError("everybody can read the key", path=key, remedy="set its mode to 600")
        context.load_cert_chain(certificate, key, password=lambda: "")
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise ConfigError(
            f"the certificate and its key can't be used: {reason}",
            path=getattr(error, "filename", None) or certificate,
            remedy="give both in PEM, the key without a password",
        ) from None
    return context


def _stamp(files: Iterable[str]) -> list[tuple[int, int, int] | None]:
    """Return values that change when a file is replaced, even through a link; None if missing."""
    stamps: list[tuple[int, int, int] | None] = []
    for file in files:
        try:
            found = os.stat(file)
        except OSError:
            stamps.append(None)
        else:
            stamps.append((found.st_ino, found.st_mtime_ns, found.st_size))
    return stamps
