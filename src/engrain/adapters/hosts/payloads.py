"""What each host sends to a hook and what it takes back, as documented: for a trial run."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import TypeAlias

Fields: TypeAlias = "dict[str, object]"


_PROMPT = "What do we know about this project?"

_MORE: Mapping[str, Mapping[str, Fields]] = {
    "claude-code": {
        "session-start": {"source": "startup"},
        "prompt": {"prompt": _PROMPT},
        "stop": {"stop_hook_active": False},
        "pre-compact": {"trigger": "manual", "custom_instructions": ""},
        "session-end": {"reason": "other"},
    },
    "codex": {
        "session-start": {"source": "startup", "model": "", "permission_mode": "default"},
        "prompt": {"prompt": _PROMPT, "turn_id": "1"},
        "stop": {"turn_id": "1", "stop_hook_active": False, "last_assistant_message": None},
        "pre-compact": {"trigger": "manual", "turn_id": "1"},
        "session-end": {"reason": "other"},
    },
    "gemini": {
        "session-start": {"source": "startup"},
        "prompt": {"prompt": _PROMPT},
        "stop": {"prompt": _PROMPT, "prompt_response": "", "stop_hook_active": False},
        "session-end": {"reason": "exit"},
    },
    "cursor": {
        "session-start": {},
        "prompt": {"prompt": _PROMPT, "attachments": []},
        "stop": {"status": "completed", "loop_count": 0},
        "pre-compact": {"trigger": "manual"},
        "session-end": {"reason": "completed"},
    },
    "opencode": {
        "session-start": {"source": "startup"},
        "prompt": {"prompt": _PROMPT},
        "stop": {},
        "pre-compact": {},
        "session-end": {},
    },
}

_COMMON = ("continue", "stopReason", "suppressOutput", "systemMessage")
_TAKEN = {
    "claude-code": (*_COMMON, "decision", "reason", "hookSpecificOutput", "terminalSequence"),
    "codex": (*_COMMON, "decision", "reason", "hookSpecificOutput"),
    "gemini": (*_COMMON, "decision", "reason", "hookSpecificOutput"),
    "cursor": ("continue", "user_message", "additional_context", "env", "followup_message"),
    "opencode": ("context", "message"),
}


def make_payload(host: str, name: str, event: str, session: str, folder: str) -> Fields:
    """What `host` sends at its event `name`, ours being `event`, for a session in `folder`."""
    more = _MORE[host].get(event, {})
    if host == "cursor":
        return {
            "conversation_id": session,
            "generation_id": session,
            "hook_event_name": name,
            "cursor_version": "",
            "workspace_roots": [folder],
            **more,
        }
    if host == "opencode":
        return {"session_id": session, "cwd": folder, **more}
    return {
        "session_id": session,
        "transcript_path": None if host == "codex" else "",
        "cwd": folder,
        "hook_event_name": name,
        **more,
    }


def find_fault(host: str, name: str, output: bytes) -> str | None:
    """Why `host` would not take this output at its event `name`; None when it would."""
    if not output.strip():
        return None
    try:
        answer = json.loads(output)
    except ValueError:
        return "its output is not JSON"
    if not isinstance(answer, dict):
        return "its output is no JSON object"
    if unknown := [key for key in answer if key not in _TAKEN[host]]:
        return f"its output has {', '.join(sorted(unknown))}, which {host} does not know"
    specific = answer.get("hookSpecificOutput")
    if specific is None:
        return None
    if not isinstance(specific, dict) or specific.get("hookEventName") not in (None, name):
        return f"its output is not for {name}"
    return None
