"""Serve an application on sockets of this machine without logging requests, whose addresses may
hold a token."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Callable, Sequence
from ssl import SSLContext
from typing import Any, Literal

import uvicorn


class _LeavingServer(uvicorn.Server):
    """Calls the application's `leave`, if it has one, at the end: an open stream would otherwise be
    cut and reported as a failure."""

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
) -> None:
    """Serve an ASGI application on bound sockets until SIGINT or SIGTERM, in a loop that `loop`
    makes. `http` is the class of its connections, and `grace` the seconds in which requests must
    end."""
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
        runner.run(_LeavingServer(config).serve(list(sockets)))
