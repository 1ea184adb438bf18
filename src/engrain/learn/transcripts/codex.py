"""Codex's transcripts: `rollout-<time>-<id>.jsonl`, whose lines are `{timestamp, type, payload}`
(openai/codex, codex-rs/protocol: RolloutLine, ResponseItem, EventMsg)."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

from engrain.language.prompts import request_in
from engrain.learn.transcripts import events
from engrain.learn.transcripts.events import read_objects, text_of, time_of
from engrain.model.note.documents import count_of, object_of, parse_object

NAME = "codex"
_ENVELOPES = frozenset(
    ("session_meta", "response_item", "event_msg", "turn_context", "compacted", "world_state")
)
_CALLS = ("function_call", "custom_tool_call", "local_shell_call", "web_search_call")
_OUTPUTS = ("function_call_output", "custom_tool_call_output", "local_shell_call_output")
# Told in other lines, or nothing that an episode has.
_SILENT = frozenset(
    (
        "reasoning", "ghost_snapshot", "compaction", "compaction_summary", "context_compaction",
        "tool_search_call", "tool_search_output", "image_generation_call", "agent_message",
    )
)  # fmt: skip
# The forms in which the end of a process is reported to the model, newest last.
_EXITS = (
    re.compile(r"\AExit code: (-?\d+)\n(?:.*\n)*?Output:\n?"),
    re.compile(r"\A(?:.*\n)*?Process exited with code (-?\d+)\n(?:.*\n)*?Output:\n?"),
)
_RUNNING = re.compile(r"^Process running with session ID (\d+)$", re.MULTILINE)
_HEADER = 2000
_FAILED = re.compile(
    r"(?:failed to parse function arguments|failed in sandbox|execution error|unsupported call"
    r"|apply_patch verification failed|err: |exec_command failed|write_stdin failed"
    r"|command timed out)",
    re.IGNORECASE,
)
_ABORTED = re.compile(r"aborted by user|rejected by user", re.IGNORECASE)


def is_codex(line: dict[str, Any]) -> bool:
    """Whether an object is a line of a transcript of Codex."""
    return str(line.get("type")) in _ENVELOPES and isinstance(line.get("payload"), dict)


def read_codex(
    lines: events.Lines, passed: events.Passed
) -> Iterator[events.TranscriptSession | events.TranscriptEvent]:
    """Yield what happened in a session of Codex."""
    begun = False
    tokens = [0, 0]
    shells = events.BackgroundCalls()
    for number, line in enumerate(read_objects(lines, passed)):
        kind, payload = str(line.get("type")), object_of(line.get("payload"))
        at = time_of(line.get("timestamp"))
        if kind == "session_meta":
            if not begun:  # a fork's file has those of what it was forked from, too
                yield _session(payload)
            begun = True
        elif kind == "event_msg":
            yield from _message(payload, at, tokens)
        elif kind == "response_item":
            key = str(line.get("timestamp") or number)
            yield from _item(payload, at, key, passed, shells)
        elif kind not in _ENVELOPES:
            passed["unknown"] += 1


def _message(
    payload: Mapping[str, Any], at: float | None, tokens: list[int]
) -> Iterator[events.TranscriptEvent]:
    """Yield the event of a host's message. `tokens` are those taken and given so far."""
    what = payload.get("type")
    if what in ("turn_aborted", "error"):
        yield events.Stopped(at, error=what == "error")
    used = object_of(object_of(payload.get("info")).get("total_token_usage"))
    if what == "token_count" and used:
        cached = count_of(used.get("cached_input_tokens"))
        taken = max(0, count_of(used.get("input_tokens")) - cached)
        given = count_of(used.get("output_tokens"))
        yield events.Used(at, max(0, taken - tokens[0]), max(0, given - tokens[1]))
        tokens[:] = taken, given


def _session(payload: Mapping[str, Any]) -> events.TranscriptSession:
    id_, source = str(payload.get("id") or ""), payload.get("source")
    below = isinstance(source, dict) and "subagent" in source
    return events.TranscriptSession(id_, str(payload.get("cwd") or ""), id_ if below else "")


def _item(
    payload: Mapping[str, Any],
    at: float | None,
    key: str,
    passed: events.Passed,
    shells: events.BackgroundCalls,
) -> Iterator[events.TranscriptEvent]:
    kind = str(payload.get("type"))
    call = str(payload.get("call_id") or payload.get("id") or "")
    if kind == "message":
        text, role = text_of(payload.get("content"), passed), payload.get("role")
        if role == "user" and (request := request_in(text)):
            yield events.UserRequest(at, request, key)
        elif role == "assistant" and text.strip():
            yield events.AgentWords(at, text.strip())
    elif kind in _CALLS:
        name, arguments = _read_call(kind, payload)
        if name == "write_stdin":
            shells.ask(call, str(arguments.get("session_id")))
        yield events.ToolCall(at, "" if kind == "web_search_call" else call, name, arguments)
    elif kind in _OUTPUTS:
        yield from _output(payload.get("output"), at, call, passed, shells)
    elif kind not in _SILENT:
        passed["unknown"] += 1


def _read_call(kind: str, payload: Mapping[str, Any]) -> tuple[str, Mapping[str, Any]]:
    if kind in ("local_shell_call", "web_search_call"):
        return kind.removesuffix("_call"), object_of(payload.get("action"))
    name = str(payload.get("name") or "")
    if kind == "custom_tool_call":
        return name, {"input": str(payload.get("input") or "")}
    given = payload.get("arguments")
    if not isinstance(given, str):
        return name, object_of(given)
    try:
        return name, object_of(json.loads(given))
    except (ValueError, RecursionError):
        return name, {"input": given}


def _output(
    output: object,
    at: float | None,
    call: str,
    passed: events.Passed,
    shells: events.BackgroundCalls,
) -> Iterator[events.TranscriptEvent]:
    text, code = _read_output(text_of(output, passed))
    if _ABORTED.match(text):
        yield events.Result(at, call, "")
        yield events.Stopped(at)
        return
    failed = True if code is None and _FAILED.match(text) else None
    if code is None and (running := _RUNNING.search(text[:_HEADER])):
        shells.begin(call, running[1])
        yield events.Result(at, call, "", running=True)
        return
    if code is not None and (began := shells.end(call)):
        yield events.Result(at, began, text, failed=code != 0, code=code)
        code = 0  # the call that asked how it ended went well
    yield events.Result(at, call, text, failed=code != 0 if code is not None else failed, code=code)


def _read_output(text: str) -> tuple[str, int | None]:
    """Return a call's text and its exit code, None if it is not said."""
    if text.startswith('{"output":'):
        envelope = parse_object(text)
        exit_code = object_of(envelope.get("metadata")).get("exit_code")
        return str(envelope.get("output", text)), exit_code if isinstance(exit_code, int) else None
    for form in _EXITS:
        if ended := form.match(text[:_HEADER]):
            return text[ended.end() :], int(ended[1])
    return text, None
