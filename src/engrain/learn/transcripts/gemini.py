"""Gemini CLI's transcripts: one JSON object a line.

The format is not documented by the host; this reads what version 0.61 writes
(`~/.gemini/tmp/<project>/chats/session-*.jsonl`): a head with the session's id, then messages, and
`$set` where fields of the whole change. A message is written again under its id when its tools were
called.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from engrain.language.prompts import request_in
from engrain.learn.transcripts import events
from engrain.learn.transcripts.events import read_objects, text_of, time_of
from engrain.model.note.documents import count_of, object_of

NAME = "gemini"
_SPOKEN = ("user", "gemini")
_SILENT = ("info", "warning")
_FOLDER = re.compile(
    r"<session_context>\n(?:.*\n){0,20}?- \*\*Workspace Directories:\*\*\n +- (.+)"
)
_CODE = re.compile(r"^Exit Code: (-?\d+)$", re.MULTILINE)
_AROUND = re.compile(
    r"^(?:</?untrusted_context>\n?|Output: (?:\(empty\)$)?"
    r"|(?:Exit Code|Process Group PGID): .*\n?)",
    re.MULTILINE,
)


def is_gemini(line: dict[str, Any]) -> bool:
    """Whether an object is a line of a transcript of Gemini CLI."""
    return "sessionId" in line and "projectHash" in line


def read_gemini(
    lines: events.Lines, passed: events.Passed
) -> Iterator[events.TranscriptSession | events.TranscriptEvent]:
    """Yield what happened in a session of Gemini CLI."""
    reader = _MessageReader(passed)
    for line in read_objects(lines, passed):
        if is_gemini(line):
            agent = "" if line.get("kind") in (None, "main") else str(line["kind"])
            yield events.TranscriptSession(str(line["sessionId"]), agent=agent)
            continue
        changed = object_of(line.get("$set")).get("messages")
        for message in changed if isinstance(changed, list) else [line]:
            if isinstance(message, dict) and "type" in message:
                yield from reader.read(message)


class _MessageReader:
    """Reads messages; of one that is written again only what is new."""

    def __init__(self, passed: events.Passed) -> None:
        self._passed = passed
        self._read: set[str] = set()

    def read(
        self, message: dict[str, Any]
    ) -> Iterator[events.TranscriptSession | events.TranscriptEvent]:
        kind, at = str(message["type"]), time_of(message.get("timestamp"))
        id_ = str(message.get("id") or "")
        if kind == "user":
            text = text_of(message.get("content"), self._passed)
            if folder := _FOLDER.match(text):
                yield events.TranscriptSession("", folder[1])
            text = request_in(text)
            if text and self._is_new(f"asked {id_}"):
                yield events.UserRequest(at, text, str(message.get("timestamp") or id_))
        elif kind == "error":
            if self._is_new(f"failed {id_}"):
                yield events.Stopped(at, error=True)
        elif kind not in _SPOKEN:
            self._passed["unknown"] += kind not in _SILENT
        else:
            yield from self._read_answer(message, id_, at)

    def _read_answer(
        self, message: dict[str, Any], id_: str, at: float | None
    ) -> Iterator[events.TranscriptEvent]:
        said = text_of(message.get("content"), self._passed).strip()
        if said and self._is_new(f"said {id_}"):
            yield events.AgentWords(at, said)
        tokens = object_of(message.get("tokens"))
        if tokens and self._is_new(f"used {id_}"):
            taken = count_of(tokens.get("input")) - count_of(tokens.get("cached"))
            yield events.Used(at, max(0, taken), count_of(tokens.get("output")))
        calls = message.get("toolCalls")
        for call in calls if isinstance(calls, list) else ():
            if isinstance(call, dict):
                yield from self._read_call(call, at)

    def _read_call(
        self, call: dict[str, Any], at: float | None
    ) -> Iterator[events.TranscriptEvent]:
        id_ = str(call.get("id") or "")
        if self._is_new(f"called {id_}"):
            yield events.ToolCall(at, id_, str(call.get("name") or ""), object_of(call.get("args")))
        status = call.get("status")
        if status in ("success", "error", "cancelled") and self._is_new(f"ended {id_}"):
            ended = time_of(call.get("timestamp")) or at
            result = call.get("result")
            answers = (
                object_of(object_of(object_of(part).get("functionResponse")).get("response"))
                for part in (result if isinstance(result, list) else ())
            )
            text = "\n".join(str(one.get("output") or one.get("error") or "") for one in answers)
            code = _CODE.search(text)
            number = int(code[1]) if code else None
            failed = status == "error" or bool(number)
            yield events.Result(ended, id_, _AROUND.sub("", text), failed=failed, code=number)
            if status == "cancelled":
                yield events.Stopped(ended)

    def _is_new(self, what: str) -> bool:
        if what in self._read:
            return False
        self._read.add(what)
        return True
