"""`engrain mcp --stdio`: one host's bridge, with a memory of its own where no server runs; it also
answers the vault's hooks if no other process does.

A host waits for its tools before its first request, so only what lists them is loaded before that.
"""

from __future__ import annotations

import os
import sys
from _thread import allocate_lock, start_new_thread
from contextlib import suppress

from engrain.adapters.mcp.bridge import Bridge

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from contextlib import ExitStack

    from engrain.adapters.hooks.listener import HookPlace
    from engrain.adapters.mcp.bridge import Target
    from engrain.adapters.mcp.description import Json
    from engrain.api.memory import Memory
    from engrain.resolution.selector import Resolution

SETTLING = 1.0
"""Seconds from the list of tools until the place is taken, after the host's first hooks."""
_SOON = 0.3
"""Seconds until it learns from sessions that ended, since this one may be over at once."""
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


def serve_host(flags: Mapping[str, str | None]) -> None:
    """Serve one host on standard input and output, until its input ends."""
    share_heap()
    host = _Host(flags)
    try:
        Bridge(host.choose, sys.stdout.buffer, host.answer_hooks_later).run(sys.stdin.buffer)
    except BrokenPipeError:
        # What is still buffered has nowhere to go, or the interpreter fails on it when it leaves.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    finally:
        host.leave()


def share_heap() -> None:
    """Have all threads of this process share one heap of the C library, where it is glibc. It gives
    each thread a heap of its own, and what one thread freed is then of no use to the others."""
    from ctypes import CDLL

    if sys.platform == "linux":
        with suppress(AttributeError):  # another C library
            CDLL(None).mallopt(_ARENA_MAX, 1)


class _Host:
    """What one host is served with; each part is made when it is first needed."""

    def __init__(self, flags: Mapping[str, str | None]) -> None:
        self._flags = flags
        self._session = os.urandom(8).hex()
        self._opening = allocate_lock()
        self._memory: Memory | None = None
        self._held: ExitStack | None = None
        self._is_making = False
        self._is_left = False
        self._place: HookPlace | None = None
        self._learning = allocate_lock()

    def choose(self, failures: int) -> Target:
        """Return the vault's server, or this process where none runs or it failed twice. Raises
        EngrainError where there is no memory."""
        from engrain.adapters.mcp.singleton import find_running

        self._check_on()  # in vain, nothing is opened
        resolution = self._resolve()
        running = None if failures and self._memory else find_running(resolution)
        if running is None or failures > 1:
            from engrain.adapters.mcp.local import Local

            return _Switched(Local(self._open(), self._session), self._check_on)
        from engrain.adapters.mcp.remote import Remote

        remote = Remote(running, self._is_ready, resolution.project, self._session)
        return _Switched(remote, self._check_on)

    def _check_on(self) -> None:
        from engrain.resolution.settings import load_settings
        from engrain.resolution.switch import check_on

        folder = os.getcwd()
        check_on(load_settings(self._flags, os.environ, folder), folder)

    def answer_hooks_later(self) -> None:
        """Answer the vault's hooks from this process, in a moment and once no other does."""
        start_new_thread(self._answer_hooks, ())

    def leave(self) -> None:
        """Give back what is held."""
        self._is_left = True
        if self._learning.locked():
            from engrain.adapters.mcp.jobs import LAST, bearing_signals

            with bearing_signals():
                self._learning.acquire(timeout=LAST)
            os._exit(0)  # the next session does what is left
        if self._place is not None:
            if self._place.is_opening:
                self._place.clear()
                os._exit(0)  # nobody needs what is just being opened
            self._place.leave()
        if self._held is not None:
            self._held.close()

    def _answer_hooks(self) -> None:
        from time import sleep

        from engrain.model.errors import EngrainError

        sleep(_SOON)
        self._learn()
        sleep(SETTLING - _SOON)
        try:
            from engrain.adapters.mcp.serving import warm

            resolution = self._resolve()
            self._place = make_place(resolution, lambda: warm(self._open()))
            # What the file of one project says of recall is not for the hooks of the others.
            names = ("profile", "budget")
            local = any("project file" in resolution.settings[name].origin for name in names)
            if not local and not self._is_left:
                self._place.take(wait=True)
        except (EngrainError, OSError):
            return  # hooks find their own way

    def _learn(self) -> None:
        from engrain.model.errors import EngrainError

        with self._learning:
            try:
                resolution = self._resolve()
                agreed = resolution.settings["transcripts.learn"].value == "on"
                if agreed and jobs_every(resolution, "no_jobs" not in self._flags):
                    from engrain.adapters.mcp.jobs import learn

                    with open_resolved(resolution, self._flags.get("project")) as memory:
                        learn(memory)
            except (EngrainError, OSError):
                return  # the jobs' own round reports it

    def _resolve(self) -> Resolution:
        from engrain.resolution.selector import resolve

        return resolve(self._flags, os.environ, os.getcwd())

    def _open(self) -> Memory:
        """Open this process's memory, with the jobs beside it. Raises EngrainError."""
        with self._opening:
            if self._memory is None:
                from contextlib import ExitStack

                held = ExitStack()
                resolution = self._resolve()
                named = self._flags.get("project")
                memory = held.enter_context(open_resolved(resolution, named))
                wanted = "no_jobs" not in self._flags
                run_jobs_beside(held, resolution, named, wanted, self._is_answering)
                self._held = held
                self._memory = memory
            return self._memory

    def _is_answering(self) -> bool:
        return self._place is not None and self._place.is_answering

    def _is_ready(self) -> bool:
        """Return whether this process could answer now; the first call begins to open a memory."""
        if not self._is_making:
            self._is_making = True
            start_new_thread(self._make, ())
        return self._memory is not None

    def _make(self) -> None:
        from engrain.model.errors import EngrainError

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
    held: ExitStack,
    resolution: Resolution,
    project: str | None,
    wanted: bool,
    is_busy: Callable[[], bool] = lambda: False,
) -> None:
    """Run the jobs of the memory that was resolved until `held` ends, if they are wanted; they wait
    while the server `is_busy`."""
    every = jobs_every(resolution, wanted)
    if every is not None:
        from engrain.adapters.mcp.jobs import running_jobs

        jobs = running_jobs(lambda: open_resolved(resolution, project), every, is_busy=is_busy)
        held.enter_context(jobs)


def jobs_every(resolution: Resolution, wanted: bool) -> float | None:
    """Return the seconds from one round of jobs to the next, None for no jobs."""
    from engrain.resolution.settings import read_whole_number

    minutes = read_whole_number(resolution.settings, "jobs.minutes")
    return minutes * 60.0 if wanted and minutes is not None else None


def make_place(resolution: Resolution, open_memory: Callable[[], Memory]) -> HookPlace:
    """Make the place of the process that answers the vault's hooks. Raises StorageError."""
    from engrain.adapters.hooks.listener import HookPlace
    from engrain.adapters.hooks.warm import ENDING
    from engrain.resolution.endpoint import endpoint_path, run_folder
    from engrain.resolution.selector import find_project

    run_folder(resolution.state_dir)
    path = endpoint_path(resolution.state_dir, resolution.location, ENDING)
    return HookPlace(
        path,
        open_memory,
        lambda folder, named: find_project(named, os.environ, folder or os.sep, resolution),
    )
