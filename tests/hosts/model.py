"""A model's server for the clients of agents' hosts: it says what a script tells it to, and keeps
every request. It speaks as four vendors' servers do, on loopback."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Lock, Thread
from typing import Any, TypeAlias

Json: TypeAlias = "dict[str, Any]"
Events: TypeAlias = "list[tuple[str, Json | str]]"
"""(the event's name, what is sent as its data)."""


@dataclass(frozen=True)
class Call:
    """A reply that calls a tool: the one whose name ends in `tool`."""

    tool: str
    arguments: Json


Reply: TypeAlias = "str | Call"

DONE = "Done."


@dataclass(frozen=True)
class Asked:
    """A request: seconds since the server was started or forgot, the path, the body, and whether
    it is a turn of the agent or something that the client does beside it, such as a title."""

    at: float
    path: str
    body: Json

    @property
    def tools(self) -> dict[str, Json]:
        """What is offered, by name (Codex: namespace and name)."""
        return dict(_list_tools(self.body))

    @property
    def is_turn(self) -> bool:
        return bool(self.tools)

    @property
    def text(self) -> str:
        """Every string of the instructions and messages, in their order."""
        parts = ("system", "systemInstruction", "instructions", "messages", "input", "contents")
        return "\n".join(_strings([self.body.get(part) for part in parts]))

    @property
    def own_tools(self) -> dict[str, Json]:
        """Ours among the tools."""
        return {name: tool for name, tool in self.tools.items() if "memory_" in name}


@dataclass
class Model:
    """The server: where it is, what it says next, what it was asked."""

    url: str = ""
    script: list[Reply] = field(default_factory=list)
    asked: list[Asked] = field(default_factory=list)
    otherwise: str = DONE
    """What is said when the script is over, and in answer to what is no turn of the agent."""
    missing: list[str] = field(default_factory=list)
    """Tools that the script wanted to call and were not offered."""
    _begun: float = 0.0
    _lock: Lock = field(default_factory=Lock)

    def begin(self, script: Sequence[Reply]) -> None:
        """Forget what was, and say this from now on."""
        with self._lock:
            self.script[:] = script
            self.asked.clear()
            self._begun = time.monotonic()

    @property
    def turns(self) -> list[Asked]:
        return [asked for asked in self.asked if asked.is_turn]

    @property
    def aside(self) -> list[Asked]:
        """What was asked beside the turns: titles, summaries."""
        return [asked for asked in self.asked if not asked.is_turn]

    def reply(self, path: str, body: Json) -> tuple[str, str, Json]:
        """(text, tool, arguments) in answer to a request; text or tool is empty."""
        with self._lock:
            asked = Asked(time.monotonic() - self._begun, path, body)
            self.asked.append(asked)
            wanted = self.script.pop(0) if asked.is_turn and self.script else self.otherwise
            if isinstance(wanted, str):
                return wanted, "", {}
            name = next((name for name in asked.tools if name.endswith(wanted.tool)), "")
            if not name:
                self.missing.append(wanted.tool)
                return f"There is no tool {wanted.tool}.", "", {}
            return "", name, wanted.arguments


@contextmanager
def serving() -> Iterator[Model]:
    """The server, while the block lasts."""
    model = Model()
    listening = ThreadingHTTPServer(("127.0.0.1", 0), _handler(model))
    listening.daemon_threads = True
    model.url = f"http://127.0.0.1:{listening.server_address[1]}"
    thread = Thread(target=listening.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    try:
        yield model
    finally:
        listening.shutdown()
        listening.server_close()


def _handler(model: Model) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def log_message(self, *_: object) -> None:
            return

        def do_HEAD(self) -> None:
            self._send(b"", "text/plain")

        def do_GET(self) -> None:
            known = {"id": "fake", "object": "model"}
            self._send_json({"object": "list", "data": [known], "models": []})

        def do_POST(self) -> None:
            raw = self.rfile.read(int(self.headers.get("Content-Length") or 0))
            path = self.path.partition("?")[0]
            dialect = next((make for end, make in _DIALECTS.items() if end in path), None)
            if path.endswith("/count_tokens"):
                self._send_json({"input_tokens": 100})
            elif dialect is None:
                self._send_json({})
            else:
                body = json.loads(raw)
                whole, events = dialect(body.get("model", "fake"), *model.reply(path, body))
                if body.get("stream") or "stream" in path:
                    lines = (_line(name, data) for name, data in events)
                    self._send("".join(lines).encode(), "text/event-stream")
                else:
                    self._send_json(whole)

        def _send_json(self, value: Json) -> None:
            self._send(json.dumps(value).encode(), "application/json")

        def _send(self, raw: bytes, kind: str) -> None:
            self.send_response(200)
            self.send_header("Content-Type", kind)
            self.send_header("Content-Length", str(len(raw)))
            self.end_headers()
            self.wfile.write(raw)

    return Handler


def _line(name: str, data: Json | str) -> str:
    text = data if isinstance(data, str) else json.dumps(data)
    return (f"event: {name}\n" if name else "") + f"data: {text}\n\n"


def _list_tools(body: Json) -> Iterator[tuple[str, Json]]:
    for tool in body.get("tools") or ():
        if tool.get("type") == "namespace":
            yield from ((f"{tool['name']}/{inner['name']}", inner) for inner in tool["tools"])
        elif "functionDeclarations" in tool:
            yield from ((inner["name"], inner) for inner in tool["functionDeclarations"])
        elif "function" in tool:
            yield tool["function"]["name"], tool
        elif "name" in tool:
            yield tool["name"], tool


def _strings(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, (list, dict)):
        for inner in value.values() if isinstance(value, dict) else value:
            yield from _strings(inner)


def _anthropic(model: str, text: str, tool: str, arguments: Json) -> tuple[Json, Events]:
    block: Json = {"type": "text", "text": text}
    empty: Json = {"type": "text", "text": ""}
    delta: Json = {"type": "text_delta", "text": text}
    if tool:
        empty = {"type": "tool_use", "id": _name("toolu"), "name": tool, "input": {}}
        block = {**empty, "input": arguments}
        delta = {"type": "input_json_delta", "partial_json": json.dumps(arguments)}
    end: Json = {"stop_reason": "tool_use" if tool else "end_turn", "stop_sequence": None}
    going: Json = {"stop_reason": None, "stop_sequence": None}
    usage = {"input_tokens": 10, "output_tokens": 5}
    message = {"id": _name("msg"), "type": "message", "role": "assistant", "model": model}
    begun = {**message, "content": [], **going, "usage": usage}
    events: list[Json] = [
        {"type": "message_start", "message": begun},
        {"type": "content_block_start", "index": 0, "content_block": empty},
        {"type": "content_block_delta", "index": 0, "delta": delta},
        {"type": "content_block_stop", "index": 0},
        {"type": "message_delta", "delta": end, "usage": usage},
        {"type": "message_stop"},
    ]
    whole = {**message, "content": [block], **end, "usage": usage}
    return whole, [(event["type"], event) for event in events]


def _responses(model: str, text: str, tool: str, arguments: Json) -> tuple[Json, Events]:
    item: Json = {"id": _name("item"), "status": "completed"}
    if tool:
        space, _, name = tool.rpartition("/")
        item |= {"type": "function_call", "call_id": _name("call"), "name": name}
        item |= {"arguments": json.dumps(arguments), **({"namespace": space} if space else {})}
    else:
        said = {"type": "output_text", "text": text, "annotations": []}
        item |= {"type": "message", "role": "assistant", "content": [said]}
    usage = {
        "input_tokens": 10,
        "output_tokens": 5,
        "total_tokens": 15,
        "input_tokens_details": {"cached_tokens": 0},
        "output_tokens_details": {"reasoning_tokens": 0},
    }
    whole = {"id": _name("resp"), "object": "response", "created_at": int(time.time())}
    whole |= {"status": "completed", "model": model, "output": [item], "usage": usage}
    begun: Json = {**whole, "status": "in_progress", "output": []}
    events: list[Json] = [
        {"type": "response.created", "response": begun},
        {"type": "response.output_item.added", "output_index": 0, "item": item},
        {"type": "response.output_item.done", "output_index": 0, "item": item},
        {"type": "response.completed", "response": whole},
    ]
    return whole, [(event["type"], event) for event in events]


def _chat(model: str, text: str, tool: str, arguments: Json) -> tuple[Json, Events]:
    message: Json = {"role": "assistant", "content": text or None}
    if tool:
        function = {"name": tool, "arguments": json.dumps(arguments)}
        call = {"index": 0, "id": _name("call"), "type": "function", "function": function}
        message["tool_calls"] = [call]
    end = "tool_calls" if tool else "stop"
    usage = {"prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 15}
    base = {"id": _name("chat"), "created": int(time.time()), "model": model}
    piece = {**base, "object": "chat.completion.chunk"}
    events: Events = [
        ("", {**piece, "choices": [{"index": 0, "delta": message, "finish_reason": None}]}),
        (
            "",
            {**piece, "choices": [{"index": 0, "delta": {}, "finish_reason": end}], "usage": usage},
        ),
        ("", "[DONE]"),
    ]
    choice = {"index": 0, "message": message, "finish_reason": end}
    return {**base, "object": "chat.completion", "choices": [choice], "usage": usage}, events


def _gemini(model: str, text: str, tool: str, arguments: Json) -> tuple[Json, Events]:
    part = {"functionCall": {"name": tool, "args": arguments}} if tool else {"text": text}
    content = {"role": "model", "parts": [part]}
    usage = {"promptTokenCount": 10, "candidatesTokenCount": 5, "totalTokenCount": 15}
    whole = {
        "candidates": [{"content": content, "finishReason": "STOP", "index": 0}],
        "usageMetadata": usage,
        "modelVersion": model,
    }
    return whole, [("", whole)]


def _name(kind: str) -> str:
    return f"{kind}_{time.monotonic_ns():x}"


_DIALECTS: dict[str, Callable[[str, str, str, Json], tuple[Json, Events]]] = {
    "/chat/completions": _chat,
    "/messages": _anthropic,
    "/responses": _responses,
    "enerateContent": _gemini,
}
