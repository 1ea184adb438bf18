"""Serve a memory over HTTP until a signal ends the process."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from socket import socket
from ssl import SSLContext
from threading import Thread

from engrain.adapters.mcp.fastmcp_server import make_app, make_server, serve_http
from engrain.adapters.mcp.guard import Gatekeeper, LoopbackGuard
from engrain.adapters.mcp.process import warm
from engrain.adapters.mcp.singleton import Place
from engrain.api.memory import Memory

try:
    from resource import RLIM_INFINITY, RLIMIT_NOFILE, getrlimit, setrlimit
except ImportError:  # Windows has no such limits
    getrlimit = None  # type: ignore[assignment]

_DESCRIPTORS = 2048
"""More descriptors than two listeners full of connections and the index need."""


def serve_place(memory: Memory, place: Place, stop_if_asked: Callable[[], None]) -> None:
    """Serve over HTTP on the sockets of `place` until a signal ends it. `stop_if_asked` is that of
    `leaving_on_signals`.

    FastMCP accepts any Host and Origin by default, and not all of its releases can be configured;
    the guard checks all of its requests.
    """
    guard = LoopbackGuard(make_app(make_server(memory)), place.ensure_token(), place.token_file)
    serve_guarded(memory, guard, place.sockets, None, stop_if_asked)


def serve_guarded(
    memory: Memory,
    guard: Gatekeeper,
    sockets: Sequence[socket],
    tls: SSLContext | None,
    stop_if_asked: Callable[[], None],
) -> None:
    """Serve a guarded application on bound sockets until a signal ends it; a thread beside loads
    what a first recall loads."""
    thread = Thread(target=warm, args=(memory,), name="warming", daemon=True)
    thread.start()
    try:
        stop_if_asked()
        _allow_descriptors()
        serve_http(guard, sockets, tls)
    finally:
        thread.join()


def _allow_descriptors() -> None:
    """Raise the limit of open files and connections as far as the system allows it."""
    if getrlimit is None:
        return
    try:
        soft, hard = getrlimit(RLIMIT_NOFILE)
        wanted = _DESCRIPTORS if hard == RLIM_INFINITY else min(_DESCRIPTORS, hard)
        if soft != RLIM_INFINITY and soft < wanted:
            setrlimit(RLIMIT_NOFILE, (wanted, hard))
    except (OSError, ValueError):
        return
