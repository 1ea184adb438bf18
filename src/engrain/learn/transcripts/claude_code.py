"""Claude Code's transcripts: one JSON object a line, a session's own file or a sub-agent's.

The format is not documented by the host; this reads what its versions 1 and 2 write
(`~/.claude/projects/<folder>/<session>.jsonl`, `<session>/subagents/agent-<id>.jsonl`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from engrain.language.prompts import request_in
from engrain.learn.transcripts import events
from engrain.learn.transcripts.events import read_objects, text_of, time_of
from engrain.model.note.documents import count_of, object_of

NAME = "claude-code"
_SPOKEN = ("user", "assistant")
_SILENT = frozenset(
    (
        "summary", "system", "progress", "queue-operation", "file-history-snapshot", "attachment",
        "last-prompt", "ai-title", "custom-title", "agent-name", "pr-link", "mode", "tag",
        "permission-mode", "worktree-state", "content-replacement", "speculation-accept",
    )
)  # fmt: skip
_STOPPED = re.compile(r"\[Request interrupted by user(?: for tool use)?\]")
_EXIT = re.compile(r"(?:Error: )?Exit code (\d+)\b")
_RUNNING = re.compile(r"Command running in background with ID: (\w+)")
_ENDED = re.compile(r"<exit_code>(\d+)</exit_code>")
_OUTPUT = re.compile(
    r"<(?:output|stdout)>\n?((?:[^<]++|<(?!/?(?:output|stdout)>))*+)</(?:output|stdout)>"
)
_ASIDE = ("isMeta", "isCompactSummary", "isVisibleInTranscriptOnly")


def is_claude_code(line: dict[str, Any]) -> bool:
    """Whether an object is a line of a transcript of Claude Code."""
    kind = str(line.get("type"))
    if kind in _SPOKEN:
        return isinstance(line.get("message"), dict) and "sessionId" in line
    return kind in _SILENT and ("sessionId" in line or "leafUuid" in line or "messageId" in line)


def read_claude_code(
    lines: events.Lines, passed: events.Passed
) -> Iterator[events.TranscriptSession | events.TranscriptEvent]:
    """Yield what happened in a session of Claude Code."""
    session = ""
    usage: dict[str, tuple[str, int, int]] = {}
    running = events.BackgroundCalls()
    for line in read_objects(lines, passed):
        kind = str(line.get("type"))
        if kind not in _SPOKEN:
            passed["unknown"] += kind not in _SILENT
            continue
        if line.get("sessionId") and line["sessionId"] != session:
            session = str(line["sessionId"])
            yield events.TranscriptSession(session, str(line.get("cwd") or ""))
        for event in _read_line(line, kind, usage, passed):
            yield from _follow(event, running)
    for stream, (_, taken, given) in usage.items():
        yield events.Used(None, taken, given, stream=stream)


def _read_line(
    line: dict[str, Any], kind: str, usage: dict[str, Any], passed: events.Passed
) -> Iterator[events.TranscriptEvent]:
    """Yield the events of a line that somebody spoke."""
    stream = str(line.get("agentId") or "sidechain") if line.get("isSidechain") else ""
    at = time_of(line.get("timestamp"))
    message = object_of(line.get("message"))
    if kind == "user":
        if not any(line.get(flag) for flag in _ASIDE):
            yield from _heard(line, message.get("content"), at, stream, passed)
    elif line.get("isApiErrorMessage"):
        yield events.Stopped(at, error=True, stream=stream)
    else:
        yield from _count(message, at, stream, usage)
        content = message.get("content")
        for part in content if isinstance(content, list) else [content]:
            if isinstance(part, dict) and part.get("type") == "tool_use":
                id_, name = str(part.get("id") or ""), str(part.get("name") or "")
                yield events.ToolCall(at, id_, name, object_of(part.get("input")), stream=stream)
            elif text := text_of([part], passed).strip():
                yield events.AgentWords(at, text, stream=stream)


def _follow(
    event: events.TranscriptEvent, running: events.BackgroundCalls
) -> Iterator[events.TranscriptEvent]:
    """Yield the event, and before it the end of a background command that it reports."""
    if isinstance(event, events.ToolCall):
        if about := event.arguments.get("task_id") or event.arguments.get("bash_id"):
            running.ask(event.id, str(about))
    elif isinstance(event, events.Result):
        if begun := _RUNNING.match(event.text):
            running.begin(event.id, begun[1])
            event.running = True
        ended = _ENDED.search(event.text)
        if ended and (began := running.end(event.id)):
            output, code = "\n".join(_OUTPUT.findall(event.text)), int(ended[1])
            yield events.Result(
                event.at, began, output, failed=code != 0, code=code, stream=event.stream
            )
    yield event


def _heard(
    line: dict[str, Any], content: object, at: float | None, stream: str, passed: events.Passed
) -> Iterator[events.TranscriptEvent]:
    said = []
    for part in content if isinstance(content, list) else [content]:
        if isinstance(part, dict) and part.get("type") == "tool_result":
            text = text_of(part.get("content"), passed)
            code = _EXIT.match(text)
            yield events.Result(
                at,
                str(part.get("tool_use_id") or ""),
                text[code.end() :].lstrip("\n") if code else text,
                failed=bool(part.get("is_error")),
                code=int(code[1]) if code else None,
                stream=stream,
            )
        else:
            said.append(text_of([part], passed))
    text = "\n".join(said)
    if _STOPPED.search(text):
        yield events.Stopped(at, stream=stream)
        text = _STOPPED.sub("", text)
    if request := request_in(text):
        key = line.get("timestamp") or line.get("uuid")  # a copy of a line has its own uuid
        yield events.UserRequest(at, request, str(key or ""), stream=stream)


def _count(
    message: Mapping[str, Any], at: float | None, stream: str, usage: dict[str, Any]
) -> Iterator[events.TranscriptEvent]:
    """Tokens of a message, which stand on each of its lines and grow from one to the next."""
    used = object_of(message.get("usage"))
    id_ = str(message.get("id") or "")
    before, taken, given = usage.get(stream, (id_, 0, 0))
    if before != id_:
        yield events.Used(at, taken, given, stream=stream)
    fresh = count_of(used.get("input_tokens")) + count_of(used.get("cache_creation_input_tokens"))
    usage[stream] = (id_, fresh, count_of(used.get("output_tokens")))
