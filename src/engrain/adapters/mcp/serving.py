"""Serving one memory: what begins before the first request and ends after the last."""

from __future__ import annotations

import signal
import sys
from contextlib import ExitStack, contextmanager, suppress
from importlib.util import find_spec
from threading import Lock, Thread

from engrain.model.errors import EngrainError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import BinaryIO, Self

    from engrain.adapters.mcp.bridge import Target
    from engrain.adapters.mcp.in_process import InProcess
    from engrain.adapters.mcp.singleton import Place
    from engrain.api.memory import Memory
    from engrain.resolution.selector import Resolution


_DESCRIPTORS = 2048
"""What two listeners full of connections, the index's connections and files need, and more."""


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
        _allow_descriptors(_DESCRIPTORS)
        serve_http(Guard(app, place.keep_token(), place.token_file), place.sockets)


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


def serve_host(
    resolution: Resolution,
    open_memory: Callable[[], Memory],
    lines: BinaryIO,
    output: BinaryIO,
    jobs: float | None,
) -> None:
    """Serve one host, line by line, until its input ends: through the vault's server, and in this
    process where none runs, or it has gone or answers nobody; there jobs run every so many seconds,
    if any."""
    from engrain.adapters.mcp.bridge import Bridge
    from engrain.adapters.mcp.singleton import find_running

    with _Local(open_memory, jobs) as local:

        def choose(failures: int) -> Target:
            running = None if failures and local.made else find_running(resolution)
            if running is None or failures > 1:
                return local.get()
            from engrain.adapters.mcp.remote import Remote

            return Remote(running, local.is_ready)

        Bridge(choose, resolution.project, output).run(lines)


class _Local:
    """The application in this process, made when it is first needed, ended with a block."""

    def __init__(self, open_memory: Callable[[], Memory], jobs: float | None) -> None:
        self._open_memory = open_memory
        self._jobs = jobs
        self._held = ExitStack()
        self._making = Lock()
        self._thread: Thread | None = None
        self.made: InProcess | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self._thread:
            self._thread.join()
        self._held.close()

    def get(self) -> InProcess:
        """The application. Raises EngrainError where it can't be made."""
        with self._making:
            if self.made is None:
                made = self._held.enter_context(_in_process(self._open_memory))
                if self._jobs is not None:
                    from engrain.adapters.mcp.jobs import running_jobs

                    self._held.enter_context(running_jobs(self._open_memory, self._jobs))
                self.made = made
            return self.made

    def is_ready(self) -> bool:
        """Whether it could answer now. Asking begins to make it, and waits for nothing."""
        if self._thread is None:
            self._thread = Thread(target=self._make, name="making", daemon=True)
            self._thread.start()
        return self.made is not None

    def _make(self) -> None:
        with suppress(EngrainError):  # then there is only the server to wait for
            self.get()


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
