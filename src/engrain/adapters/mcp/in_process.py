"""An ASGI application in this process: asked by threads, run by a loop in a thread of its own."""

from __future__ import annotations

import asyncio
from contextlib import AbstractAsyncContextManager
from threading import Thread
from typing import Self

from engrain.adapters.mcp.guard import PATH, App, Message


class InProcess:
    """Asks `app`, inside its `lifespan`, for the length of a `with` block, from any thread."""

    def __init__(self, app: App, lifespan: AbstractAsyncContextManager[object]) -> None:
        self._app = app
        self._lifespan = lifespan
        self._loop = asyncio.new_event_loop()
        self._thread = Thread(target=self._loop.run_forever, name="application", daemon=True)
        self._end = asyncio.Event()

    def __enter__(self) -> Self:
        self._thread.start()
        started = asyncio.Event()
        self._living = asyncio.run_coroutine_threadsafe(self._live(started), self._loop)
        asyncio.run_coroutine_threadsafe(started.wait(), self._loop).result()
        return self

    def __exit__(self, *_: object) -> None:
        self._loop.call_soon_threadsafe(self._end.set)
        try:
            self._living.result()
        finally:
            self._loop.call_soon_threadsafe(self._loop.stop)
            self._thread.join()
            self._loop.close()

    def post(self, body: bytes, headers: dict[str, str]) -> bytes:
        """The body of the answer."""
        exchange = self._exchange(body, headers)
        return asyncio.run_coroutine_threadsafe(exchange, self._loop).result()

    async def _live(self, started: asyncio.Event) -> None:
        try:
            async with self._lifespan:
                started.set()
                await self._end.wait()
        finally:
            started.set()

    async def _exchange(self, body: bytes, headers: dict[str, str]) -> bytes:
        answer = bytearray()
        waiting = [body]
        answered = asyncio.Event()

        async def receive() -> Message:
            if waiting:
                return {"type": "http.request", "body": waiting.pop(), "more_body": False}
            await answered.wait()
            return {"type": "http.disconnect"}

        async def send(message: Message) -> None:
            answer.extend(message.get("body", b""))

        named = {"host": "localhost", **headers}
        scope: Message = {
            "type": "http",
            "asgi": {"version": "3.0"},
            "http_version": "1.1",
            "method": "POST",
            "scheme": "http",
            "path": PATH,
            "raw_path": PATH.encode(),
            "query_string": b"",
            "headers": [(key.lower().encode(), value.encode()) for key, value in named.items()],
            "client": None,
            "server": None,
        }
        try:
            await self._app(scope, receive, send)
        finally:
            answered.set()
        return bytes(answer)
