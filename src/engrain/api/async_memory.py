"""`AsyncMemory`: the main verbs of a memory as coroutines."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from threading import Lock
from typing import Concatenate, ParamSpec, Self, TypeVar

from engrain.api.memory import Memory
from engrain.engine.core.outcomes import Outcome
from engrain.engine.core.recalled import Recall, TaskRecall
from engrain.engine.core.scope import Scope, When
from engrain.engine.verbs.listing import Listing, ShownEntry

P = ParamSpec("P")
R = TypeVar("R")


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

    async def save(
        self,
        text: str,
        *,
        title: str | None = None,
        kind: str | None = None,
        tags: Sequence[str] | None = None,
        project: str | None = None,
        created: When | None = None,
        valid_from: When | None = None,
        valid_to: When | None = None,
        confidence: float | None = None,
        weight: float | Mapping[str, float] | None = None,
        derived_from: Sequence[str] = (),
        source: str = "api",
        ref: str | None = None,
        due: str | None = None,
    ) -> Outcome:
        """Write one memory. Raises UsageError, ConflictError."""
        return await self.run(
            Memory.save,
            text,
            title=title,
            kind=kind,
            tags=tags,
            project=project,
            created=created,
            valid_from=valid_from,
            valid_to=valid_to,
            confidence=confidence,
            weight=weight,
            derived_from=derived_from,
            source=source,
            ref=ref,
            due=due,
        )

    async def recall(
        self,
        query: str,
        *,
        session: str | None = None,
        repeat: bool = False,
        profile: str | None = None,
        limit: int | None = None,
        budget: int | None = None,
        phase: str | None = None,
        scope: Scope | None = None,
        loaded: Sequence[str] = (),
        explain: bool = False,
        deadline: float | None = None,
    ) -> Recall:
        """Return the few entries that fit `query`, best first. Raises UsageError,
        IndexUnavailableError."""
        return await self.run(
            Memory.recall,
            query,
            session=session,
            repeat=repeat,
            profile=profile,
            limit=limit,
            budget=budget,
            phase=phase,
            scope=scope,
            loaded=loaded,
            explain=explain,
            deadline=deadline,
        )

    async def before_task(
        self,
        task: str,
        *,
        action: str | None = None,
        phase: str | None = None,
        limit: int = 5,
        budget: int | None = None,
        loaded: Sequence[str] = (),
    ) -> TaskRecall:
        """Recall what fits a task, the mistakes to avoid and the skills that apply."""
        return await self.run(
            Memory.before_task,
            task,
            action=action,
            phase=phase,
            limit=limit,
            budget=budget,
            loaded=loaded,
        )

    async def begin_session(self, session: str | None = None, *, project: str | None = None) -> str:
        """Begin a session for `recall` and return its id: `memory.sessions.begin`."""
        return await self.run(
            lambda memory: memory.sessions.begin(session, project=project, current=False)
        )

    async def end_session(self, session: str) -> None:
        """End a session, and count its recalls: `memory.sessions.end`. Raises NotFoundError."""
        await self.run(lambda memory: memory.sessions.end(session))

    async def list(self, *, scope: Scope | None = None, limit: int | None = None) -> Listing:
        """List entries by filter, newest first."""
        return await self.run(Memory.list, scope=scope, limit=limit)

    async def show(self, reference: str) -> ShownEntry:
        """Read one entry with its links. Raises NotFoundError, UsageError, ErasedError."""
        return await self.run(Memory.show, reference)
