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


def serve_place(memory: Memory, place: Place, is_asked_to_end: Callable[[], bool]) -> None:
    """Serve over HTTP on the sockets of `place` until a signal ends it; `leaving_on_signals` gives
    `is_asked_to_end`.

    FastMCP accepts any Host and Origin by default, and not all of its releases can be configured;
    the guard checks all of its requests.
    """
    guard = LoopbackGuard(make_app(make_server(memory)), place.ensure_token(), place.token_file)
    serve_guarded(memory, guard, place.sockets, None, is_asked_to_end)


def serve_guarded(
    memory: Memory,
    guard: Gatekeeper,
    sockets: Sequence[socket],
    tls: SSLContext | None,
    is_asked_to_end: Callable[[], bool],
) -> None:
    """Serve a guarded application on bound sockets until a signal ends it; a thread beside loads
    what a first recall loads."""
    thread = Thread(target=warm, args=(memory,), name="warming", daemon=True)
    thread.start()
    try:
        _allow_descriptors()
        serve_http(guard, sockets, tls, is_asked_to_end)
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
