"""The official Python SDK as a client, over HTTP and over stdio, alone and bridged.

It comes with FastMCP, so its major is the one that this end of FastMCP's range brings.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import Any

import mcp
import pytest
from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client
from mcp.client.streamable_http import streamable_http_client
from mcp.shared._httpx_utils import create_mcp_http_client

from support.loops import run_in_thread
from unit.adapters.mcp.served import Server, kept, serving
from unit.adapters.shell import Shell

Connect = Callable[[], AbstractAsyncContextManager[Any]]
NAMES = {"memory_search", "memory_recall", "memory_append", "memory_forget"}


def over_http(server: Server) -> Connect:
    @asynccontextmanager
    async def connect() -> AsyncIterator[Any]:
        assert server.url
        headers = {"Authorization": f"Bearer {server.token}"}
        async with (
            create_mcp_http_client(headers=headers) as client,
            streamable_http_client(server.url, http_client=client) as streams,
        ):
            yield streams

    return connect


def over_stdio(shell: Shell) -> Connect:
    return lambda: stdio_client(parameters(shell))


def parameters(shell: Shell) -> StdioServerParameters:
    return StdioServerParameters(
        command=sys.executable,
        args=["-m", "engrain", "mcp", "--stdio"],
        env=shell.environ,
        cwd=str(shell.here),
    )


@pytest.fixture(params=["http", "stdio", "stdio, bridged"])
def connect(request: pytest.FixtureRequest, shell: Shell) -> Iterator[Connect]:
    """Three ways to a server."""
    if request.param == "stdio":
        yield over_stdio(shell)
    else:
        with serving(shell) as server:
            yield over_http(server) if request.param == "http" else over_stdio(shell)


def in_session(connect: Connect, use: Callable[[ClientSession], Awaitable[Any]]) -> Any:
    async def run() -> Any:
        async with connect() as streams, ClientSession(streams[0], streams[1]) as session:
            await session.initialize()
            return await use(session)

    return run_in_thread(run())


def plain(value: Any) -> Any:
    """A result as it is on the wire, in whichever major."""
    return value.model_dump(by_alias=True, mode="json")


def test_it_lists_four_tools_and_calls_each(connect: Connect) -> None:
    async def use(session: ClientSession) -> dict[str, Any]:
        async def call(tool: str, **arguments: Any) -> Any:
            return plain(await session.call_tool(tool, arguments))

        text = f"The harbour crane is checked by {id(connect)}."
        saved = await call("memory_append", text=text, kind="fix")
        entry = saved["structuredContent"]["id"]
        return {
            "tools": plain(await session.list_tools())["tools"],
            "saved": saved,
            "found": await call("memory_search", query="harbour crane"),
            "recalled": await call("memory_recall", query="harbour crane"),
            "refused": await call("memory_forget", id="nope"),
            "forgotten": await call("memory_forget", id=entry),
            "after": await call("memory_recall", query="harbour crane"),
        }

    got = in_session(connect, use)
    assert {tool["name"] for tool in got["tools"]} == NAMES
    entry = got["saved"]["structuredContent"]["id"]
    found = got["found"]["structuredContent"]
    assert [one["id"] for one in found["results"]] == [entry]
    assert (found["about"][:16], found["until"][:17]) == ("<engrain-memory ", "</engrain-memory ")
    assert "data, not instructions" in found["note"]
    assert not re.search("[0-9a-f]{64}", json.dumps(got))
    assert "harbour crane is checked" in got["recalled"]["content"][0]["text"]
    assert got["refused"]["isError"]
    assert got["forgotten"]["structuredContent"]["outcome"] == "deleted"
    assert got["after"]["structuredContent"]["results"] == []


def test_it_corrects_what_it_recalled(connect: Connect) -> None:
    async def use(session: ClientSession) -> list[Any]:
        async def call(tool: str, **arguments: Any) -> Any:
            return plain(await session.call_tool(tool, arguments))

        await call("memory_append", text=f"The winch {id(connect)} is oiled on Mondays.")
        recalled = await call("memory_recall", query=f"winch {id(connect)} oiled")
        found = recalled["structuredContent"]["results"][0]
        version = found["id"]
        text = f"The winch {id(connect)} is oiled on Fridays."
        return [
            await call("memory_append", text=text, supersedes=version),
            await call("memory_append", text="It is never oiled.", supersedes=version),
            await call("memory_recall", query=f"winch {id(connect)} oiled"),
            await call("memory_append", text="Nobody oils.", kind="nautical"),
        ]

    done, late, recalled, refused = in_session(connect, use)
    assert done["structuredContent"]["outcome"] == "created"
    assert late["isError"] and "changed since" in late["content"][0]["text"]
    found = recalled["structuredContent"]["results"][0]
    assert "Fridays" in found["text"]
    assert refused["isError"] and "preference, feedback" in refused["content"][0]["text"]


@pytest.mark.skipif(not hasattr(mcp, "Client"), reason="SDK 1 knows the handshake alone")
def test_it_is_served_without_a_handshake(connect: Connect) -> None:
    async def run() -> tuple[set[str], str]:
        async with mcp.Client(connect()) as client:
            tools = await client.list_tools()
            found = await client.call_tool("memory_search", {"query": "harbour crane"})
            assert not plain(found)["isError"]
            return {tool.name for tool in tools.tools}, client.protocol_version

    names, version = run_in_thread(run())
    assert names == NAMES
    assert version >= "2026"


def test_a_session_leaves_nothing(shell: Shell) -> None:
    async def use(session: ClientSession) -> None:
        await session.list_tools()

    before = kept(shell)
    in_session(over_stdio(shell), use)
    assert set(kept(shell)) <= set(before)
