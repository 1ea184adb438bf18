"""What the MCP server says of itself: data that never changes, so that the bridge over stdio
answers at once and without FastMCP, which gets the same from here."""

from __future__ import annotations

import json
import os

from engrain import __version__

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, TypeAlias

Json: TypeAlias = "dict[str, Any]"

HANDSHAKES = ("2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25")
"""The versions of the protocol that a client may agree on by `initialize`, the newest last."""
MODERN = ("2026-07-28",)
"""The versions without a handshake: each request names its own."""
SERVER: Json = {"name": "engrain", "version": __version__}

with open(os.path.join(os.path.dirname(__file__), "description.json"), "rb") as _file:  # noqa: PTH123
    _DATA: Json = json.loads(_file.read())

INSTRUCTIONS: str = _DATA["instructions"]
TOOLS: list[Json] = _DATA["tools"]
INDEX: Json = _DATA["resources"][0]
ENTRY: Json = _DATA["resourceTemplates"][0]
PROMPT: Json = _DATA["prompts"][0]
LISTS: dict[str, Json] = {
    "tools/list": {"tools": TOOLS},
    "resources/list": {"resources": [INDEX]},
    "resources/templates/list": {"resourceTemplates": [ENTRY]},
    "prompts/list": {"prompts": [PROMPT]},
}
"""What each listing method answers, whole: nothing is given in pages."""


def initialize(asked: object) -> Json:
    """The answer to a client that would speak the version `asked`: that, or the newest there is."""
    return {
        "protocolVersion": asked if asked in HANDSHAKES else HANDSHAKES[-1],
        "capabilities": _capabilities(lists_change=True),
        "serverInfo": SERVER,
        "instructions": INSTRUCTIONS,
    }


def discover() -> Json:
    """The answer to a client that knows no handshake."""
    return {
        "supportedVersions": list(MODERN),
        "capabilities": _capabilities(lists_change=False),
        "instructions": INSTRUCTIONS,
    }


def _capabilities(*, lists_change: bool) -> Json:
    """They never change; over a handshake FastMCP says that they may."""
    return {
        "logging": {},
        "prompts": {"listChanged": lists_change},
        "resources": {"subscribe": False, "listChanged": lists_change},
        "tools": {"listChanged": lists_change},
    }
