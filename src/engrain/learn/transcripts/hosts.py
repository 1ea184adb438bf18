"""The reader of transcripts: one for every host, with a table of where each has what happened, and
the events of a session in the words of no host.

This reads what these write: Claude Code's versions 1 and 2
(`~/.claude/projects/<folder>/<session>.jsonl`, `<session>/subagents/agent-<id>.jsonl`), Codex
(`rollout-<time>-<id>.jsonl`; openai/codex, codex-rs/protocol: RolloutLine), Gemini CLI 0.61
(`~/.gemini/tmp/<project>/chats/session-*.jsonl`) and before (`session-*.json`, one object with all
messages), Qwen Code 0.24 (`~/.qwen/projects/<folder>/chats/<session>.jsonl`), Copilot CLI 1.0
(`~/.copilot/session-state/<session>/events.jsonl`), OpenCode 1 (what our plugin writes of its
messages, `~/.local/share/opencode/engrain/<session>.jsonl`), and Pi 0.73, which documents its
format (`~/.pi/agent/sessions/<folder>/<time>_<id>.jsonl`).

What can't be read is passed over and counted. An event's `at` is in epoch seconds, None where the
transcript does not say. `stream` names the agent where lines of several stand in one file: "" is
the main one, else it is the sub-agent's id.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, field
from heapq import merge
from itertools import chain
from operator import itemgetter
from typing import Any, TypeAlias

from engrain.language.prompts import request_in
from engrain.language.text.fences import WORD, strip_private, strip_values
from engrain.language.text.instants import read_instant
from engrain.model.errors import MalformedError
from engrain.model.note.documents import count_of, object_of, objects_of, parse_object

_LONGEST_ID = 200


@dataclass(slots=True, eq=False)
class TranscriptSession:
    """A session: its id, the folder it runs in, and the agent's id where it is a sub-agent's."""

    session: str
    cwd: str = ""
    agent: str = ""

    def __post_init__(self) -> None:
        self.session = " ".join(self.session.split())[:_LONGEST_ID]


REQUEST, WORDS, CALL, RESULT, STOP, TOKENS = "request", "words", "call", "result", "stop", "tokens"


@dataclass(slots=True, eq=False)
class TranscriptEvent:
    """One thing that happened in a stream: `what` is a request of the user or of the agent that
    delegates, the agent's own words, a tool call, its result, the end of a session that the user or
    a failing service broke off, or the tokens that a model took in anew, and gave.

    A call and its result have the same `id`, "" for a call without a result; a request's `id`
    distinguishes it from the same words at another moment of the session, and its `message` is the
    id that its copies in other sessions have, too. `code` is a process's
    exit code; a process that is `running` on has another result later, under the same id. `line` is
    that of the file, from 1.
    """

    what: str
    at: float | None
    id: str = ""
    text: str = ""
    _: KW_ONLY
    name: str = ""
    arguments: Mapping[str, Any] = field(default_factory=dict)
    failed: bool = False
    code: int | None = None
    running: bool = False
    tokens: tuple[int, int] = (0, 0)
    stream: str = ""
    line: int = 0
    message: str = ""


Lines: TypeAlias = "Iterable[bytes | None]"
"""Each with its line end; None stands for one that was too long to be read."""
Passed: TypeAlias = "Counter[str]"
"""What was passed over: `broken` lines, an `unfinished` last one, `long` ones, `images`, and what
was said where memory is `off`."""
OFF = "off"

_LARGEST = 256 << 20
"""Bytes of a session that is one object."""
_LONGEST = 200_000
"""So many characters of one text are looked at: its beginning and its end."""


def read_objects(lines: Lines, passed: Passed) -> Iterator[dict[str, Any]]:
    """Yield the JSON objects of some lines, without what is marked as private in them. A last line
    without an end is still being written."""
    for line in lines:
        if line is None:
            passed["long"] += 1
            continue
        if not line.strip():
            continue
        try:
            found = json.loads(line)
            if WORD.encode() in line.lower():
                found = strip_values(found)
        except (ValueError, RecursionError):
            passed["broken" if line.endswith(b"\n") else "unfinished"] += 1
            continue
        if isinstance(found, dict):
            yield found
        else:
            passed["broken"] += 1


def as_lines(lines: Lines) -> Iterator[bytes | None]:
    """Yield the lines of a file; of one that is a single object over many lines, that as one."""
    rest = iter(lines)
    first = next(rest, None)
    if first is None or first.strip() != b"{":
        yield from () if first is None else (first,)
        yield from rest
        return
    parts, size = [first], len(first)
    for line in rest:
        size += len(line or b"")
        if line is None or size > _LARGEST:
            yield None
            return
        parts.append(line)
    yield b"".join(parts)


def text_of(value: object, passed: Passed) -> str:
    """Return the text of a message's content, which is a text or a list of parts, without what is
    marked as private."""
    if isinstance(value, str):
        return ends_of(strip_private(value))
    parts = []
    for part in value if isinstance(value, list) else ():
        if isinstance(part, str):
            parts.append(part)
        elif isinstance(part, dict):
            said = part.get("text")
            if isinstance(said, str):
                parts.append(said)
            elif "image" in str(part.get("type")):
                passed["images"] += 1
    return ends_of(strip_private("\n".join(parts)))


def ends_of(text: str, most: int = _LONGEST) -> str:
    """Return the beginning and the end of a text that is longer than what is looked at."""
    return text if len(text) <= most else f"{text[: most // 2]}\n{text[-most // 2 :]}"


def time_of(value: object) -> float | None:
    """Return when a line was written, None where it does not say."""
    if isinstance(value, int | float) and not abs(value) < 1e15:
        return None
    at = read_instant(value) if isinstance(value, str | int | float) else None
    return at if at is not None and 0 <= at < 253_402_300_800 else None  # years of four digits


Records: TypeAlias = "Iterator[dict[str, Any]]"
_SESSION = "session"
_NEVER = re.compile(r"(?!)")


@dataclass(slots=True, frozen=True, eq=False)
class HostFormat:
    """Where a host's transcripts have what happened: `is_line` tests an object of a file, `unfold`
    yields the records in one, `kinds` has the event of a record by its `type`.

    `ids` are the fields with a session's id, a call's and a result's; `counts` those with the
    tokens taken in, those of them that are not new, and the ones given. `exits` is how the text of
    a result reports an exit code if its record has none as `code`, `running` what it says of a
    process that runs on, and `ended` how a later call reports that one's exit code. The texts of
    results that begin as `failing` failed, and as `aborted` the user broke off; `stopped` is what
    the host writes into a message when they do.
    """

    name: str
    title: str
    is_line: Callable[[Mapping[str, Any]], bool]
    unfold: Callable[[dict[str, Any]], Records]
    kinds: Mapping[str, str]
    ids: tuple[str, str, str]
    counts: tuple[tuple[str, ...], str, str]
    exits: re.Pattern[str] = _NEVER
    running: re.Pattern[str] = _NEVER
    ended: re.Pattern[str] = _NEVER
    stopped: re.Pattern[str] = _NEVER
    aborted: re.Pattern[str] = _NEVER
    failing: re.Pattern[str] = _NEVER


def _is_claude_code(line: Mapping[str, Any]) -> bool:
    if _is_qwen(line):
        return False
    if line.get("type") in ("user", "assistant"):
        return isinstance(line.get("message"), dict) and "sessionId" in line
    return line.get("type") in ("summary", "system", "progress", "file-history-snapshot") and any(
        key in line for key in ("sessionId", "leafUuid", "messageId")
    )


def _unfold_claude_code(line: dict[str, Any]) -> Records:
    message = object_of(line.get("message"))
    if line.get("type") not in ("user", "assistant"):
        return
    yield {"type": _SESSION, "sessionId": line.get("sessionId"), "cwd": line.get("cwd")}
    if line.get("isApiErrorMessage"):
        yield {"type": "error"}
    elif not any(map(line.get, ("isMeta", "isCompactSummary", "isVisibleInTranscriptOnly"))):
        content, usage = message.get("content"), message.get("usage")
        yield {"type": "usage", "id": message.get("id"), "usage": usage}
        yield from objects_of(content)
        # A copy of a line has its own uuid.
        yield {"type": line["type"], "content": content, "uuid": line.get("uuid")}


def _is_codex(line: Mapping[str, Any]) -> bool:
    kinds = ("session_meta", "response_item", "event_msg", "turn_context", "compacted")
    return line.get("type") in kinds and isinstance(line.get("payload"), dict)


def _unfold_codex(line: dict[str, Any]) -> Records:
    payload, kind = object_of(line.get("payload")), line.get("type")
    if kind == "session_meta":  # a fork's file has those of what it was forked from, too
        below = "subagent" in object_of(payload.get("source"))
        agent = payload.get("id") if below else ""
        yield {**payload, "type": _SESSION, "once": _SESSION, "agent": agent}
    elif kind == "response_item":
        yield {**payload, "type": payload.get("role", payload.get("type"))}
    elif payload.get("type") == "token_count":
        usage = object_of(payload.get("info")).get("total_token_usage")
        yield {"type": "usage", "usage": usage}
    elif kind == "event_msg":
        yield {"type": payload.get("type")}


_FOLDER = re.compile(
    r"<session_context>\n(?:.*\n){0,20}?- \*\*Workspace Directories:\*\*\n +- (.+)"
)
_CODE = re.compile(r"^Exit Code: (-?\d+)\n?", re.MULTILINE)
_AROUND = re.compile(
    r"^(?:</?untrusted_context>\n?|Output: (?:\(empty\)$)?|Process Group PGID: .*\n?)", re.MULTILINE
)


def _is_gemini(line: Mapping[str, Any]) -> bool:
    return "sessionId" in line and "projectHash" in line


def _unfold_gemini(line: dict[str, Any]) -> Records:
    """Yield the records of a line; a message is written again under its id when its tools were
    called, and `$set` repeats messages."""
    if _is_gemini(line):
        agent = "" if line.get("kind") in (None, "main") else str(line["kind"])
        yield {"type": _SESSION, "sessionId": line["sessionId"], "agent": agent}
    changed = line.get("messages", object_of(line.get("$set")).get("messages"))
    for message in objects_of(changed if isinstance(changed, list) else [line]):
        id_, at = message.get("id"), message.get("timestamp")
        yield {"type": "usage", "id": id_, "usage": message.get("tokens"), "timestamp": at}
        text = "\n".join(str(part.get("text")) for part in objects_of(message.get("content")))
        if folder := _FOLDER.match(text):
            yield {"type": _SESSION, "cwd": folder[1]}
        if message.get("content") or message.get("type") == "error":
            yield {**message, "once": f"{message.get('type')} {id_}"}
        for call in objects_of(message.get("toolCalls")):
            begun, status, about = call.get("timestamp") or at, call.get("status"), call.get("id")
            yield {**call, "type": "call", "once": f"call {about}", "timestamp": at}
            if status in ("success", "error", "cancelled"):
                result = {"once": f"end {about}", "timestamp": begun, "failed": status == "error"}
                yield {**call, **result, "type": "result", "output": _read_answers(call)}
            if status == "cancelled":
                yield {"type": "error", "once": f"stop {about}", "timestamp": begun}


def _read_answers(call: Mapping[str, Any]) -> str:
    """Return the text of a call's results, with the exit code in front of it."""
    answers = (
        object_of(object_of(part.get("functionResponse")).get("response"))
        for part in objects_of(call.get("result"))
    )
    text = "\n".join(str(one.get("output") or one.get("error") or "") for one in answers)
    code = _CODE.search(text)
    return (code[0] if code else "") + _AROUND.sub("", _CODE.sub("", text))


_FRAME = re.compile(
    r"^(?:(?:Command|Directory|Signal|Process Group PGID): .*|Error: \(none\))\n?", re.MULTILINE
)
"""The lines that Qwen Code puts around the output of a command."""


def _is_qwen(line: Mapping[str, Any]) -> bool:
    return "sessionId" in line and "provenance" in line


def _unfold_qwen(line: dict[str, Any]) -> Records:
    kind, message = line.get("type"), object_of(line.get("message"))
    if kind not in ("user", "assistant", "tool_result"):
        return
    yield {"type": _SESSION, "sessionId": line["sessionId"], "cwd": line.get("cwd")}
    yield {"type": "usage", "id": line.get("uuid"), "usage": line.get("usageMetadata")}
    parts = [part for part in objects_of(message.get("parts")) if not part.get("thought")]
    # What a hook added to a prompt is no word of the user.
    shown = object_of(line.get("systemPayload")).get("displayText")
    if kind != "tool_result":
        yield {"type": kind, "content": shown or parts, "uuid": line.get("uuid")}
    for part in parts:
        if call := object_of(part.get("functionCall")):
            yield {**call, "type": "call"}
        if answer := object_of(part.get("functionResponse")):
            failed = object_of(line.get("toolCallResult")).get("status") == "error"
            output = _FRAME.sub("", _read_answers({"result": [part]}))
            yield {**answer, "type": "result", "output": output, "failed": failed}


_COPILOT = ("session", "user", "assistant", "tool", "system", "hook")
_SHELL = re.compile(r"\n?<shellId: \d+ completed with exit code -?\d+>\s*\Z")


def _is_copilot(line: Mapping[str, Any]) -> bool:
    space, dot, _ = str(line.get("type")).partition(".")
    return bool(dot) and space in _COPILOT and isinstance(line.get("data"), dict)


def _unfold_copilot(line: dict[str, Any]) -> Records:
    kind, data = line.get("type"), object_of(line.get("data"))
    if kind == "session.start":
        folder = object_of(data.get("context")).get("cwd")
        yield {"type": _SESSION, "sessionId": data.get("sessionId"), "cwd": folder}
    elif kind == "session.usage_record":
        yield {"type": "usage", "id": line.get("id"), "usage": data.get("usage")}
    elif kind in ("user.message", "assistant.message"):
        yield {"type": kind, "content": data.get("content"), "uuid": data.get("messageId")}
    elif kind == "tool.execution_start":
        call = {"name": data.get("toolName"), "args": data.get("arguments")}
        yield {"type": kind, "id": data.get("toolCallId"), **call}
    elif kind == "tool.execution_complete":
        told = object_of(data.get("result")).get("content") or data.get("error")
        code = object_of(data.get("shellExecution")).get("exitCode")
        text = _SHELL.sub("", told if isinstance(told, str) else "")
        result = {"output": text, "code": code, "failed": data.get("success") is False}
        yield {"type": kind, "id": data.get("toolCallId"), **result}


_ENDED_IN_PI = re.compile(r"Command exited with code (-?\d+)\s*\Z")


def _is_pi(line: Mapping[str, Any]) -> bool:
    if line.get("type") == _SESSION:
        return "version" in line and "id" in line
    said = object_of(line.get("message"))
    return line.get("type") == "message" and said.get("role") in ("user", "assistant", "toolResult")


def _unfold_pi(line: dict[str, Any]) -> Records:
    if line.get("type") == _SESSION:
        yield {"type": _SESSION, "sessionId": line.get("id"), "cwd": line.get("cwd")}
    if line.get("type") != "message":
        return
    message = object_of(line.get("message"))
    role, content = message.get("role"), message.get("content")
    yield {"type": "usage", "id": line.get("id"), "usage": message.get("usage")}
    if role == "toolResult":
        text = "\n".join(str(part.get("text") or "") for part in objects_of(content))
        ended = _ENDED_IN_PI.search(text)
        code = int(ended[1]) if ended else None
        text = text[: ended.start()].rstrip() if ended else text
        result = {"output": text, "code": code}
        failed = message.get("isError") is True
        yield {"type": role, "id": message.get("toolCallId"), "failed": failed, **result}
        return
    yield {"type": role, "content": content, "uuid": line.get("id")}
    yield from (part for part in objects_of(content) if part.get("type") == "toolCall")


def _is_opencode(line: Mapping[str, Any]) -> bool:
    return line.get("host") == "opencode" and isinstance(line.get("info"), dict)


def _unfold_opencode(line: dict[str, Any]) -> Records:
    info, parts = object_of(line.get("info")), objects_of(line.get("parts"))
    at = object_of(info.get("time")).get("created")
    about = {"id": info.get("id"), "uuid": info.get("id"), "timestamp": at}
    yield {"type": _SESSION, "sessionId": info.get("sessionID"), "cwd": line.get("cwd")}
    yield {**about, "type": "usage", "usage": info.get("tokens")}
    said = [part for part in parts if part.get("type") == "text"]
    yield {**about, "type": info.get("role"), "content": said}
    for part in parts:
        state = object_of(part.get("state"))
        times, status = object_of(state.get("time")), state.get("status")
        call = {"id": part.get("callID"), "name": part.get("tool"), "input": state.get("input")}
        if part.get("type") == "tool":
            yield {**call, "type": "call", "timestamp": times.get("start", at)}
        if status in ("completed", "error"):
            ended = {"timestamp": times.get("end", at), "failed": status == "error"}
            text = str(state.get("output") or state.get("error") or "")
            yield {**call, **ended, "type": "result", "output": text, "code": state.get("exit")}
    if info.get("error"):
        yield {**about, "type": "error"}


_EXIT = re.compile(r"\AExit Code: (-?\d+)\n?")
HOSTS = {
    host.name: host
    for host in (
        HostFormat(
            "claude-code",
            "Claude Code",
            _is_claude_code,
            _unfold_claude_code,
            {"user": REQUEST, "assistant": WORDS, "tool_use": CALL, "tool_result": RESULT},
            ids=("sessionId", "id", "tool_use_id"),
            counts=(("input_tokens", "cache_creation_input_tokens"), "", "output_tokens"),
            exits=re.compile(r"\A(?:Error: )?Exit code (-?\d+)\b\n*"),
            ended=re.compile(r"\A(?:.*\n)*?<exit_code>(\d+)</exit_code>\n?"),
            running=re.compile(r"\ACommand running in background with ID: (\w+)"),
            stopped=re.compile(r"\[Request interrupted by user(?: for tool use)?\]"),
        ),
        HostFormat(
            "codex",
            "Codex",
            _is_codex,
            _unfold_codex,
            {
                "user": REQUEST,
                "assistant": WORDS,
                **dict.fromkeys(("function_call", "custom_tool_call"), CALL),
                **dict.fromkeys(("local_shell_call", "web_search_call"), CALL),
                **dict.fromkeys(("function_call_output", "custom_tool_call_output"), RESULT),
                "turn_aborted": STOP,
            },
            ids=("id", "call_id", "call_id"),
            counts=(("input_tokens",), "cached_input_tokens", "output_tokens"),
            exits=re.compile(
                r"\A(?:Exit code: (-?\d+)\n|(?:.*\n)*?Process exited with code (-?\d+)\n)"
                r"(?:.*\n)*?Output:\n?"
            ),
            running=re.compile(r"^Process running with session ID (\d+)$", re.MULTILINE),
            aborted=re.compile(r"aborted by user|rejected by user", re.IGNORECASE),
            failing=re.compile(
                r"failed to parse function arguments|failed in sandbox|execution error|err: "
                r"|unsupported call|apply_patch verification failed|exec_command failed"
                r"|write_stdin failed|command timed out",
                re.IGNORECASE,
            ),
        ),
        HostFormat(
            "gemini",
            "Gemini CLI",
            _is_gemini,
            _unfold_gemini,
            {"user": REQUEST, "gemini": WORDS, "call": CALL, "result": RESULT},
            ids=("sessionId", "id", "id"),
            counts=(("input",), "cached", "output"),
            exits=_EXIT,
        ),
        HostFormat(
            "qwen",
            "Qwen Code",
            _is_qwen,
            _unfold_qwen,
            {"user": REQUEST, "assistant": WORDS, "call": CALL, "result": RESULT},
            ids=("sessionId", "id", "id"),
            counts=(("promptTokenCount",), "cachedContentTokenCount", "candidatesTokenCount"),
            exits=_EXIT,
        ),
        HostFormat(
            "copilot",
            "Copilot CLI",
            _is_copilot,
            _unfold_copilot,
            {
                "user.message": REQUEST,
                "assistant.message": WORDS,
                "tool.execution_start": CALL,
                "tool.execution_complete": RESULT,
            },
            ids=("sessionId", "id", "id"),
            counts=(("inputTokens",), "cacheReadTokens", "outputTokens"),
        ),
        HostFormat(
            "opencode",
            "OpenCode",
            _is_opencode,
            _unfold_opencode,
            {"user": REQUEST, "assistant": WORDS, "call": CALL, "result": RESULT},
            ids=("sessionId", "id", "id"),
            counts=(("input",), "", "output"),
        ),
        HostFormat(
            "pi",
            "Pi",
            _is_pi,
            _unfold_pi,
            {"user": REQUEST, "assistant": WORDS, "toolCall": CALL, "toolResult": RESULT},
            ids=("sessionId", "id", "id"),
            counts=(("input", "cacheWrite"), "", "output"),
        ),
    )
}
_HEAD, _BYTES = 50, 32 << 20
"""So many lines and bytes are searched for a line that identifies the host."""


def open_transcript(lines: Lines) -> tuple[HostFormat, Lines]:
    """Return the host of a transcript, and the lines again. Raises MalformedError for a file of no
    known host."""
    rest = as_lines(lines)
    head: list[bytes | None] = []
    size = 0
    for line in rest:
        head.append(line)
        found = parse_object(line)
        for host in HOSTS.values():
            if host.is_line(found):
                return host, chain(head, rest)
        size += len(line or b"")
        if len(head) >= _HEAD or size > _BYTES:
            break
    raise MalformedError("not a transcript of a known host", reason="host")


SUB_AGENTS = "subagents"
"""The folder beside a transcript, named after it, with those of its sub-agents."""
_WRITTEN = re.compile(rb'"timestamp": ?"([^"]+)"')


def merge_lines(lines: Lines, others: Sequence[Lines]) -> Lines:
    """Return the lines of a transcript with those of its sub-agents, in the order of their times: a
    line without a time stays behind the one before it."""
    if not others:
        return lines
    return (line for _, line in merge(*map(_stamp, (lines, *others)), key=itemgetter(0)))


def _stamp(lines: Lines) -> Iterator[tuple[bytes, bytes | None]]:
    at = b""
    for line in lines:
        found = _WRITTEN.search(line or b"")
        at = max(at, found[1]) if found else at
        yield at, line


def read_events(
    host: HostFormat, lines: Lines, passed: Passed
) -> Iterator[TranscriptSession | TranscriptEvent]:
    """Yield what happened in a host's session."""
    reader = _Reader(host, passed)
    place = 0

    def numbered() -> Iterator[bytes | None]:
        nonlocal place
        for line in lines:
            place += 1
            yield line

    for line in read_objects(numbered(), passed):
        stream = str(line.get("agentId") or "sidechain") if line.get("isSidechain") else ""
        for record in host.unfold(line):
            for event in reader.read({"timestamp": line.get("timestamp"), **record}, stream):
                if isinstance(event, TranscriptEvent):
                    event.stream, event.line = stream, place
                yield event


_HEADER = 2000
_MOST_RUNNING = 1000
_ABOUT = ("task_id", "bash_id", "session_id")
"""Arguments of a call that asks about a process that runs on."""
_WRAPPED = re.compile(r"</?(?:output|stdout)>\n?")


class _Reader:
    def __init__(self, host: HostFormat, passed: Passed) -> None:
        self._host = host
        self._passed = passed
        self._session = ""
        self._once: set[str] = set()
        self._used: dict[tuple[str, str], tuple[int, int]] = {}
        self._running: dict[str, str] = {}
        self._asked: dict[str, str] = {}

    def read(
        self, record: dict[str, Any], stream: str
    ) -> Iterator[TranscriptSession | TranscriptEvent]:
        """Yield the events of a record; of one that is written again, as `once` says, none."""
        if not self._is_new(record):
            return
        kind, at = str(record.get("type")), time_of(record["timestamp"])
        what = self._host.kinds.get(kind, "")
        if kind == _SESSION:
            yield from self._read_session(record)
        elif kind == "usage":
            if any(tokens := self._count(record, stream)):
                yield TranscriptEvent(TOKENS, at, tokens=tokens)
        elif what == REQUEST:
            yield from self._read_request(record, at)
        elif what == WORDS:
            if text := text_of(record.get("content"), self._passed).strip():
                yield TranscriptEvent(WORDS, at, text=text)
        elif what == CALL:
            yield self._read_call(record, at)
        elif what == RESULT:
            yield from self._read_result(record, at)
        elif what == STOP or kind == "error":
            yield TranscriptEvent(STOP, at)

    def _is_new(self, record: Mapping[str, Any]) -> bool:
        once = str(record.get("once") or "")
        if once and once in self._once:
            return False
        self._once.add(once)
        return True

    def _read_session(self, record: Mapping[str, Any]) -> Iterator[TranscriptSession]:
        id_, cwd = str(record.get(self._host.ids[0]) or ""), str(record.get("cwd") or "")
        if id_ != self._session if id_ else cwd:
            self._session = id_ or self._session
            yield TranscriptSession(id_, cwd, str(record.get("agent") or ""))

    def _read_request(
        self, record: Mapping[str, Any], at: float | None
    ) -> Iterator[TranscriptEvent]:
        text = text_of(record.get("content"), self._passed)
        if self._host.stopped.search(text):
            yield TranscriptEvent(STOP, at)
            text = self._host.stopped.sub("", text)
        if request := request_in(text):
            key = next(filter(None, map(record.get, ("timestamp", "uuid", "id"))), "")
            message = str(record.get("uuid") or record.get("id") or "")
            yield TranscriptEvent(REQUEST, at, str(key), request, message=message)

    def _read_call(self, record: Mapping[str, Any], at: float | None) -> TranscriptEvent:
        name = record.get("name") or str(record["type"]).removesuffix("_call")
        given = next(filter(None, map(record.get, ("input", "args", "arguments", "action"))), None)
        arguments = object_of(given)
        if isinstance(given, str):
            arguments = parse_object(given) or {"input": given}
        id_ = str(record.get(self._host.ids[1]) or "")
        about = next(filter(None, map(arguments.get, _ABOUT)), "")
        if about and len(self._asked) < _MOST_RUNNING:
            self._asked[id_] = str(about)
        return TranscriptEvent(CALL, at, id_, name=str(name), arguments=arguments)

    def _read_result(
        self, record: Mapping[str, Any], at: float | None
    ) -> Iterator[TranscriptEvent]:
        host, id_ = self._host, str(record.get(self._host.ids[2]) or "")
        text, code = self._read_output(record, asked=id_ in self._asked)
        if code is None and (running := host.running.search(text[:_HEADER])):
            if id_ not in self._asked and len(self._running) < _MOST_RUNNING:
                self._running[running[1]] = id_
            yield TranscriptEvent(RESULT, at, id_, running=True)
            return
        if code is not None and (began := self._running.pop(self._asked.pop(id_, ""), "")):
            text = _WRAPPED.sub("", text)
            yield TranscriptEvent(RESULT, at, began, text, failed=code != 0, code=code)
            code = 0  # the call that asked how it ended went well
        failed = bool(record.get("is_error") or record.get("failed") or code)
        failed = failed or (code is None and bool(host.failing.match(text)))
        yield TranscriptEvent(RESULT, at, id_, text, failed=failed, code=code)
        if host.aborted.match(text):
            yield TranscriptEvent(STOP, at)

    def _read_output(self, record: Mapping[str, Any], *, asked: bool) -> tuple[str, int | None]:
        """Return a result's text and its exit code, None if it is not said; that of another process
        if the call `asked` about one."""
        text = text_of(record.get("output", record.get("content")), self._passed)
        if isinstance(code := record.get("code"), int):
            return text, code
        if text.startswith('{"output":'):
            envelope = parse_object(text)
            code = object_of(envelope.get("metadata")).get("exit_code")
            return str(envelope.get("output", text)), code if isinstance(code, int) else None
        ended = self._host.exits.match(text[:_HEADER])
        if asked and ended is None:
            ended = self._host.ended.match(text[:_HEADER])
        if ended:
            return text[ended.end() :], int(next(filter(None, ended.groups())))
        return text, None

    def _count(self, record: Mapping[str, Any], stream: str) -> tuple[int, int]:
        """Return the tokens taken and given since they were last said of this message; they stand
        on each of its lines and grow from one to the next."""
        used, (fresh, known, given) = object_of(record.get("usage")), self._host.counts
        taken = sum(count_of(used.get(key)) for key in fresh) - count_of(used.get(known))
        now = max(0, taken), count_of(used.get(given))
        key = stream, str(record.get("id") or "")
        before = self._used.get(key, (0, 0))
        self._used[key] = max(before[0], now[0]), max(before[1], now[1])
        return max(0, now[0] - before[0]), max(0, now[1] - before[1])
