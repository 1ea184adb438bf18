"""The console on loopback as an application, whose pages are loaded at their first request."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from threading import Lock

from engrain.adapters.web.doors import App, Doors, Message, Receive, Send


class _Pages:
    """The pages, made at their first request: that takes longer than to print their address."""

    def __init__(self, make: Callable[[], App]) -> None:
        self._make = make
        self._lock = Lock()
        self._app: App | None = None

    def load(self) -> App:
        with self._lock:
            if self._app is None:
                self._app = self._make()
            return self._app

    async def __call__(self, scope: Message, receive: Receive, send: Send) -> None:
        app = self._app
        if app is None:
            app = await asyncio.to_thread(self.load)
        await app(scope, receive, send)


def make_console(port: int, make: Callable[[], App]) -> Doors:
    """Return the console for a server on 127.0.0.1 and this port; `make` makes its pages.
    `Doors.invite` returns the address that admits a browser."""
    pages = _Pages(make)
    return Doors(pages, port, pages.load)
