"""Serves the console on loopback: by itself, or beside the vault's local server."""

from __future__ import annotations

import asyncio
import socket

import uvicorn

from engrain.adapters.web.app import make_console as make_console
from engrain.adapters.web.doors import Doors
from engrain.model.errors import StorageError


def listen(port: int) -> socket.socket:
    """A socket on 127.0.0.1, 0 for a free port. Raises StorageError when the port is taken."""
    made = socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    try:
        made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        made.bind(("127.0.0.1", port))
        made.listen(128)
    except OSError as error:
        made.close()
        raise StorageError(
            f"can't listen: {error.strerror}",
            path=f"127.0.0.1:{port}",
            remedy="give another --port",
        ) from None
    return made


def serve(doors: Doors, listening: socket.socket) -> None:
    """Serve until SIGINT or SIGTERM. Nothing is logged of what is asked: the first address has the
    token."""
    config = uvicorn.Config(
        doors,
        http="h11",
        lifespan="off",
        ws="none",
        log_config=None,
        log_level="error",
        access_log=False,
        server_header=False,
        proxy_headers=False,
        timeout_graceful_shutdown=1,
    )
    asyncio.run(uvicorn.Server(config).serve([listening]))
