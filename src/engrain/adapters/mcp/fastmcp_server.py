"""The tools as an MCP server over FastMCP 3.4 or 4, and the connections that it keeps.

Any program of this machine can open connections and send nothing. So a connection is a stranger
until its first request has the token. Strangers have a few seconds for that, and if there are too
many, the oldest is dropped for the newest: a client with the token always gets in, since it shows
it at once. Connections that have shown it are counted separately. Each listener has its own gate,
so connections on TCP can't block the private socket.
"""

from __future__ import annotations

import asyncio
import logging
import os
import re
import socket
from collections import defaultdict
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from functools import partial
from ssl import SSLContext
from typing import Any, Protocol
from urllib.parse import unquote

import h11
from anyio.to_thread import current_default_thread_limiter, run_sync
from fastmcp import FastMCP
from fastmcp.exceptions import ToolError
from fastmcp.server.dependencies import get_http_headers, get_http_request
from fastmcp.server.http import StarletteWithLifespan
from fastmcp.tools import Tool, ToolResult
from pydantic import PrivateAttr
from uvicorn.protocols.http.h11_impl import H11Protocol

from engrain import __version__
from engrain.adapters.asgi import serve_app
from engrain.adapters.mcp import description, tools
from engrain.adapters.mcp.guard import CALLER, PATH, SESSION_HEADER, Gatekeeper
from engrain.api.memory import Memory
from engrain.model.errors import EngrainError
from engrain.resolution.endpoint import PROJECT_HEADER

_END_OF_HEAD = re.compile(rb"\n\r?\n")
_LENGTHS = {b"content-length", b"transfer-encoding"}


def is_ambiguous(raw: bytes) -> bool:
    """Whether proxies could read the head at the beginning of these bytes in another way than this
    server: a line that ends without CR or continues another one, or two ways to tell the length of
    the body (RFC 9112). So a request could be hidden in another one's body."""
    end = _END_OF_HEAD.search(raw)
    lines = (raw[: end.end()] if end else raw).split(b"\n")
    names = {line.partition(b":")[0].strip().lower() for line in lines[1:]}
    return (
        not all(line.endswith(b"\r") for line in lines[:-1])
        or any(line[:1] in (b" ", b"\t") for line in lines[1:])
        or names >= _LENGTHS
    )


class Caller(Protocol):
    """The sender of a request, with the trust of what the sender appends."""

    @property
    def trust(self) -> str: ...

    @property
    def name(self) -> str: ...

    def name_session(self, session: str) -> str:
        """Return a name of the sender's session that no other sender can use."""


class Droppable(Protocol):
    """A connection that `drop` ends at once."""

    def drop(self) -> None: ...


MOST_STRANGERS = 256
MOST_KNOWN = 256
HEAD_SECONDS = 5.0
"""Seconds in which a stranger must show the token, and every client must complete a head."""


class Gate:
    """The connections of one listener: strangers, and those that have shown the token."""

    def __init__(self) -> None:
        self._strangers: dict[Droppable, None] = {}
        self._known: set[Droppable] = set()

    def enter(self, connection: Droppable) -> None:
        """Add a connection, and drop the oldest stranger if there are too many."""
        self._strangers[connection] = None
        if len(self._strangers) > MOST_STRANGERS:
            oldest = next(iter(self._strangers))
            del self._strangers[oldest]
            oldest.drop()

    def has_room(self, connection: Droppable) -> bool:
        """Whether there is room for a connection to show the token, or it has shown it."""
        return connection in self._known or len(self._known) < MOST_KNOWN

    def admit(self, connection: Droppable) -> None:
        """Count a connection that has shown the token."""
        self._strangers.pop(connection, None)
        self._known.add(connection)

    def knows(self, connection: Droppable) -> bool:
        """Whether a connection has shown the token."""
        return connection in self._known

    def forget(self, connection: Droppable) -> None:
        """Forget a connection that has ended."""
        self._strangers.pop(connection, None)
        self._known.discard(connection)


# FastMCP reads these when it is imported; without them it obeys the `.env` of the current folder.
os.environ["FASTMCP_ENV_FILE"] = os.devnull
os.environ.setdefault("FASTMCP_LOG_LEVEL", "ERROR")

THREADS = 8
_TOOL_FIELDS = ("name", "title", "description", "parameters", "annotations")


class _Tool(Tool):
    """A tool of the description, whose arguments `tools.call` checks."""

    _memory: Memory = PrivateAttr()

    async def run(self, arguments: dict[str, Any]) -> ToolResult:
        memory, session = self._memory, get_http_headers().get(SESSION_HEADER, "")
        if caller := _current_caller():
            memory = memory.acting_as(caller.trust, caller.name)
            session = caller.name_session(session)
        project = _current_project()
        ask = partial(tools.call, memory, self.name, arguments, project=project, session=session)
        try:
            answer = await run_sync(ask)
        except EngrainError as error:
            raise ToolError(tools.describe_error(error), log_level=logging.DEBUG) from None
        return ToolResult(content=answer.text, structured_content=answer.data)


def make_server(memory: Memory) -> FastMCP:
    """Return an MCP server over `memory` with the tools of `description`. Blocking calls run in
    threads."""
    server: FastMCP = FastMCP(
        "engrain",
        instructions=description.INSTRUCTIONS,
        version=__version__,
        lifespan=_in_few_threads,
        mask_error_details=True,
    )
    for described in description.TOOLS:
        given = {**described, "parameters": described["inputSchema"]}
        tool = _Tool.model_validate({key: given[key] for key in _TOOL_FIELDS})
        tool._memory = memory
        server.add_tool(tool)
    return server


def make_app(server: FastMCP) -> StarletteWithLifespan:
    """Return the server as an ASGI application that keeps no state between requests."""
    return server.http_app(path=PATH, json_response=True, stateless_http=True)


def serve_http(
    guard: Gatekeeper,
    sockets: Sequence[socket.socket],
    tls: SSLContext | None,
    is_asked_to_end: Callable[[], bool],
) -> None:
    """Serve a guarded application on bound sockets until SIGINT or SIGTERM."""
    serve_app(
        guard,
        sockets,
        http=_make_connection(guard),
        lifespan="on",
        grace=2,
        tls=tls,
        loop=_Loop,
        is_asked_to_end=is_asked_to_end,
    )


class _Loop(asyncio.SelectorEventLoop):
    """A loop whose servers wait for a handshake as long as for a request's head, not a minute."""

    async def create_server(self, *args: Any, ssl: Any = None, **named: Any) -> asyncio.Server:
        if ssl:
            named["ssl_handshake_timeout"] = HEAD_SECONDS
        return await super().create_server(*args, ssl=ssl, **named)


def _make_connection(guard: Gatekeeper) -> type[H11Protocol]:
    """Return the class of a guarded server's connections, with a gate for each listener."""
    gates: defaultdict[int, Gate] = defaultdict(Gate)

    class Connection(H11Protocol):
        def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
            super().connection_made(transport)
            self._gate = gates[transport.get_extra_info("socket").family]
            self._timer = self.loop.call_later(HEAD_SECONDS, self._expire)
            self._gate.enter(self)

        def connection_lost(self, exc: Exception | None) -> None:
            self._timer.cancel()
            self._gate.forget(self)
            super().connection_lost(exc)

        def data_received(self, data: bytes) -> None:
            # A head comes next, or after the answer that is under way.
            expected = self.conn.their_state in (h11.IDLE, h11.DONE)
            if expected and is_ambiguous(self.conn.trailing_data[0] + data):
                self._refuse_head()
                return
            before = self.cycle
            # uvicorn's own limit counts the connections of all listeners, silent ones too.
            self.limit_concurrency = None if self._gate.has_room(self) else 0
            super().data_received(data)
            if self.cycle is not before:
                self._admit()
            elif self._timer.cancelled() and self.cycle.response_complete:
                self._timer = self.loop.call_later(HEAD_SECONDS, self._expire)
            if self.conn.their_state is h11.DONE and is_ambiguous(self.conn.trailing_data[0]):
                self._refuse_head()

        def _refuse_head(self) -> None:
            if self.conn.our_state is h11.IDLE:
                self.send_400_response("The head of the request can be read in two ways.")
            else:
                self.drop()

        def _admit(self) -> None:
            """Admit a connection whose request has the token; others keep their time limit."""
            if self.limit_concurrency is None and guard.admits(dict(self.headers)):
                self._gate.admit(self)
            if self._gate.knows(self):
                self._timer.cancel()

        def _expire(self) -> None:
            """Drop the connection, unless its token has been verified meanwhile."""
            late = self._gate.knows(self) or not self._gate.has_room(self)
            if late or not guard.admits(dict(self.headers or ())):
                self.drop()
            else:
                self._gate.admit(self)

        def drop(self) -> None:
            self.transport.abort()

    return Connection


def _current_project() -> str | None:
    """Return the client's project, if it names one; over stdio the process itself is in it."""
    return unquote(get_http_headers().get(PROJECT_HEADER, "")) or None


def _current_caller() -> Caller | None:
    """Return who asks a remote server, None on this machine."""
    try:
        found: Caller | None = get_http_request().scope.get(CALLER)
    except RuntimeError:
        return None  # a client in this process
    return found


@asynccontextmanager
async def _in_few_threads(_: object) -> AsyncIterator[None]:
    """Limit the threads: otherwise each call would open its own connection to the index."""
    current_default_thread_limiter().total_tokens = THREADS
    yield
