"""Who asks a remote server, and what their scopes let them do."""

from __future__ import annotations

from collections.abc import Mapping, Set
from typing import Any

from engrain.model.struct import Struct

READ, WRITE, WRITE_EXTERNAL = "memory:read", "memory:write", "memory:write-external"
SCOPES = {
    READ: "search and recall",
    WRITE: "append and forget; what is appended counts as an agent's",
    WRITE_EXTERNAL: "append; what is appended counts as external",
}
"""What each scope of a token permits."""
_TOOLS = {
    "memory_search": (READ,),
    "memory_recall": (READ,),
    "memory_append": (WRITE, WRITE_EXTERNAL),
    "memory_forget": (WRITE,),
}
CALLER = "engrain-caller"
"""Where a request's ASGI scope has its `Caller`."""


class Caller(Struct):
    """Whose token it is: `client` stands for the token's subject and client together, in hex;
    `name` is how the history calls them; and the token's scopes."""

    client: str
    name: str
    scopes: Set[str]

    @property
    def trust(self) -> str:
        """The origin of what they append. It is never better than an agent's."""
        return "agent" if WRITE in self.scopes else "external"

    def name_session(self, session: str) -> str:
        """A session of theirs, "" for one that they don't name, as no other client can name it."""
        return f"{self.client}-{session[:100]}" if session else self.client


def needed_scopes(message: Mapping[str, Any]) -> tuple[str, ...]:
    """The scopes that let a message through: a token must have one of them."""
    params = message.get("params")
    if message.get("method") == "tools/call" and isinstance(params, dict):
        return _TOOLS.get(str(params.get("name")), tuple(SCOPES))
    return tuple(SCOPES)
