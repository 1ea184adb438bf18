"""What hosts take on standard output, as their contracts say; nothing else is ever printed."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import TypeAlias

Shape: TypeAlias = "Callable[[str, str, str], dict[str, object]]"
"""(host's name of the event, context, line for the person) -> the JSON object."""

SESSION_START = "session-start"
PROMPT = "prompt"
STOP = "stop"
PRE_COMPACT = "pre-compact"
SESSION_END = "session-end"
LATE_START = "late-start"
"""A prompt in a session whose start was missed: it gets both."""

MOST_CHARS = 9500
"""Characters of a context: Claude Code cuts at 10,000 and hands over a preview."""


def _specific(name: str, context: str, message: str) -> dict[str, object]:
    specific = {"hookEventName": name, "additionalContext": context}
    return {"systemMessage": message, **({"hookSpecificOutput": specific} if context else {})}


def _cursor_start(_: str, context: str, __: str) -> dict[str, object]:
    return {"additional_context": context}


def _cursor_prompt(_: str, context: str, __: str) -> dict[str, object]:
    return {"continue": True, "additional_context": context}


def _opencode(_: str, context: str, message: str) -> dict[str, object]:
    return {"context": context, "message": message}


CONTEXTS: dict[str, dict[str, tuple[str, Shape]]] = {
    "claude-code": {
        SESSION_START: ("SessionStart", _specific),
        PROMPT: ("UserPromptSubmit", _specific),
    },
    "codex": {SESSION_START: ("SessionStart", _specific), PROMPT: ("UserPromptSubmit", _specific)},
    "gemini": {SESSION_START: ("SessionStart", _specific), PROMPT: ("BeforeAgent", _specific)},
    "cursor": {SESSION_START: ("", _cursor_start), PROMPT: ("", _cursor_prompt)},
    "opencode": {SESSION_START: ("", _opencode), PROMPT: ("", _opencode)},
}
for _events in CONTEXTS.values():
    _events[LATE_START] = _events[PROMPT]
"""By host and event: the host's own name of the event, and the shape in which it takes a context.
Other events take none."""

NOTHING = {"claude-code": "", "cursor": '{"continue": true}'}
"""What is printed where there is no context; for other hosts an empty object, since their output
must be JSON."""


def render(host: str, event: str, context: str, message: str) -> str:
    """What is printed; nothing for a host that is not known."""
    if host not in CONTEXTS:
        return ""
    if (context or (message and host != "cursor")) and event in CONTEXTS[host]:
        import json

        name, shape = CONTEXTS[host][event]
        return json.dumps(shape(name, context, message), ensure_ascii=True) + "\n"
    nothing = NOTHING.get(host, "{}")
    return nothing and nothing + "\n"
