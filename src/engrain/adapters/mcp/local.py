"""Answer requests of MCP from a memory in this process."""

from __future__ import annotations

from typing import TYPE_CHECKING

from engrain.adapters.mcp import tools
from engrain.model.errors import EngrainError, UsageError

if TYPE_CHECKING:
    from engrain.adapters.mcp.description import Json
    from engrain.api.memory import Memory


class Local:
    """Answers a host in this session and in the memory's own project."""

    def __init__(self, memory: Memory, session: str) -> None:
        self._memory = memory
        self._session = session

    def ask(self, request: Json) -> Json:
        """Return the response to a call of a tool, whose failure is a result."""
        params = request["params"]
        name, arguments = str(params.get("name")), params.get("arguments") or {}
        try:
            if not isinstance(arguments, dict):
                raise UsageError(f"{name}: the arguments are no object")
            answer = tools.call(self._memory, name, arguments, session=self._session)
        except EngrainError as error:
            return {
                "result": {"content": _make_content(tools.describe_error(error)), "isError": True}
            }
        content = _make_content(answer.text)
        return {"result": {"content": content, "structuredContent": answer.data, "isError": False}}


def _make_content(text: str) -> list[Json]:
    return [{"type": "text", "text": text}]
