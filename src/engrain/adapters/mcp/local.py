"""Answer requests of MCP from a memory in this process."""

from __future__ import annotations

from typing import TYPE_CHECKING

from engrain.adapters.mcp import tools
from engrain.adapters.mcp.description import ENTRY, INDEX, PROMPT
from engrain.model.errors import EngrainError, UsageError

if TYPE_CHECKING:
    from engrain.adapters.mcp.description import Json
    from engrain.api.memory import Memory


_INVALID = -32602
_FAILED = -32603
_ENTRIES = ENTRY["uriTemplate"].partition("{")[0]


class Local:
    """Answers a host in this session and in the memory's own project."""

    def __init__(self, memory: Memory, session: str) -> None:
        self._memory = memory
        self._session = session

    def ask(self, request: Json) -> Json:
        """Return the response to a request: a tool's failure is a result, any other an error."""
        params = request["params"]
        try:
            return {"result": _METHODS[request["method"]](self, params)}
        except UsageError as error:
            return {"error": {"code": _INVALID, "message": tools.tell_error(error)}}
        except EngrainError as error:
            return {"error": {"code": _FAILED, "message": tools.tell_error(error)}}

    def _call(self, params: Json) -> Json:
        name, arguments = _name(params), params.get("arguments") or {}
        try:
            if not isinstance(arguments, dict):
                raise UsageError(f"{name}: the arguments are no object")
            answer = tools.call(self._memory, name, arguments, session=self._session)
        except EngrainError as error:
            return {"content": _say(tools.tell_error(error)), "isError": True}
        return {"content": _say(answer.text), "structuredContent": answer.data, "isError": False}

    def _read(self, params: Json) -> Json:
        uri = str(params.get("uri"))
        if uri == INDEX["uri"]:
            text = tools.read_index(self._memory, project=None)
        elif uri.startswith(_ENTRIES):
            text = tools.read_entry(self._memory, uri.removeprefix(_ENTRIES))
        else:
            raise UsageError(f"no resource {uri[:80]!r}", remedy="see resources/list")
        return {"contents": [{"uri": uri, "mimeType": INDEX["mimeType"], "text": text}]}

    def _ask_prompt(self, params: Json) -> Json:
        arguments = params.get("arguments")
        topic = arguments.get("topic") if isinstance(arguments, dict) else None
        if _name(params) != PROMPT["name"] or not isinstance(topic, str):
            raise UsageError(f"there is one prompt, {PROMPT['name']}, which needs a topic")
        text = tools.ask_what_we_know(self._memory, topic, project=None)
        message = {"role": "user", "content": {"type": "text", "text": text}}
        return {"description": PROMPT["description"], "messages": [message]}


_METHODS = {
    "tools/call": Local._call,
    "resources/read": Local._read,
    "prompts/get": Local._ask_prompt,
}


def _name(params: Json) -> str:
    return str(params.get("name"))


def _say(text: str) -> list[Json]:
    return [{"type": "text", "text": text}]
