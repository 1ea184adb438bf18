"""Serve an application on sockets of this machine without logging requests, whose addresses may
hold a token."""

from __future__ import annotations

import asyncio
import signal
import socket
from collections.abc import Callable, Sequence
from ssl import SSLContext
from typing import Any, Literal

import uvicorn


class _LeavingServer(uvicorn.Server):
    """Ends at once if a signal came before its handlers were set, and calls the application's
    `leave`, if it has one, at the end: an open stream would otherwise be cut and reported as a
    failure."""

    def __init__(self, config: uvicorn.Config, is_asked_to_end: Callable[[], bool]) -> None:
        super().__init__(config)
        self._is_asked_to_end = is_asked_to_end

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        if self._is_asked_to_end():
            self.handle_exit(signal.SIGTERM, None)

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        if leave := getattr(self.config.app, "leave", None):
            leave()
        await super().shutdown(sockets)


def serve_app(
    app: Any,
    sockets: Sequence[socket.socket],
    *,
    http: Any = "h11",
    lifespan: Literal["off", "on"] = "off",
    grace: int = 1,
    tls: SSLContext | None = None,
    loop: Callable[[], asyncio.AbstractEventLoop] | None = None,
    is_asked_to_end: Callable[[], bool],
) -> None:
    """Serve an ASGI application on bound sockets until SIGINT or SIGTERM, in a loop that `loop`
    makes. `http` is the class of its connections, and `grace` the seconds in which requests must
    end. `leaving_on_signals` gives `is_asked_to_end`."""
    config = uvicorn.Config(
        app,
        http=http,
        lifespan=lifespan,
        ws="none",
        log_config=None,
        log_level="error",
        access_log=False,
        server_header=False,
        proxy_headers=False,
        timeout_graceful_shutdown=grace,
    )
    config.load()
    config.ssl = tls
    with asyncio.Runner(loop_factory=loop) as runner:
        runner.run(_LeavingServer(config, is_asked_to_end).serve(list(sockets)))
