"""Serving one memory: what begins before the first request and ends after the last."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Callable, Iterable, Iterator
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
"""What two listeners full of connections, the index's connections and files need, and more."""


def require_fastmcp() -> None:
    """Raises EngrainError when the extra that brings FastMCP is not installed."""
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
    """Serve over HTTP on the sockets of `place` until a signal ends it; one that came before is
    what `leave_if_told` (of `leaving_on_signals`) knows. `fork` puts another application beside
    what the guard stands before, or gives the guard back.

    FastMCP lets any Host and Origin in by default, and not all of its releases can be
    configured; the guard stands before all of it.
    """
    from engrain.adapters.mcp.fastmcp_server import make_app, make_server, serve_http

    app = make_app(make_server(memory))
    with _warming(memory):
        leave_if_told()
        _allow_descriptors(_DESCRIPTORS)
        serve_http(fork(Guard(app, place.keep_token(), place.token_file)), place.sockets)


def serve_remote(
    memory: Memory,
    remote: Remote,
    listening: socket,
    tls: SSLContext | None,
    leave_if_told: Callable[[], None],
) -> None:
    """Serve the tools alone, as `remote` says, until a signal ends it; without `tls` to a proxy
    that has the certificate."""
    from engrain.adapters.mcp.fastmcp_server import make_app, make_server, serve_http
    from engrain.adapters.mcp.https.tokens import make_verifier

    app = make_app(make_server(memory, readings=False))
    trust = remote.trust
    keeper = Doorkeeper(
        app, remote.url, trust.issuer, make_verifier(trust), remote.limits, proxied=tls is None
    )
    with _warming(memory):
        leave_if_told()
        _allow_descriptors(_DESCRIPTORS)
        serve_http(keeper, [listening], tls)


def load_certificate(certificate: str, key: str) -> SSLContext:
    """What shows a certificate, with the chain behind it, to clients; after a renewal of the files
    the new one, to every later client. Raises ConfigError for files that don't fit together or
    can't be read, and for a key that everybody can read.

    A renewal that can't be used is reported once on standard error, and the former certificate
    stays. One file is replaced before the other, so this may be over at the next client.
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

    # Despite its name it is called for clients that send no server's name, too.
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
    """What changes when a file is replaced, even by way of a link; None for one that is gone."""
    stamps: list[tuple[int, int, int] | None] = []
    for file in files:
        try:
            found = os.stat(file)
        except OSError:
            stamps.append(None)
        else:
            stamps.append((found.st_ino, found.st_mtime_ns, found.st_size))
    return stamps


def _allow_descriptors(count: int) -> None:
    """Let this process have so many files and connections open, as far as the system lets it."""
    try:
        from resource import RLIM_INFINITY, RLIMIT_NOFILE, getrlimit, setrlimit

        soft, hard = getrlimit(RLIMIT_NOFILE)
        wanted = count if hard == RLIM_INFINITY else min(count, hard)
        if soft != RLIM_INFINITY and soft < wanted:
            setrlimit(RLIMIT_NOFILE, (wanted, hard))
    except (ImportError, OSError, ValueError):
        return


@contextmanager
def leaving_on_signals() -> Iterator[Callable[[], None]]:
    """Let SIGINT, SIGTERM and SIGHUP end the block by SystemExit, so that what it holds is given
    back. FastMCP's server catches the first two while it serves, and raises them again when it
    has ended; it knows no SIGHUP, which therefore turns into SIGTERM.

    An exception that a handler raises within a finaliser or a callback, of which imports have many,
    is lost. What the block gets raises it again where a signal has come.
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


@contextmanager
def _warming(memory: Memory) -> Iterator[None]:
    """Load beside the first requests what a first recall loads."""
    thread = Thread(target=warm, args=(memory,), name="warming", daemon=True)
    thread.start()
    try:
        yield
    finally:
        thread.join()


def warm(memory: Memory) -> Memory:
    """The memory, having loaded what a first recall loads: the index, and the embedder if there is
    one."""
    with suppress(EngrainError):  # The next recall reports it.
        memory.recall("warm")
    return memory
