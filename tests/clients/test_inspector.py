"""The official MCP Inspector as a client: it lists four tools and calls each."""

from __future__ import annotations

import sys
from typing import Any

import pytest

from clients.inspector import Inspector
from unit.adapters.mcp.served import Server
from unit.adapters.shell import Shell

NAMES = ["memory_search", "memory_recall", "memory_append", "memory_forget"]


class Over:
    """The Inspector over HTTP with the token, or over stdio."""

    def __init__(self, inspector: Inspector, *where: str) -> None:
        self._inspector = inspector
        self._where = where

    def ask(self, method: str, *more: str) -> Any:
        return self._inspector.ask(*self._where, "--method", method, *more)

    def call(self, tool: str, **arguments: object) -> Any:
        pairs = [f"{name}={value}" for name, value in arguments.items()]
        return self.ask("tools/call", "--tool-name", tool, "--tool-arg", *pairs)


@pytest.fixture
def http(inspector: Inspector, server: Server) -> Over:
    assert server.url
    token = f"Authorization: Bearer {server.token}"
    return Over(inspector, server.url, "--transport", "http", "--header", token)


def test_it_lists_four_tools_and_finds_no_fault_with_them(http: Over) -> None:
    tools = http.ask("tools/list", "--strict")["tools"]
    assert [tool["name"] for tool in tools] == NAMES


def test_it_calls_each(http: Over) -> None:
    text = "Sign the ledger export before it is shipped."
    saved = http.call("memory_append", text=text, kind="workflow")["structuredContent"]
    assert saved["outcome"] == "created"
    (found,) = http.call("memory_search", query="ledger export")["structuredContent"]["results"]
    assert found["id"] == saved["id"]
    recalled = http.call("memory_recall", query="ledger export", budget=500)
    assert text in recalled["content"][0]["text"]
    forgotten = http.call("memory_forget", id=saved["id"], reason="tried")["structuredContent"]
    assert forgotten["outcome"] == "deleted"


def test_it_is_refused_without_the_token(inspector: Inspector, server: Server) -> None:
    assert server.url
    done = inspector.run(server.url, "--transport", "http", "--method", "tools/list")
    assert done.returncode != 0
    assert "memory_search" not in done.stdout


def test_it_is_served_over_stdio(inspector: Inspector, shell: Shell) -> None:
    environ = [part for name, value in shell.environ.items() for part in ("-e", f"{name}={value}")]
    stdio = Over(inspector, *environ, sys.executable, "-m", "engrain", "mcp", "--stdio")
    assert [tool["name"] for tool in stdio.ask("tools/list")["tools"]] == NAMES
