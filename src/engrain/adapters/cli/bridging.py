"""`engrain mcp --stdio`: one host's bridge, with a memory of its own where no server runs; it also
answers the hooks of this device if no other process does.

Hooks find its socket before anything is loaded, and wait there. A host waits for its tools before
its first request, so the memory is loaded when they are listed, or when the first hook comes.
"""

from __future__ import annotations

import os
import select
import socket
import sys
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, suppress
from ctypes import CDLL
from time import monotonic
from typing import TYPE_CHECKING

from engrain.adapters.hooks.place import LEAVE, HookPlace, connect_anywhere
from engrain.adapters.mcp.bridge import Bridge
from engrain.adapters.mcp.process import warm
from engrain.model.errors import EngrainError
from engrain.resolution.endpoint import hooks_path, run_folder
from engrain.resolution.jobs_process import JobsProcess
from engrain.resolution.selector import Resolution, resolve
from engrain.resolution.settings import (
    absolute_state_dir,
    check_folder,
    is_afar,
    load_settings,
    read_whole_number,
)
from engrain_hook import ask

if TYPE_CHECKING:
    from engrain.adapters.hooks.listener import Listener
    from engrain.adapters.mcp.bridge import Target
    from engrain.adapters.mcp.description import Json
    from engrain.adapters.mcp.singleton import Place
    from engrain.adapters.web.asking import Around
    from engrain.adapters.web.doors import Doors
    from engrain.api.memory import Memory
    from engrain.interchange.plain import PlainRecord
    from engrain.resolution.settings import Setting

_LOOK = 0.02
"""Seconds between two looks for the first hook."""
_LONGEST_WAIT = 0.5
"""Seconds until the memory is loaded although neither a hook came nor the tools were listed."""
_STANDIN_WAIT = 5.0
"""Seconds within which a stand-in has loaded its memory and hears that it is to leave."""
_LAST = 1.0
"""Seconds that an ending process waits for its look for sessions to learn from."""
_ARENA_MAX = -8
"""The number of the option M_ARENA_MAX of `mallopt`, in malloc.h."""
_OPTIONS = ("vault", "state_dir", "backend", "project", "agent")


def read_flags(arguments: Sequence[str]) -> dict[str, str | None] | None:
    """Read the values of `mcp --stdio`; None for arguments that the command line's parser reads."""
    flags: dict[str, str | None] = {}
    rest = iter(arguments)
    words = []
    for word in rest:
        name, equals, value = word.partition("=")
        option = name[2:].replace("-", "_")
        if name[:2] == "--" and option in _OPTIONS:
            found = value if equals else next(rest, "")
            if not found or found[0] == "-":
                return None
            flags[option] = found
        elif word == "--no-jobs":
            flags["no_jobs"] = word
        else:
            words.append(word)
    return flags if words == ["mcp", "--stdio"] else None


def serve_host(flags: Mapping[str, str | None], *, read_only: bool = False) -> None:
    """Serve one host on standard input and output, until its input ends."""
    share_heap()
    host = _Host(flags)
    host.answer_hooks()
    try:
        bridge = Bridge(host.choose, sys.stdout.buffer, host.listed.set, read_only=read_only)
        bridge.run(sys.stdin.buffer)
    except BrokenPipeError:
        # What is still buffered has nowhere to go, or the interpreter fails on it when it leaves.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    finally:
        host.release()


def share_heap() -> None:
    """Have all threads of this process share one heap of the C library, where it is glibc. It gives
    each thread a heap of its own, and what one thread freed is then of no use to the others."""
    if sys.platform == "linux":
        with suppress(AttributeError):  # another C library
            CDLL(None).mallopt(_ARENA_MAX, 1)


class HookDoor:
    """The answering of hooks by one process: its place, and what answers there."""

    def __init__(
        self,
        state_dir: str,
        resolution: Resolution | None = None,
        open_own: Callable[[], Memory] | None = None,
    ) -> None:
        run_folder(state_dir)
        self._place = HookPlace(hooks_path(state_dir))
        self._state_dir = state_dir
        self._resolution = resolution
        self._open_own = open_own
        self._held = ExitStack()
        self._listener: Listener | None = None

    @property
    def is_opening(self) -> bool:
        """Whether hooks find this process, which does not answer yet."""
        return self._place.socket is not None and self._listener is None

    def acquire(self, *, wait: bool) -> bool:
        """Become the process that hooks connect to; see `HookPlace.acquire`. Raises OSError,
        StorageError."""
        return self._place.acquire(wait=wait)

    def wait_for_first(self, listed: threading.Event) -> None:
        """Wait until a hook comes, or until `listed` is set."""
        until = monotonic() + _LONGEST_WAIT
        listening = self._place.socket
        while listening is not None and not listed.is_set() and monotonic() < until:
            if select.select([listening], [], [], _LOOK)[0]:
                return

    def answer(self) -> None:
        """Answer the hooks, and those that wait, and carry out the spool. Raises EngrainError if
        this process has no memory; then the place is left."""
        from engrain.adapters.hooks.intake import process_spool
        from engrain.adapters.hooks.listener import Listener
        from engrain.adapters.hooks.vaults import Vaults

        state_dir = self._state_dir
        try:
            vaults = self._held.enter_context(Vaults(state_dir, self._resolution, self._open_own))
            if (listening := self._place.socket) is not None:
                listener = Listener(listening, state_dir, vaults.find, self._place.token)
                self._listener = self._held.enter_context(listener)
            vaults.open_own()
        except BaseException:
            self.release()
            raise
        process_spool(state_dir, vaults.find)

    def begin(self, listed: threading.Event | None = None) -> None:
        """Take the place, or as soon as its holder ends, and answer there in another thread; after
        the first hook or after `listed` is set. Raises OSError, StorageError."""
        taken = self.acquire(wait=False)

        def run() -> None:
            with suppress(EngrainError, OSError):
                if not taken:
                    self._send_away()
                    if not self.acquire(wait=True):
                        return
                elif listed is not None:
                    self.wait_for_first(listed)
                self.answer()

        threading.Thread(target=run, name="place", daemon=True).start()

    def _send_away(self) -> None:
        """Ask the holder of the place to leave, which only a stand-in does."""
        until = monotonic() + _STANDIN_WAIT
        ask(self._place.path, [LEAVE, "", "0"], until, (b"", b""), connect_anywhere)

    def release(self) -> None:
        """Stop answering, and leave the place to another process."""
        self._place.release()
        self._held.close()
        self._listener = None


class _Host:
    """What one host is served with; each part is made when it is first needed."""

    def __init__(self, flags: Mapping[str, str | None]) -> None:
        self._flags = flags
        self._session = os.urandom(8).hex()
        self._opening = threading.Lock()
        self._memory: Memory | None = None
        self._held: ExitStack | None = None
        self._is_making = False
        self._hooks: HookDoor | None = None
        self._learner = threading.Thread(target=self._learn, name="learning", daemon=True)
        self._ending = threading.Event()
        self.listed = threading.Event()

    def choose(self, failures: int) -> Target:
        """Return the remote server where one is set; else the vault's server, or this process
        where none runs or it failed twice. Raises EngrainError where there is no memory."""
        from engrain.adapters.mcp.singleton import find_running

        self._check_on()  # in vain, nothing is opened
        settings = load_settings(self._flags, os.environ, os.getcwd())
        if settings["remote.url"].value and not settings["vault"].origin.startswith("flag"):
            from engrain.adapters.hooks.distant import DistantServer

            state_dir = absolute_state_dir(settings["state_dir"].value, os.environ)
            distant = DistantServer(settings, state_dir, os.getcwd())
            return _Switched(distant, self._check_on)
        resolution = self._resolve()
        running = None if failures and self._memory else find_running(resolution)
        if running is None or failures > 1:
            from engrain.adapters.mcp.local import Local

            return _Switched(Local(self._open(), self._session), self._check_on)
        from engrain.adapters.mcp.remote import Remote

        remote = Remote(running, self._is_ready, resolution.project, self._session)
        return _Switched(remote, self._check_on)

    def _check_on(self) -> None:
        check_folder(self._flags, os.environ, os.getcwd())

    def answer_hooks(self) -> None:
        """Answer the hooks of this device from this process, once no other does."""
        try:
            settings = load_settings(self._flags, os.environ, os.getcwd())
            if is_afar(settings):
                hooks = HookDoor(absolute_state_dir(settings["state_dir"].value, os.environ))
            else:
                resolution = self._resolve()
                hooks = HookDoor(resolution.state_dir, resolution, self._open_warm)
            hooks.begin(self.listed)
            self._hooks = hooks
        except (EngrainError, OSError):
            pass  # hooks open the memory themselves
        self._learner.start()

    def release(self) -> None:
        """Give back what is held."""
        self._ending.set()
        if self._learner.is_alive():
            from engrain.adapters.mcp.jobs import bearing_signals

            with bearing_signals():
                self._learner.join(_LAST)
            os._exit(0)  # the next session does what is left
        if self._hooks is not None:
            is_opening = self._hooks.is_opening or self._opening.locked()
            self._hooks.release()
            if is_opening:
                os._exit(0)  # nobody needs what is just being opened
        if self._held is not None:
            self._held.close()

    def _learn(self) -> None:
        """Have jobs learn from the sessions before this one, though nobody calls a tool."""
        self.listed.wait(_LONGEST_WAIT)
        with suppress(EngrainError, OSError):  # the jobs' own round reports it
            settings = load_settings(self._flags, os.environ, os.getcwd())
            if is_afar(settings):
                self._learn_afar(settings)
                return
            resolution = self._resolve()
            agreed = resolution.settings["learn"].value != "no"
            if agreed and jobs_every(resolution, "no_jobs" not in self._flags):
                from engrain.adapters.mcp.jobs import learn

                project = self._flags.get("project")
                with open_resolved(resolution, project) as memory:
                    learn(memory, JobsProcess(resolution, project))

    def _learn_afar(self, settings: Mapping[str, Setting]) -> None:
        """Have the jobs of the vault run that learns for a memory on another machine, where the
        operator agreed to it, and wait until this host ends. Raises EngrainError, OSError."""
        from engrain.adapters.hooks.distant import learned_folder, learns_afar

        if learns_afar(settings):
            vault = learned_folder(absolute_state_dir(settings["state_dir"].value, os.environ))
            resolution = resolve({**self._flags, "vault": vault}, os.environ, os.getcwd())
            with ExitStack() as held:
                run_jobs_beside(held, resolution, None, "no_jobs" not in self._flags)
                self._ending.wait()

    def _resolve(self) -> Resolution:
        return resolve(self._flags, os.environ, os.getcwd())

    def _open(self) -> Memory:
        """Open this process's memory, with the jobs beside it. Raises EngrainError."""
        with self._opening:
            if self._memory is None:
                held = ExitStack()
                resolution = self._resolve()
                named = self._flags.get("project")
                memory = held.enter_context(open_resolved(resolution, named))
                wanted = "no_jobs" not in self._flags
                run_jobs_beside(held, resolution, named, wanted)
                self._held = held
                self._memory = memory
            return self._memory

    def _open_warm(self) -> Memory:
        return warm(self._open())

    def _is_ready(self) -> bool:
        """Return whether this process could answer now; the first call begins to open a memory."""
        if not self._is_making:
            self._is_making = True
            threading.Thread(target=self._make, daemon=True).start()
        return self._memory is not None

    def _make(self) -> None:
        try:
            self._open()
        except EngrainError:
            return  # then there is only the server to wait for


class _Switched:
    """A target that is asked only while memory is on in the host's folder."""

    def __init__(self, target: Target, check: Callable[[], None]) -> None:
        self._target = target
        self._check = check

    def ask(self, request: Json) -> Json:
        """Return the target's response. Raises MemoryOffError, and what the target raises."""
        self._check()
        return self._target.ask(request)


def open_resolved(resolution: Resolution, project: str | None) -> Memory:
    """Open the memory that was resolved, in a project as `open_memory` takes it."""
    from engrain.wiring import open_memory

    return open_memory(
        resolution.location,
        state_dir=resolution.state_dir,
        backend=resolution.backend,
        project=project,
        agent=resolution.agent,
        served=True,
    )


def run_jobs_beside(
    held: ExitStack, resolution: Resolution, project: str | None, wanted: bool
) -> None:
    """Run the jobs of the memory that was resolved until `held` ends, if they are wanted."""
    every = jobs_every(resolution, wanted)
    if every is not None:
        from engrain.adapters.mcp.jobs import following_changes, running_jobs

        def open_memory() -> Memory:
            return open_resolved(resolution, project)

        process = JobsProcess(resolution, project)
        held.enter_context(following_changes(open_memory))
        held.enter_context(running_jobs(open_memory, process, every))


def jobs_every(resolution: Resolution, wanted: bool) -> float | None:
    """Return the seconds from one round of jobs to the next, None for no jobs."""
    minutes = read_whole_number(resolution.settings, "jobs.minutes")
    return minutes * 60.0 if wanted and minutes is not None else None


def serve_clients(memory: Memory, place: Place, is_asked_to_end: Callable[[], bool]) -> None:
    """Serve MCP clients over HTTP until a signal ends it; see `serve_place`."""
    from engrain.adapters.mcp.serving import serve_place

    serve_place(memory, place, is_asked_to_end)


def open_console(memory: Memory, port: int, around: Around) -> Doors:
    """Make the console over a memory, for a server on this port; the extra must be installed."""
    from engrain.adapters.web.app import make_app
    from engrain.adapters.web.doors import Doors

    return Doors(make_app(memory, around), port)


def make_pages(records: Iterable[PlainRecord]) -> Iterator[tuple[str, bytes]]:
    """Make a static site of records; the extra `console` must be installed."""
    from engrain.adapters.web.site import make_site

    return make_site(records)


def serve_console(
    doors: Doors, listening: socket.socket, is_asked_to_end: Callable[[], bool]
) -> None:
    """Serve the console until SIGINT or SIGTERM."""
    from engrain.adapters.asgi import serve_app

    serve_app(doors, [listening], is_asked_to_end=is_asked_to_end)
