"""The hosts of hooks as they are documented: what each says at an event, and what it takes back.

`read_answer` is as strict as the strictest host: a key that is not documented, a string that is
cut, or a word that holds the agent up is an error here.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

from engrain.adapters.hosts.table import HOSTS as TABLE

HOSTS = ("claude-code", "codex", "gemini", "cursor", "opencode")
EVENTS = ("session-start", "prompt", "stop", "pre-compact", "session-end")
LONGEST = 10_000
"""Characters of a string that Claude Code takes whole."""

Payload = dict[str, object]

NAMES: dict[str, dict[str, str]] = {
    "claude-code": {
        "session-start": "SessionStart",
        "prompt": "UserPromptSubmit",
        "stop": "Stop",
        "pre-compact": "PreCompact",
        "session-end": "SessionEnd",
    },
    "codex": {
        "session-start": "SessionStart",
        "prompt": "UserPromptSubmit",
        "stop": "Stop",
        "pre-compact": "PreCompact",
        "session-end": "SessionEnd",
    },
    "gemini": {
        "session-start": "SessionStart",
        "prompt": "BeforeAgent",
        "stop": "AfterAgent",
        "session-end": "SessionEnd",
    },
    "cursor": {
        "session-start": "sessionStart",
        "prompt": "beforeSubmitPrompt",
        "stop": "stop",
        "pre-compact": "preCompact",
        "session-end": "sessionEnd",
    },
    "opencode": {
        "session-start": "session.created",
        "prompt": "message.updated",
        "stop": "session.idle",
        "pre-compact": "session.compacted",
        "session-end": "session.deleted",
    },
}
"""By host and event: the host's own name of it. Gemini CLI has none for a compaction."""

TOOL_NAMES: dict[str, dict[str, str]] = {
    "claude-code": {
        "tool": "PostToolUse",
        "tool-failed": "PostToolUseFailure",
        "subagent": "SubagentStart",
    },
    "codex": {"tool": "PostToolUse", "subagent": "SubagentStart"},
    "gemini": {"tool": "AfterTool"},
    "cursor": {},
    "opencode": {
        "tool": "tool.execute.after",
        "tool-failed": "tool.execute.after",
        "subagent": "chat.message",
    },
}
"""The same for the calls of tools, which not every host reports."""

CASES = [(host, event) for host in HOSTS for event in NAMES[host]]
"""Every event of every host."""

_MORE: dict[str, dict[str, Payload]] = {
    "claude-code": {
        "session-start": {"source": "startup", "model": "claude-sonnet-4-5"},
        "prompt": {"prompt": "", "prompt_id": "p-1", "permission_mode": "default"},
        "stop": {
            "stop_hook_active": False,
            "last_assistant_message": "Done.",
            "background_tasks": [],
            "session_crons": [],
            "effort": {"level": "high"},
        },
        "pre-compact": {"trigger": "auto", "custom_instructions": ""},
        "session-end": {"reason": "other"},
    },
    "codex": {
        "session-start": {
            "source": "startup",
            "model": "gpt-5-codex",
            "permission_mode": "default",
            "transcript_path": None,
        },
        "prompt": {"prompt": "", "turn_id": "t-1", "model": "gpt-5-codex"},
        "stop": {"turn_id": "t-1", "stop_hook_active": False, "last_assistant_message": None},
        "pre-compact": {"trigger": "auto", "turn_id": "t-1", "model": "gpt-5-codex"},
        "session-end": {"reason": "other"},
    },
    "gemini": {
        "session-start": {"source": "startup"},
        "prompt": {"prompt": ""},
        "stop": {"prompt": "", "prompt_response": "Done.", "stop_hook_active": False},
        "session-end": {"reason": "exit"},
    },
    "cursor": {
        "session-start": {},
        "prompt": {"prompt": "", "attachments": [{"type": "file", "file_path": "/a.py"}]},
        "stop": {"status": "completed", "loop_count": 0},
        "pre-compact": {"trigger": "auto"},
        "session-end": {"reason": "completed"},
    },
    "opencode": {
        "session-start": {"source": "startup"},
        "prompt": {"prompt": ""},
        "stop": {},
        "pre-compact": {"trigger": "auto"},
        "session-end": {},
    },
}

UNIVERSAL = ("continue", "stopReason", "suppressOutput", "systemMessage")
_SAYS = ("hookSpecificOutput", *UNIVERSAL)
_TAKEN: dict[str, dict[str, tuple[str, ...]]] = {
    "claude-code": {
        "session-start": _SAYS,
        "prompt": (*_SAYS, "decision", "reason", "suppressOriginalPrompt"),
        "tool": (*_SAYS, "decision", "reason"),
        "tool-failed": _SAYS,
        "subagent": _SAYS,
    },
    # Its schemas say `additionalProperties: false`, on both levels.
    "codex": {
        "session-start": _SAYS,
        "prompt": (*_SAYS, "decision", "reason"),
        "tool": (*_SAYS, "decision", "reason"),
        "subagent": _SAYS,
        "stop": (*UNIVERSAL, "decision", "reason"),
        "pre-compact": UNIVERSAL,
        "session-end": UNIVERSAL,
    },
    "gemini": {
        "session-start": _SAYS,
        "prompt": (*_SAYS, "decision", "reason"),
        "tool": (*_SAYS, "decision", "reason"),
        "stop": UNIVERSAL,
        "session-end": UNIVERSAL,
    },
    "cursor": {
        "session-start": ("continue", "user_message", "additional_context"),
        "prompt": ("continue", "user_message", "additional_context"),
        "stop": ("continue", "user_message"),
        "pre-compact": ("continue", "user_message"),
        "session-end": ("continue", "user_message"),
    },
    "opencode": dict.fromkeys(
        ("session-start", "prompt", "tool", "tool-failed", "subagent"), ("context", "message")
    ),
}
"""By host and event: the keys it documents, less those that make the agent go on by itself."""


class Answer:
    """What a hook told its host: the context for the agent, the line for the person."""

    def __init__(self, context: str = "", message: str = "") -> None:
        self.context = context
        self.message = message


def make_payload(
    host: str, event: str, session: str = "s-1", folder: str = "/nowhere", **more: object
) -> Payload:
    """What `host` documents that it sends at `event`; `more` are fields to set besides."""
    name = NAMES[host].get(event, event)
    if host == "cursor":
        payload: Payload = {
            "conversation_id": session,
            "generation_id": "g-1",
            "model": "auto",
            "hook_event_name": name,
            "cursor_version": "2.1.0",
            "workspace_roots": [folder],
            "user_email": None,
        }
    elif host == "opencode":
        payload = {"session_id": session, "cwd": folder}
    else:
        payload = {
            "session_id": session,
            "transcript_path": f"{folder}/transcript.jsonl",
            "cwd": folder,
            "hook_event_name": name,
        }
        if host == "gemini":
            payload["timestamp"] = "2026-11-21T10:00:00Z"
    return {**payload, **_MORE[host].get(event, {}), **more}


def trust_hooks(home: Path) -> None:
    """Write what Codex writes when its user trusts every hook of ours."""
    (config,) = (file for file in TABLE["codex"].files({}) if file.trust)
    records = (
        f"[hooks.state.{json.dumps(key)}]\ntrusted_hash = {json.dumps(digest)}\n"
        for part in config.trust
        for key, _, digest in part.list_records()
    )
    path = home / ".codex" / "config.toml"
    before = path.read_text() if path.exists() else ""
    path.write_text("\n".join([before, "[hooks.state]\n", *records]))


def add_unknown(payload: Mapping[str, object]) -> Payload:
    """The payload of a newer release: fields that nobody has heard of, of every type."""
    return {
        "agent_id": "a-7",
        "novelty": {"deep": [{"er": None}]},
        "numbers": [1, 2.5, -3e300],
        **payload,
        "flag": True,
        "nothing": None,
        "sessionId": 7,
    }


def keep_needed(payload: Mapping[str, object]) -> Payload:
    """The payload of an older release: the session and the prompt, and nothing else."""
    needed = ("session_id", "conversation_id", "prompt")
    return {name: payload[name] for name in needed if name in payload}


def spoil_types(payload: Mapping[str, object]) -> Payload:
    """The payload with every field but the session and the prompt of another type."""
    needed = keep_needed(payload)
    odd: list[object] = [None, 7, [], {}, True, ["a"], {"a": 1}]
    return {name: needed.get(name, odd[place % len(odd)]) for place, name in enumerate(payload)}


def read_answer(host: str, event: str, raw: bytes) -> Answer:
    """What a host takes from a hook's output. Raises AssertionError where it would reject it, or
    where the output holds its agent up."""
    text = raw.decode()
    if not text:
        assert host == "claude-code", f"{host} takes nothing but JSON"
        return Answer()
    assert text[0] == "{", f"not JSON: {text[:80]!r}"
    answer = json.loads(text)
    assert isinstance(answer, dict)
    unknown = answer.keys() - set(_TAKEN[host].get(event, ()))
    assert not unknown, f"{host} does not take {sorted(unknown)} at {event}"
    assert answer.get("continue", True) is True
    assert "decision" not in answer
    _check_strings(answer)
    if "hookSpecificOutput" in answer:
        specific = answer["hookSpecificOutput"]
        assert specific.keys() == {"hookEventName", "additionalContext"}
        assert specific["hookEventName"] == {**NAMES[host], **TOOL_NAMES[host]}[event]
        return Answer(specific["additionalContext"], answer.get("systemMessage", ""))
    context: str = answer.get("additional_context") or answer.get("context", "")
    message: str = answer.get("message") or answer.get("systemMessage", "")
    return Answer(context, message)


def _check_strings(value: object) -> None:
    if isinstance(value, str):
        assert len(value) <= LONGEST
    for inner in value.values() if isinstance(value, dict) else ():
        _check_strings(inner)
