"""`AsyncMemory`: the main verbs of a memory as coroutines."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from functools import wraps
from threading import Lock
from typing import Any, Concatenate, ParamSpec, Self, TypeVar

from engrain.api.memory import Memory

P = ParamSpec("P")
R = TypeVar("R")


def _in_thread(
    method: Callable[Concatenate[Memory, P], R],
) -> Callable[Concatenate[AsyncMemory, P], Coroutine[Any, Any, R]]:
    """Return the coroutine that calls a method of `Memory` in a thread."""

    @wraps(method)
    async def call(memory: AsyncMemory, /, *args: P.args, **named: P.kwargs) -> R:
        return await memory.run(method, *args, **named)

    return call


class AsyncMemory:
    """Durable memory for programs with an event loop. Made by `engrain.open_async_memory`.

        async with open_async_memory("~/memory", create=True) as memory:
            await memory.save("Use advisory locks for the nightly job.", kind="fix")
            found = await memory.recall("nightly job lock")

    Each method calls the method of `Memory` with the same name in one of a few threads, so that the
    loop goes on meanwhile; `help(Memory.save)` says what the arguments mean. If a call is cancelled
    before its thread has begun, nothing happens; after that its work is finished in the thread, so
    that nothing is half written. The block ends when all such work has ended.
    """

    def __init__(self, open_memory: Callable[[], Memory], threads: int = 4) -> None:
        self._open_memory = open_memory
        self._lock = Lock()
        self._memory: Memory | None = None
        self._threads = ThreadPoolExecutor(threads, thread_name_prefix="engrain")

    async def __aenter__(self) -> Self:
        await self.run(lambda memory: memory.vault)
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    async def close(self) -> None:
        """Wait for the calls that have begun, then close files and connections. Calls after this
        raise RuntimeError."""
        await asyncio.shield(asyncio.to_thread(self._close))

    def _close(self) -> None:
        self._threads.shutdown(wait=True)
        if self._memory is not None:
            self._memory.close()

    def _opened(self) -> Memory:
        with self._lock:
            if self._memory is None:
                self._memory = self._open_memory()
            return self._memory

    async def run(
        self, function: Callable[Concatenate[Memory, P], R], *args: P.args, **named: P.kwargs
    ) -> R:
        """Call a function with the memory in a thread: for all that has no method here.

        await memory.run(lambda inner: inner.facts.add("Dana", "Dana likes tea."))
        """

        def work() -> R:
            return function(self._opened(), *args, **named)

        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(self._threads, copy_context().run, work)

    save = _in_thread(Memory.save)
    recall = _in_thread(Memory.recall)
    before_task = _in_thread(Memory.before_task)
    list = _in_thread(Memory.list)
    show = _in_thread(Memory.show)

    async def begin_session(self, session: str | None = None, *, project: str | None = None) -> str:
        """Begin a session for `recall` and return its id: `memory.sessions.begin`."""
        return await self.run(
            lambda memory: memory.sessions.begin(session, project=project, current=False)
        )

    async def end_session(self, session: str) -> None:
        """End a session, and count its recalls: `memory.sessions.end`. Raises NotFoundError."""
        await self.run(lambda memory: memory.sessions.end(session))
