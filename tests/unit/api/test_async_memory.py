"""The main verbs as coroutines: threads do the work, and a cancelled call leaves nothing half."""

from __future__ import annotations

import asyncio
import inspect
import threading
from pathlib import Path

import pytest

from engrain import AsyncMemory, Memory, UsageError, open_async_memory


def open_at(tmp_path: Path, threads: int = 2) -> AsyncMemory:
    return open_async_memory(
        tmp_path / "vault",
        create=True,
        state_dir=tmp_path / "state",
        keys_dir=tmp_path / "keys",
        threads=threads,
    )


def test_what_is_saved_is_recalled_changed_and_taken_back(tmp_path: Path) -> None:
    async def work() -> None:
        async with open_at(tmp_path) as memory:
            saved = await memory.save("The quay is forty metres long.", title="Quay length")
            found = await memory.recall("how long is the quay")
            assert [one.row.id for one in found.results] == [saved.id]
            entry = (await memory.show(saved.id)).entry
            await memory.run(Memory.edit, saved.id, expect=entry.hash, tags=["harbour"])
            await memory.run(Memory.forget, saved.id)
            assert (await memory.list()).rows == ()
            await memory.run(Memory.undo)
            assert [row.id for row in (await memory.list()).rows] == [saved.id]
            assert [one.op for one in await memory.run(Memory.history, saved.id)][-1] == "save"
            session = await memory.begin_session()
            first = await memory.recall("how long is the quay", session=session)
            second = await memory.recall("how long is the quay", session=session)
            assert (len(first.results), len(second.results)) == (1, 0)
            await memory.end_session(session)
            assert (await memory.run(Memory.survey)).proposals == 0

    asyncio.run(work())


def test_many_calls_at_once_lose_nothing(tmp_path: Path) -> None:
    async def work() -> None:
        async with open_at(tmp_path, threads=4) as memory:
            texts = [f"Berth {n} has {n} bollards." for n in range(12)]
            await asyncio.gather(*(memory.save(text, kind="memory") for text in texts))
            assert len((await memory.list()).rows) == 12

    asyncio.run(work())


def test_the_loop_goes_on_while_a_few_threads_work(tmp_path: Path) -> None:
    running, most, gate, lock = 0, 0, threading.Event(), threading.Lock()

    def block(_: Memory) -> None:
        nonlocal running, most
        with lock:
            running += 1
            most = max(most, running)
        gate.wait(60)
        with lock:
            running -= 1

    async def work() -> None:
        async with open_at(tmp_path, threads=2) as memory:
            calls = [asyncio.create_task(memory.run(block)) for _ in range(5)]
            while running < 2:
                await asyncio.sleep(0.01)
            gate.set()
            await asyncio.gather(*calls)

    asyncio.run(work())
    assert most == 2


def test_the_work_of_a_cancelled_call_is_finished_before_the_memory_closes(tmp_path: Path) -> None:
    begun, gate = threading.Event(), threading.Event()

    def save(memory: Memory) -> None:
        begun.set()
        gate.wait(60)
        memory.save("The tide turns at noon.", title="Tide")

    async def work() -> None:
        async with open_at(tmp_path) as memory:
            call = asyncio.create_task(memory.run(save))
            while not begun.is_set():
                await asyncio.sleep(0.01)
            call.cancel()
            with pytest.raises(asyncio.CancelledError):
                await call
            gate.set()
        async with open_at(tmp_path) as memory:
            assert [row.title for row in (await memory.list()).rows] == ["Tide"]

    asyncio.run(work())


def test_a_call_that_is_cancelled_before_its_turn_does_nothing(tmp_path: Path) -> None:
    begun, gate = threading.Event(), threading.Event()

    def block(_: Memory) -> None:
        begun.set()
        gate.wait(60)

    async def work() -> None:
        async with open_at(tmp_path, threads=1) as memory:
            first = asyncio.create_task(memory.run(block))
            while not begun.is_set():
                await asyncio.sleep(0.01)
            second = asyncio.create_task(memory.save("The tide turns at noon."))
            await asyncio.sleep(0)
            second.cancel()
            with pytest.raises(asyncio.CancelledError):
                await second
            await asyncio.sleep(0.01)
            gate.set()
            await first
            assert (await memory.list()).rows == ()

    asyncio.run(work())


def test_errors_are_those_of_the_memory(tmp_path: Path) -> None:
    async def work() -> None:
        async with open_at(tmp_path) as memory:
            with pytest.raises(UsageError):
                await memory.save("")
        with pytest.raises(RuntimeError):
            await memory.list()

    asyncio.run(work())


def test_each_coroutine_takes_what_the_method_of_its_name_takes() -> None:
    for name, method in vars(AsyncMemory).items():
        own = getattr(Memory, name, None)
        if not name.startswith("_") and inspect.iscoroutinefunction(method) and own is not None:
            known = inspect.signature(own).parameters
            for given in inspect.signature(method).parameters.values():
                assert given.default == known[given.name].default, (name, given.name)
                assert given.kind == known[given.name].kind, (name, given.name)
