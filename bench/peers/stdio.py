"""Speak to an MCP server over its standard input and output, as an agent's host does.

It uses the standard library alone, since it runs in the environment of each peer.
"""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

PROTOCOL = "2025-06-18"


class Server:
    """A running MCP server."""

    def __init__(self, command: list[str], environment: dict[str, str], errors: Path) -> None:
        with errors.open("ab") as log:
            self._process = subprocess.Popen(
                command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=log, env=environment
            )
        self._number = 0
        about = {
            "protocolVersion": PROTOCOL,
            "capabilities": {},
            "clientInfo": {"name": "bench", "version": "1"},
        }
        self.instructions = str(self.request("initialize", about).get("instructions", ""))
        self._send({"jsonrpc": "2.0", "method": "notifications/initialized"})

    def request(self, method: str, parameters: dict[str, Any]) -> dict[str, Any]:
        """Ask the server and return the result of its answer; an error raises ValueError."""
        self._number += 1
        self._send({"jsonrpc": "2.0", "id": self._number, "method": method, "params": parameters})
        assert self._process.stdout
        for line in self._process.stdout:
            if not line.lstrip().startswith(b"{"):
                continue  # some servers also print a greeting
            answer = json.loads(line)
            if answer.get("id") != self._number or "method" in answer:
                continue
            if "error" in answer:
                raise ValueError(str(answer["error"])[:300])
            result: dict[str, Any] = answer["result"]
            return result
        raise ValueError(f"the server ended before it answered {method}")

    def call(self, tool: str, arguments: dict[str, Any]) -> str:
        """Call a tool and return its text; a result that is marked as an error raises."""
        result = self.request("tools/call", {"name": tool, "arguments": arguments})
        text = "\n".join(one.get("text", "") for one in result.get("content", []))
        if result.get("isError"):
            raise ValueError(text[:300])
        return text

    def list_tools(self) -> list[dict[str, Any]]:
        """Return the descriptions of all tools."""
        tools: list[dict[str, Any]] = self.request("tools/list", {})["tools"]
        return tools

    def close(self) -> None:
        """Close the standard input, and end a server that does not end by that."""
        assert self._process.stdin
        self._process.stdin.close()
        try:
            self._process.wait(10)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()

    def _send(self, message: dict[str, Any]) -> None:
        assert self._process.stdin
        self._process.stdin.write(json.dumps(message).encode() + b"\n")
        self._process.stdin.flush()
