"""What a process that serves a memory does beside serving: it checks, warms up and leaves."""

from __future__ import annotations

import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from importlib.util import find_spec
from typing import TYPE_CHECKING

from engrain.model.errors import EngrainError
from engrain.resolution.installation import compose_install

if TYPE_CHECKING:
    from engrain.api.memory import Memory


def require_fastmcp() -> None:
    """Raise EngrainError if the extra with FastMCP is not installed."""
    if find_spec("fastmcp") is None:
        raise EngrainError(
            "the MCP server needs FastMCP, which is not installed", remedy=compose_install("mcp")
        )


@contextmanager
def leaving_on_signals() -> Iterator[Callable[[], bool]]:
    """Give the block a function that returns whether SIGINT, SIGTERM or SIGHUP has come, so that
    the block can end and release its resources; a second signal ends the block by SystemExit.

    The first one raises nothing: an exception within an import leaves the lock of all imports with
    this thread, and every other thread that imports then waits for ever (CPython 3.11). The HTTP
    server catches the first two signals while it serves, and raises them again when it has ended;
    it ignores SIGHUP, which is therefore turned into SIGTERM.
    """
    asked = False

    def leave(*_: object) -> None:
        nonlocal asked
        if asked:
            sys.exit(0)
        asked = True

    def terminate(*_: object) -> None:
        signal.raise_signal(signal.SIGTERM)

    handlers = {signal.SIGINT: leave, signal.SIGTERM: leave}
    if hasattr(signal, "SIGHUP"):
        handlers[signal.SIGHUP] = terminate
    before = {one: signal.signal(one, handler) for one, handler in handlers.items()}
    try:
        yield lambda: asked
    finally:
        for one, found in before.items():
            signal.signal(one, found)


def warm(memory: Memory) -> Memory:
    """Load what a first recall loads, the index and the embedder if there is one, and return the
    memory."""
    with suppress(EngrainError):  # the next recall reports it
        memory.recall("warm")
    return memory
