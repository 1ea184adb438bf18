"""Serve the console on loopback, alone or beside the vault's local server."""

from __future__ import annotations

import asyncio
import socket
from threading import Lock, Thread

from engrain.adapters.asgi import serve_app
from engrain.adapters.web.asking import Around
from engrain.adapters.web.doors import App, Doors, Message, Receive, Send
from engrain.api.memory import Memory


class _Pages:
    """The pages, loaded at their first request: that takes longer than to print their address."""

    def __init__(self, memory: Memory, around: Around) -> None:
        self._memory = memory
        self._around = around
        self._lock = Lock()
        self._app: App | None = None

    def load(self) -> App:
        from engrain.adapters.web.app import make_app

        with self._lock:
            if self._app is None:
                self._app = make_app(self._memory, self._around)
            return self._app

    async def __call__(self, scope: Message, receive: Receive, send: Send) -> None:
        app = self._app
        if app is None:
            app = await asyncio.to_thread(self.load)
        await app(scope, receive, send)


def make_console(memory: Memory, port: int, around: Around | None = None) -> Doors:
    """Return the console over a memory, for a server on 127.0.0.1 and this port. `Doors.invite`
    returns the address that admits a browser."""
    pages = _Pages(memory, around or Around())
    return Doors(pages, port, pages.load)


def serve(doors: Doors, listening: socket.socket) -> None:
    """Serve until SIGINT or SIGTERM."""
    Thread(target=doors.load, name="pages", daemon=True).start()
    serve_app(doors, [listening])
