"""The protocols of three kinds of servers of language models: how each is asked, and its answer
read.

- OpenAI's chat completions (`POST /v1/chat/completions`), which most servers speak: llama.cpp,
  vLLM, LM Studio, and other vendors'.
- Anthropic's messages (`POST /v1/messages`, version 2023-06-01). An answer of a schema is asked for
  as the input of a tool that the model must call.
- Ollama's own chat (`POST /api/chat`).
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass
from typing import Any, TypeAlias

from engrain.inference.posting import bearer
from engrain.language.text.tokens import estimate_tokens

Body: TypeAlias = "dict[str, Any]"
Structure: TypeAlias = "Callable[[Mapping[str, Any]], Body]"

TEMPERATURE = "temperature"
MAX_TOKENS = "max_tokens"

STOPPED = "stopped"
CUT = "cut off"
WITHHELD = "withheld"


@dataclass(slots=True, eq=False)
class ModelRequest:
    """A question to a model: its name, the instructions, the text, the JSON schema of the answer
    (None for plain text), and the most tokens of the answer."""

    model: str
    system: str
    text: str
    schema: Mapping[str, Any] | None
    most_tokens: int

    @property
    def messages(self) -> list[dict[str, str]]:
        """The instructions and the text as OpenAI and Ollama take them."""
        return [{"role": "system", "content": self.system}, {"role": "user", "content": self.text}]


@dataclass(slots=True, eq=False)
class Wording:
    """What a server accepts, learned from its refusals: the position in the dialect's `structures`,
    and the parameters that it does not know."""

    structure: int = 0
    refused: frozenset[str] = frozenset()


@dataclass(slots=True, eq=False)
class ModelReply:
    """An answer: its text, how it ended, and its tokens, None where the server does not say."""

    text: str
    end: str
    taken: int | None
    given: int | None


@dataclass(slots=True, eq=False)
class Dialect:
    """One kind of server.

    An address that does not end in `ending` gets `path` in place of `root`. `structures` are the
    ways to ask for an answer of a schema, the strictest first and words alone last; a refusal moves
    on to the next. `optional` are parameters that some models refuse.
    """

    name: str
    _: KW_ONLY
    path: str
    ending: str
    root: str
    headers: Callable[[str | None], Mapping[str, str]]
    body: Callable[[ModelRequest, Wording], Body]
    structures: Sequence[Structure]
    optional: Sequence[str]
    read: Callable[[object], ModelReply]

    def endpoint(self, url: str) -> str:
        """Return the whole address, where only a server or its root is named."""
        bare = url.rstrip("/")
        return bare if bare.endswith(self.ending) else bare.removesuffix(self.root) + self.path

    def compose(self, request: ModelRequest, wording: Wording) -> Body:
        """Return the request's body."""
        body = self.body(request, wording)
        if request.schema is not None:
            body |= self.structures[wording.structure](request.schema)
        if TEMPERATURE in self.optional and TEMPERATURE not in wording.refused:
            body[TEMPERATURE] = 0
        return body

    def concede(self, request: ModelRequest, wording: Wording, refusal: str) -> Wording | None:
        """Return how to ask after a refusal with this text, None if nothing is left to try."""
        lowered = refusal.lower()
        for name in self.optional:
            if name in lowered and name not in wording.refused:
                return Wording(wording.structure, wording.refused | {name})
        if request.schema is not None and wording.structure + 1 < len(self.structures):
            return Wording(wording.structure + 1, wording.refused)
        return None


def _value_at(reply: object, *path: str | int) -> object:
    """Return what stands in a reply under keys and places, None where there is nothing."""
    for step in path:
        if isinstance(reply, dict) and isinstance(step, str):
            reply = reply.get(step)
        elif isinstance(reply, list) and isinstance(step, int) and step < len(reply):
            reply = reply[step]
        else:
            return None
    return reply


def _count_at(reply: object, *path: str | int) -> int | None:
    """Return a number of tokens in a reply, None if it is no such number."""
    found = _value_at(reply, *path)
    return found if type(found) is int and found >= 0 else None


def _text_at(reply: object, *path: str | int) -> str:
    """Return the text under keys and places: as it stands, or in parts of type `text`."""
    found = _value_at(reply, *path)
    if isinstance(found, str):
        return found
    parts = found if isinstance(found, list) else []
    said = (part.get("text") for part in parts if isinstance(part, dict))
    return "".join(text for text in said if isinstance(text, str))


def _openai_body(request: ModelRequest, wording: Wording) -> Body:
    # Models that reason take the new name only, other servers often know the old one only.
    most = "max_completion_tokens" if MAX_TOKENS in wording.refused else MAX_TOKENS
    return {"model": request.model, most: request.most_tokens, "messages": request.messages}


def _read_openai(reply: object) -> ModelReply:
    end = str(_value_at(reply, "choices", 0, "finish_reason"))
    refused = _value_at(reply, "choices", 0, "message", "refusal")
    return ModelReply(
        _text_at(reply, "choices", 0, "message", "content"),
        WITHHELD if refused else {"length": CUT, "content_filter": WITHHELD}.get(end, STOPPED),
        _count_at(reply, "usage", "prompt_tokens"),
        _count_at(reply, "usage", "completion_tokens"),
    )


OPENAI = Dialect(
    "openai",
    path="/v1/chat/completions",
    ending="/chat/completions",
    root="/v1",
    headers=bearer,
    body=_openai_body,
    structures=(
        lambda schema: {
            "response_format": {
                "type": "json_schema",
                "json_schema": {"name": "answer", "strict": True, "schema": schema},
            }
        },
        lambda _: {"response_format": {"type": "json_object"}},
        lambda _: {},
    ),
    optional=(MAX_TOKENS, TEMPERATURE),
    read=_read_openai,
)

_TOOL = "answer"
_ANTHROPIC_ENDS = {
    "max_tokens": CUT, "model_context_window_exceeded": CUT, "refusal": WITHHELD,
}  # fmt: skip
_TAKEN = ("input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens")


def _anthropic_headers(key: str | None) -> dict[str, str]:
    return {"anthropic-version": "2023-06-01", **({"x-api-key": key} if key else {})}


def _anthropic_body(request: ModelRequest, _: Wording) -> Body:
    return {
        "model": request.model,
        "max_tokens": request.most_tokens,
        "system": request.system,
        "messages": request.messages[1:],
    }


def _call_tool(schema: Mapping[str, Any], choice: Mapping[str, str]) -> Body:
    tool = {"name": _TOOL, "description": "Gives the answer.", "input_schema": schema}
    return {"tools": [tool], "tool_choice": choice}


def _read_anthropic(reply: object) -> ModelReply:
    blocks = _value_at(reply, "content")
    inputs = (
        json.dumps(_value_at(block, "input"))
        for block in (blocks if isinstance(blocks, list) else [])
        if _value_at(block, "type") == "tool_use" and _value_at(block, "name") == _TOOL
    )
    taken = [_count_at(reply, "usage", name) for name in _TAKEN]
    return ModelReply(
        next(inputs, "") or _text_at(reply, "content"),
        _ANTHROPIC_ENDS.get(str(_value_at(reply, "stop_reason")), STOPPED),
        None if taken[0] is None else sum(count or 0 for count in taken),
        _count_at(reply, "usage", "output_tokens"),
    )


ANTHROPIC = Dialect(
    "anthropic",
    path="/v1/messages",
    ending="/messages",
    root="/v1",
    headers=_anthropic_headers,
    body=_anthropic_body,
    structures=(
        lambda schema: _call_tool(schema, {"type": "tool", "name": _TOOL}),
        # A model that thinks may not be forced to a tool.
        lambda schema: _call_tool(schema, {"type": "auto"}),
        lambda _: {},
    ),
    optional=(TEMPERATURE,),
    read=_read_anthropic,
)

_LEAST_CONTEXT = 4096


def _ollama_body(request: ModelRequest, _: Wording) -> Body:
    # Ollama silently drops the beginning of a text that does not fit. The size is a power of two,
    # since the model is loaded anew for each other size.
    needed = estimate_tokens(request.system) + estimate_tokens(request.text) + request.most_tokens
    context = max(_LEAST_CONTEXT, 1 << (needed - 1).bit_length())
    options = {"temperature": 0, "num_predict": request.most_tokens, "num_ctx": context}
    return {
        "model": request.model, "stream": False, "messages": request.messages, "options": options,
    }  # fmt: skip


def _read_ollama(reply: object) -> ModelReply:
    ended = _value_at(reply, "done") is not False and _value_at(reply, "done_reason") != "length"
    return ModelReply(
        _text_at(reply, "message", "content"),
        STOPPED if ended else CUT,
        _count_at(reply, "prompt_eval_count"),
        _count_at(reply, "eval_count"),
    )


OLLAMA = Dialect(
    "ollama",
    path="/api/chat",
    ending="/api/chat",
    root="/api",
    headers=bearer,
    body=_ollama_body,
    structures=(lambda schema: {"format": schema}, lambda _: {"format": "json"}, lambda _: {}),
    optional=(),
    read=_read_ollama,
)

DIALECTS = {dialect.name: dialect for dialect in (OPENAI, ANTHROPIC, OLLAMA)}
