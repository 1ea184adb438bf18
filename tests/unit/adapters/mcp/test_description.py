"""What a client is told before it asks for anything: the bridge says what FastMCP says."""

from __future__ import annotations

import io
import json
import re
from typing import Any

import mcp
import pytest

from engrain.adapters.mcp import description
from engrain.adapters.mcp.bridge import Bridge
from engrain.engine.recall.profiles import DEFAULT_PROFILE, PHASES, PROFILES
from engrain.language.text.tokens import estimate_tokens
from engrain.model.note.tiers import KINDS
from unit.adapters.mcp.served import Server

OLD = not hasattr(mcp, "Client")
"""Whether the SDK is of major 1, which knows no protocol without a handshake."""
ITS_OWN = ("experimental", "extensions")
"""Capabilities of FastMCP that no tool of ours uses: the older major names one, the newer the
other."""


def ask_bridge(*messages: object) -> list[dict[str, Any]]:
    """What a bridge answers that has no memory to ask."""

    def choose(failures: int) -> Any:
        raise AssertionError("these need no memory")

    lines = b"".join(json.dumps(message).encode() + b"\n" for message in messages)
    output = io.BytesIO()
    Bridge(choose, output, lambda: None).run(io.BytesIO(lines))
    return [json.loads(line) for line in output.getvalue().splitlines()]


def plain(value: Any) -> Any:
    """A result without what only FastMCP or only a version of the protocol adds to it."""
    if isinstance(value, dict):
        return {key: plain(part) for key, part in value.items() if key != "_meta"}
    return [plain(part) for part in value] if isinstance(value, list) else value


def request(method: str, version: str, **params: Any) -> tuple[dict[str, Any], dict[str, str]]:
    """A message and the headers in which HTTP repeats what it says."""
    message = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}
    headers = {"MCP-Protocol-Version": version}
    if version in description.MODERN:
        params["_meta"] = {
            "io.modelcontextprotocol/protocolVersion": version,
            "io.modelcontextprotocol/clientCapabilities": {},
        }
        headers["Mcp-Method"] = method
    return message, headers


def compare(server: Server, method: str, version: str, **params: Any) -> None:
    message, headers = request(method, version, **params)
    (ours,) = ask_bridge(message)
    theirs = server.post(message, headers).message
    result = plain(theirs["result"])
    for name in ITS_OWN:
        result.get("capabilities", {}).pop(name, None)
    assert plain(ours) == {"jsonrpc": "2.0", "id": 1, "result": result}


@pytest.mark.parametrize("method", description.LISTS)
@pytest.mark.parametrize("version", description.HANDSHAKES)
def test_each_list_is_that_of_fastmcp(server: Server, method: str, version: str) -> None:
    compare(server, method, version)


@pytest.mark.parametrize("version", [*description.HANDSHAKES, *description.MODERN, "1999-01-01"])
def test_the_handshake_is_that_of_fastmcp(server: Server, version: str) -> None:
    params = {"capabilities": {}, "clientInfo": {"name": "test", "version": "1"}}
    message, _ = request("initialize", "", protocolVersion=version, **params)
    (ours,) = ask_bridge(message)
    theirs = server.post(message).message
    for name in ITS_OWN:
        theirs["result"]["capabilities"].pop(name, None)
    assert ours == theirs


@pytest.mark.skipif(OLD, reason="SDK 1 knows the handshake alone")
@pytest.mark.parametrize("method", [*description.LISTS, "server/discover"])
@pytest.mark.parametrize("version", description.MODERN)
def test_without_a_handshake_it_is_that_of_fastmcp_too(
    server: Server, method: str, version: str
) -> None:
    compare(server, method, version)


@pytest.mark.skipif(OLD, reason="SDK 1 knows the handshake alone")
def test_the_versions_are_those_of_the_newest_sdk() -> None:
    from mcp_types import version

    assert version.HANDSHAKE_PROTOCOL_VERSIONS == description.HANDSHAKES
    assert version.MODERN_PROTOCOL_VERSIONS == description.MODERN


@pytest.mark.parametrize("version", [description.HANDSHAKES[-1], *description.MODERN])
def test_the_tools_cost_a_request_four_kilobytes_at_most(server: Server, version: str) -> None:
    message, headers = request("tools/list", version)
    output = io.BytesIO()
    Bridge(lambda _: pytest.fail(), output, lambda: None).run(
        io.BytesIO(json.dumps(message).encode() + b"\n")
    )
    assert len(output.getvalue()) <= 4096
    if version in description.HANDSHAKES or not OLD:
        assert len(server.post(message, headers).body) <= 4096


def test_it_names_what_the_engine_has() -> None:
    tools = {tool["name"]: tool["inputSchema"]["properties"] for tool in description.TOOLS}
    profile, phase = (tools["memory_recall"][name] for name in ("profile", "phase"))
    assert (profile["enum"], profile["default"]) == (list(PROFILES), DEFAULT_PROFILE)
    assert phase["description"].endswith(", ".join(PHASES))
    described = tools["memory_append"]["kind"]["description"]
    named = re.findall(r"[a-z]+(?:-[a-z]+)*(?=[,;]|$)", described)
    assert [kind for kind in named if kind in KINDS] == list(KINDS)[:6]


def test_all_tools_together_cost_a_request_a_thousand_estimated_tokens_at_most() -> None:
    """The estimate leans upwards: tokenizers count about 770."""
    sent = [
        {"name": one["name"], "description": one["description"], "input_schema": one["inputSchema"]}
        for one in description.TOOLS
    ]
    assert estimate_tokens(json.dumps(sent, separators=(",", ":"))) <= 1000
