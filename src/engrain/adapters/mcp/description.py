"""The constant description of the MCP server. The bridge over stdio answers from it at once,
without FastMCP, and FastMCP's server is made from it too."""

from __future__ import annotations

import json
import os
from typing import Any, TypeAlias

from engrain import __version__

Json: TypeAlias = "dict[str, Any]"

HANDSHAKES = ("2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25")
"""The versions of the protocol that `initialize` can agree on, the newest last."""
MODERN = ("2026-07-28",)
"""The versions without a handshake: each request names its version."""
SERVER: Json = {"name": "engrain", "version": __version__}

with open(os.path.join(os.path.dirname(__file__), "description.json"), "rb") as _file:  # noqa: PTH123
    _DATA: Json = json.loads(_file.read())

INSTRUCTIONS: str = _DATA["instructions"]
TOOLS: list[Json] = _DATA["tools"]
READING = ("memory_search", "memory_recall")
"""The tools of a server that only reads."""
LISTS: dict[str, Json] = {
    "tools/list": {"tools": TOOLS},
    "resources/list": {"resources": []},
    "resources/templates/list": {"resourceTemplates": []},
    "prompts/list": {"prompts": []},
}
"""The complete answer of each listing method; there are no pages."""


def initialize(asked: object) -> Json:
    """Return the answer to a client that asks for a version: that version, or the newest one."""
    return {
        "protocolVersion": asked if asked in HANDSHAKES else HANDSHAKES[-1],
        "capabilities": _capabilities(lists_change=True),
        "serverInfo": SERVER,
        "instructions": INSTRUCTIONS,
    }


def discover() -> Json:
    """Return the answer to a client that uses no handshake."""
    return {
        "supportedVersions": list(MODERN),
        "capabilities": _capabilities(lists_change=False),
        "instructions": INSTRUCTIONS,
    }


def _capabilities(*, lists_change: bool) -> Json:
    # The lists never change, but FastMCP says in a handshake that they may.
    return {
        "logging": {},
        "prompts": {"listChanged": lists_change},
        "resources": {"subscribe": False, "listChanged": lists_change},
        "tools": {"listChanged": lists_change},
    }
