"""The output of hooks in the format of each host; nothing else is ever printed."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import TypeAlias

from engrain.adapters.hooks.spool import SUBAGENT, TOOL, TOOL_FAILED, silent
from engrain_hook import BUDGETS as BUDGETS

Shape: TypeAlias = Callable[[str, str, str], dict[str, object]]
"""(host's name of the event, context, line for the person) -> the JSON object."""

SESSION_START = "session-start"
PROMPT = "prompt"
STOP = "stop"
PRE_COMPACT = "pre-compact"
SESSION_END = "session-end"
LATE_START = "late-start"
"""A prompt in a session whose start was missed: it gets the answers of both."""

MISSED = "missed-starts"
"""The folder of the state that has a file for each session whose start was missed."""
TIMES = "hooks.times"
"""The file of the state with a line for each answered event: time, event, host, milliseconds, and 1
if a server answered, else 0. An older one has the ending `.1`."""

MOST_CHARS = 9500
"""The most characters of a context: Claude Code replaces more than 10,000 by a preview."""


def _specific(name: str, context: str, message: str) -> dict[str, object]:
    specific = {"hookEventName": name, "additionalContext": context}
    return {"systemMessage": message, **({"hookSpecificOutput": specific} if context else {})}


def _plugin(_: str, context: str, message: str) -> dict[str, object]:
    return {"context": context, "message": message}


def _copilot(_: str, context: str, __: str) -> dict[str, object]:
    return {"additionalContext": context}


_CLAUDE: dict[str, tuple[str, Shape]] = {
    SESSION_START: ("SessionStart", _specific),
    PROMPT: ("UserPromptSubmit", _specific),
    TOOL: ("PostToolUse", _specific),
    TOOL_FAILED: ("PostToolUseFailure", _specific),
    SUBAGENT: ("SubagentStart", _specific),
}
CONTEXTS: dict[str, dict[str, tuple[str, Shape]]] = {
    "claude-code": {**_CLAUDE},
    "qwen": {**_CLAUDE},
    "copilot": {
        **dict.fromkeys((SESSION_START, TOOL, TOOL_FAILED, SUBAGENT), ("", _copilot)),
        PROMPT: ("", lambda _, context, __: {"modifiedTransformedPrompt": context}),
    },
    "codex": {
        SESSION_START: ("SessionStart", _specific),
        PROMPT: ("UserPromptSubmit", _specific),
        TOOL: ("PostToolUse", _specific),
        SUBAGENT: ("SubagentStart", _specific),
    },
    "gemini": {
        SESSION_START: ("SessionStart", _specific),
        PROMPT: ("BeforeAgent", _specific),
        TOOL: ("AfterTool", _specific),
    },
    "cursor": {
        SESSION_START: ("", lambda _, context, __: {"additional_context": context}),
        PROMPT: ("", lambda _, context, __: {"continue": True, "additional_context": context}),
    },
    **{host: dict.fromkeys(_CLAUDE, ("", _plugin)) for host in ("opencode", "pi")},
}
WRITING = "opencode"
"""The host whose transcripts our plugin writes."""
_WITHOUT_LINE = ("cursor", "copilot")
"""Hosts that show no line of a hook to their user."""
for _events in CONTEXTS.values():
    _events[LATE_START] = _events[PROMPT]
"""By host and event: the host's name of the event, and the shape of a context there. Other events
take no context."""


def render(host: str, event: str, context: str, message: str, *, learns: bool = False) -> str:
    """Return the output for a host, "" for an unknown one; to a host that `learns` it says so where
    its plugin writes the transcripts."""
    if host not in CONTEXTS:
        return ""
    if learns and host == WRITING:
        return json.dumps({**_plugin("", context, message), "learns": True}) + "\n"
    if (context or (message and host not in _WITHOUT_LINE)) and event in CONTEXTS[host]:
        name, shape = CONTEXTS[host][event]
        return json.dumps(shape(name, context, message), ensure_ascii=True) + "\n"
    return silent(host)
