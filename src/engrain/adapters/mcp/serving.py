"""Serve a memory over HTTP until a signal ends the process."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from importlib.util import find_spec
from socket import socket
from ssl import PROTOCOL_TLS_SERVER, SSLContext, SSLObject
from threading import Thread

from engrain.adapters.mcp.guard import Fork, Guard
from engrain.adapters.mcp.https.guard import Doorkeeper
from engrain.adapters.mcp.https.settings import Remote
from engrain.adapters.mcp.singleton import Place
from engrain.adapters.present.failures import error_line
from engrain.api.memory import Memory
from engrain.model.errors import ConfigError, EngrainError

_DESCRIPTORS = 2048
"""More descriptors than two listeners full of connections and the index need."""


def require_fastmcp() -> None:
    """Raise EngrainError if the extra with FastMCP is not installed."""
    if find_spec("fastmcp") is None:
        raise EngrainError(
            "the MCP server needs FastMCP, which is not installed",
            remedy="pip install 'engrain[mcp]'",
        )


def serve_place(
    memory: Memory,
    place: Place,
    leave_if_told: Callable[[], None],
    fork: Callable[[Guard], Guard | Fork],
) -> None:
    """Serve over HTTP on the sockets of `place` until a signal ends it. `leave_if_told` is that of
    `leaving_on_signals`. `fork` adds another application beside the guarded one, or returns the
    guard.

    FastMCP accepts any Host and Origin by default, and not all of its releases can be configured;
    the guard checks all of its requests.
    """
    from engrain.adapters.mcp.fastmcp_server import make_app, make_server

    app = make_app(make_server(memory))
    guard = fork(Guard(app, place.keep_token(), place.token_file))
    _serve(memory, guard, place.sockets, None, leave_if_told)


def serve_remote(
    memory: Memory,
    remote: Remote,
    listening: socket,
    tls: SSLContext | None,
    leave_if_told: Callable[[], None],
) -> None:
    """Serve only the tools, as `remote` is configured, until a signal ends it; without `tls` to a
    proxy that has the certificate."""
    from engrain.adapters.mcp.fastmcp_server import make_app, make_server
    from engrain.adapters.mcp.https.tokens import make_verifier

    app = make_app(make_server(memory, readings=False))
    trust = remote.trust
    keeper = Doorkeeper(
        app, remote.url, trust.issuer, make_verifier(trust), remote.limits, proxied=tls is None
    )
    _serve(memory, keeper, [listening], tls, leave_if_told)


def _serve(
    memory: Memory,
    guard: Guard | Fork | Doorkeeper,
    sockets: Sequence[socket],
    tls: SSLContext | None,
    leave_if_told: Callable[[], None],
) -> None:
    """Serve, loading beside the first requests what a first recall loads."""
    from engrain.adapters.mcp.fastmcp_server import serve_http

    thread = Thread(target=warm, args=(memory,), name="warming", daemon=True)
    thread.start()
    try:
        leave_if_told()
        _allow_descriptors()
        serve_http(guard, sockets, tls)
    finally:
        thread.join()


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


def _allow_descriptors() -> None:
    """Raise the limit of open files and connections as far as the system allows it."""
    try:
        from resource import RLIM_INFINITY, RLIMIT_NOFILE, getrlimit, setrlimit

        soft, hard = getrlimit(RLIMIT_NOFILE)
        wanted = _DESCRIPTORS if hard == RLIM_INFINITY else min(_DESCRIPTORS, hard)
        if soft != RLIM_INFINITY and soft < wanted:
            setrlimit(RLIMIT_NOFILE, (wanted, hard))
    except (ImportError, OSError, ValueError):
        return


@contextmanager
def leaving_on_signals() -> Iterator[Callable[[], None]]:
    """Let SIGINT, SIGTERM and SIGHUP end the block by SystemExit, so that its resources are
    released. FastMCP's server catches the first two while it serves, and raises them again when it
    has ended; it ignores SIGHUP, which is therefore turned into SIGTERM.

    An exception that a handler raises within a finaliser or a callback, as imports have many, is
    lost. The function that the block gets raises it again if a signal has come.
    """
    reported = False

    def leave(*_: object) -> None:
        nonlocal reported
        reported = True
        sys.exit(0)

    def leave_if_told() -> None:
        if reported:
            sys.exit(0)

    def terminate(*_: object) -> None:
        signal.raise_signal(signal.SIGTERM)

    handlers = {signal.SIGINT: leave, signal.SIGTERM: leave}
    if hasattr(signal, "SIGHUP"):
        handlers[signal.SIGHUP] = terminate
    before = {one: signal.signal(one, handler) for one, handler in handlers.items()}
    try:
        yield leave_if_told
    finally:
        for one, found in before.items():
            signal.signal(one, found)


def warm(memory: Memory) -> Memory:
    """Load what a first recall loads, the index and the embedder if there is one, and return the
    memory."""
    with suppress(EngrainError):  # the next recall reports it
        memory.recall("warm")
    return memory
