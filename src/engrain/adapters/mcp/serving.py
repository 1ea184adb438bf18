"""Serve a memory over HTTP until a signal ends the process."""

from __future__ import annotations

import signal
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from importlib.util import find_spec
from socket import socket
from ssl import SSLContext
from threading import Thread

from engrain.adapters.mcp.guard import Fork, Gatekeeper, LoopbackGuard
from engrain.adapters.mcp.singleton import Place
from engrain.api.memory import Memory
from engrain.model.errors import EngrainError

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
    fork: Callable[[LoopbackGuard], LoopbackGuard | Fork],
) -> None:
    """Serve over HTTP on the sockets of `place` until a signal ends it. `leave_if_told` is that of
    `leaving_on_signals`. `fork` adds another application beside the guarded one, or returns the
    guard.

    FastMCP accepts any Host and Origin by default, and not all of its releases can be configured;
    the guard checks all of its requests.
    """
    from engrain.adapters.mcp.fastmcp_server import make_app, make_server

    app = make_app(make_server(memory))
    guard = fork(LoopbackGuard(app, place.keep_token(), place.token_file))
    serve_guarded(memory, guard, place.sockets, None, leave_if_told)


def serve_guarded(
    memory: Memory,
    guard: Gatekeeper,
    sockets: Sequence[socket],
    tls: SSLContext | None,
    leave_if_told: Callable[[], None],
) -> None:
    """Serve a guarded application on bound sockets until a signal ends it; a thread beside loads
    what a first recall loads."""
    from engrain.adapters.mcp.fastmcp_server import serve_http

    thread = Thread(target=warm, args=(memory,), name="warming", daemon=True)
    thread.start()
    try:
        leave_if_told()
        _allow_descriptors()
        serve_http(guard, sockets, tls)
    finally:
        thread.join()


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
