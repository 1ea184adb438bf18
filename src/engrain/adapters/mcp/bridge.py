"""Answer one host over standard streams, whose messages are lines.

Constant answers come at once from a description; requests that need a memory go to a target, in a
thread. This module imports nothing that would delay a cold process.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from queue import SimpleQueue
from threading import Lock, Thread
from typing import BinaryIO, Protocol

from engrain.adapters.mcp import description
from engrain.adapters.mcp.description import Json
from engrain.adapters.mcp.guard import MAX_BODY
from engrain.adapters.present.failures import error_line
from engrain.model.errors import EngrainError, UsageError


class Target(Protocol):
    """A server or a memory of this process, which answers requests that need a memory."""

    def ask(self, request: Json, /) -> Json:
        """Return the response to a request. Raises OSError if there is none."""


_MOST_READ = 16 * MAX_BODY
"""The bytes of a line that are read, to find the id of its request."""
_WORKERS = 8
_PARSE_ERROR = -32700
_INVALID_REQUEST = -32600
_NO_METHOD = -32601
_INTERNAL_ERROR = -32603
_TOO_LARGE = -32001
_NO_VERSION = -32022
_VERSION_KEY = "io.modelcontextprotocol/protocolVersion"
_ASKED = "tools/call"
"""The method that needs a memory."""
_CACHED = (*description.LISTS, "server/discover")
"""The methods whose results say for how long they are valid (MCP 2026-07-28)."""


class Refusal(Exception):
    """A request that can't be answered, with its error of JSON-RPC."""

    def __init__(self, code: int, message: str, data: object = None) -> None:
        super().__init__(message)
        self.error: Json = {"code": code, "message": message}
        if data is not None:
            self.error["data"] = data


class Bridge:
    """Answers one host on `output` by asking the targets that `choose` returns.

    `choose` gets the number of failures of the present request: after the first it may return a
    server that has proved to run, after the second none. So a request may be made twice, which all
    tools allow. It is first called at the first request that needs a memory, and its exception is
    the answer to that request. `served` is called once, after the host has listed the tools. With
    `read_only` the host is offered the tools that read, and no other one is called.
    """

    def __init__(
        self,
        choose: Callable[[int], Target],
        output: BinaryIO,
        served: Callable[[], None],
        *,
        read_only: bool = False,
    ) -> None:
        self._choose = choose
        self._output = output
        self._served: Callable[[], None] | None = served
        self._read_only = read_only
        self._target: Target | None = None
        self._writing = Lock()
        self._choosing = Lock()
        self._queue: SimpleQueue[Json | None] | None = None
        self._workers: list[Thread] = []
        self._waiting: set[object] = set()
        self._is_unread = False

    def run(self, lines: BinaryIO) -> None:
        """Answer until the input ends and every answer is written. Raises BrokenPipeError if the
        host no longer reads."""
        while line := lines.readline(_MOST_READ):
            if not line.endswith(b"\n") and len(line) == _MOST_READ:
                while (rest := lines.readline(_MOST_READ)) and not rest.endswith(b"\n"):
                    pass
            if line.strip():
                self._answer_line(line)
        for _ in self._workers:
            assert self._queue is not None
            self._queue.put(None)
        for worker in self._workers:
            worker.join()
        if self._is_unread:
            raise BrokenPipeError

    def _answer_line(self, line: bytes) -> None:
        """Answer a line, or give it to the workers."""
        try:
            message = json.loads(line)
        except (ValueError, RecursionError):
            self._refuse(None, Refusal(_PARSE_ERROR, "not JSON"))
            return
        if not isinstance(message, dict):
            self._refuse(None, Refusal(_INVALID_REQUEST, "not one message"))
            return
        identity, method = message.get("id"), message.get("method")
        if identity is None or "result" in message or "error" in message:
            self._handle_notice(message)
            return
        try:
            if not isinstance(method, str) or isinstance(identity, dict | list):
                raise Refusal(_INVALID_REQUEST, "not a request")
            if len(line) > MAX_BODY:
                reason = f"a request may have {MAX_BODY} bytes: send less text at a time"
                raise Refusal(_TOO_LARGE, reason)
            modern = _is_modern(message)
            if method == _ASKED:
                self._pass_to_workers(message)
                return
            self._write(_respond(message, self._describe(method, message), modern))
        except Refusal as refusal:
            self._refuse(identity, refusal)
        if self._served and method == "tools/list":
            self._served()
            self._served = None

    def _describe(self, method: str, message: Json) -> Json:
        """Return the result of a method that needs no memory. Raises Refusal."""
        if method == "tools/list" and self._read_only:
            reading = [one for one in description.TOOLS if one["name"] in description.READING]
            return {"tools": reading}
        if method == "initialize":
            return description.initialize(_params(message).get("protocolVersion"))
        if method == "server/discover" and _version_of(message):
            return description.discover()
        if method in ("ping", "logging/setLevel"):
            return {}
        if method in description.LISTS:
            return description.LISTS[method]
        raise Refusal(_NO_METHOD, "Method not found", method[:200])

    def _handle_notice(self, message: Json) -> None:
        """Take a message that gets no answer: a notification or a response."""
        if message.get("method") == "notifications/cancelled":
            identity = _params(message).get("requestId")
            if isinstance(identity, str | int):
                self._waiting.discard(identity)

    def _pass_to_workers(self, message: Json) -> None:
        if self._queue is None:
            self._queue = SimpleQueue()
            self._workers = [Thread(target=self._work, daemon=True) for _ in range(_WORKERS)]
            for worker in self._workers:
                worker.start()
        self._waiting.add(message["id"])
        self._queue.put(message)

    def _work(self) -> None:
        assert self._queue is not None
        while (message := self._queue.get()) is not None:
            identity = message["id"]
            # A cancelled request gets no answer; a tool that runs already runs to its end.
            answer = self._answer(message) if identity in self._waiting else {}
            if identity in self._waiting:
                self._waiting.discard(identity)
                try:
                    self._write(answer)
                except OSError:
                    self._is_unread = True  # its input ends next
                    return

    def _answer(self, message: Json) -> Json:
        sent = {key: value for key, value in _params(message).items() if key != "_meta"}
        request = {"jsonrpc": "2.0", "id": 1, "method": _ASKED, "params": sent}
        try:
            self._check_call(sent)
            answer = self._ask(request)
        except EngrainError as error:
            content = [{"type": "text", "text": error_line(error)}]
            answer = {"result": {"content": content, "isError": True}}
        except Exception as error:
            answer = {"error": Refusal(_INTERNAL_ERROR, f"the memory failed: {error!r}").error}
        if "result" in answer:
            return _respond(message, answer["result"], _is_modern(message))
        return {"jsonrpc": "2.0", "id": message["id"], "error": answer.get("error")}

    def _check_call(self, params: Json) -> None:
        """Raise UsageError for a call of a tool that writes, where only reading is allowed."""
        named = str(params.get("name"))
        if self._read_only and named not in description.READING:
            remedy = f"use {', '.join(description.READING)}"
            raise UsageError(f"{named[:80]}: this memory is read only here", remedy=remedy)

    def _ask(self, request: Json) -> Json:
        target = self._choose_after(0, None)
        for failures in (1, 2):
            try:
                return target.ask(request)
            except OSError:
                target = self._choose_after(failures, target)
        return target.ask(request)

    def _choose_after(self, failures: int, failed: Target | None) -> Target:
        """Return the target of all calls, chosen again if it is still the one that failed."""
        with self._choosing:
            if self._target is failed:
                self._target = self._choose(failures)
            assert self._target is not None
            return self._target

    def _refuse(self, identity: object, refusal: Refusal) -> None:
        self._write({"jsonrpc": "2.0", "id": identity, "error": refusal.error})

    def _write(self, answer: Json) -> None:
        raw = json.dumps(answer, separators=(",", ":")).encode() + b"\n"
        with self._writing:
            self._output.write(raw)
            self._output.flush()


def _respond(message: Json, result: Json, modern: bool) -> Json:
    """Return a response in the form of the request's version of the protocol."""
    if modern:
        stamp = {"io.modelcontextprotocol/serverInfo": description.SERVER}
        result = {**result, "resultType": "complete", "_meta": stamp}
        if message["method"] in _CACHED:
            result |= {"ttlMs": 0, "cacheScope": "private"}
    return {"jsonrpc": "2.0", "id": message["id"], "result": result}


def _is_modern(message: Json) -> bool:
    """Whether a request names a version without a handshake. Raises Refusal for an unknown one."""
    version = _version_of(message)
    if version is None or version in description.HANDSHAKES:
        return False
    if version not in description.MODERN:
        data = {"supported": list(description.MODERN), "requested": version[:80]}
        raise Refusal(_NO_VERSION, "Unsupported protocol version", data)
    return True


def _version_of(message: Json) -> str | None:
    meta = _params(message).get("_meta")
    version = meta.get(_VERSION_KEY) if isinstance(meta, dict) else None
    return version if isinstance(version, str) else None


def _params(message: Json) -> Json:
    params = message.get("params")
    return params if isinstance(params, dict) else {}
