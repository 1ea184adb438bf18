"""Serving one memory: what begins before the first request and ends after the last."""

from __future__ import annotations

import signal
import sys
from contextlib import ExitStack, contextmanager, suppress
from importlib.util import find_spec
from threading import Thread

from engrain.model.errors import EngrainError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import BinaryIO

    from engrain.adapters.mcp.bridge import Target
    from engrain.adapters.mcp.in_process import InProcess
    from engrain.adapters.mcp.singleton import Place
    from engrain.face.memory import Memory
    from engrain.resolution.selector import Resolution


def require_fastmcp() -> None:
    """Raises EngrainError when the extra that brings FastMCP is not installed."""
    if find_spec("fastmcp") is None:
        raise EngrainError(
            "the MCP server needs FastMCP, which is not installed",
            remedy="pip install 'engrain[mcp]'",
        )


def serve_place(memory: Memory, place: Place, leave_if_told: Callable[[], None]) -> None:
    """Serve over HTTP on the sockets of `place` until a signal ends it; one that came before is
    what `leave_if_told` (of `leaving_on_signals`) knows.

    FastMCP lets any Host and Origin in unless told otherwise, and not all of its releases can be
    told; the guard stands before all of it.
    """
    from engrain.adapters.mcp.fastmcp_server import make_app, make_server, serve_http
    from engrain.adapters.mcp.guard import Guard

    app = make_app(make_server(memory))
    with _warming(memory):
        leave_if_told()
        serve_http(Guard(app, place.keep_token(), place.token_file), place.sockets)


def serve_host(
    resolution: Resolution,
    open_memory: Callable[[], Memory],
    lines: BinaryIO,
    output: BinaryIO,
    jobs: float | None,
) -> None:
    """Serve one host, line by line, until its input ends: through the vault's server, and in this
    process where none runs or it has gone; there jobs run every so many seconds, if any."""
    from engrain.adapters.mcp.bridge import Bridge
    from engrain.adapters.mcp.singleton import find_running

    with ExitStack() as held:

        def choose() -> Target:
            if (running := find_running(resolution)) is not None:
                from engrain.adapters.mcp.remote import Remote

                return Remote(running)
            local = held.enter_context(_in_process(open_memory))
            if jobs is not None:
                from engrain.adapters.mcp.jobs import running_jobs

                held.enter_context(running_jobs(open_memory, jobs))
            return local

        Bridge(choose, resolution.project, output).run(lines)


@contextmanager
def leaving_on_signals() -> Iterator[Callable[[], None]]:
    """Let SIGINT, SIGTERM and SIGHUP end the block by SystemExit, so that what it holds is given
    back. FastMCP's server catches the first two while it serves, and raises them again when it
    has ended; it knows no SIGHUP, which therefore turns into SIGTERM.

    An exception that a handler raises within a finaliser or a callback, of which imports have many,
    is lost. What the block gets raises it again where a signal has come.
    """
    told = False

    def leave(*_: object) -> None:
        nonlocal told
        told = True
        sys.exit(0)

    def leave_if_told() -> None:
        if told:
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
def _in_process(open_memory: Callable[[], Memory]) -> Iterator[InProcess]:
    require_fastmcp()
    with open_memory() as memory:
        from engrain.adapters.mcp.fastmcp_server import make_app, make_server
        from engrain.adapters.mcp.in_process import InProcess

        app = make_app(make_server(memory))
        with _warming(memory), InProcess(app, app.lifespan(app)) as local:
            yield local


@contextmanager
def _warming(memory: Memory) -> Iterator[None]:
    """Load beside the first requests what a first recall loads: the index, and the embedder if
    there is one."""

    def warm() -> None:
        with suppress(EngrainError):  # Whoever recalls is told.
            memory.recall("warm")

    thread = Thread(target=warm, name="warming", daemon=True)
    thread.start()
    try:
        yield
    finally:
        thread.join()
