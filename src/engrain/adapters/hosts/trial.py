"""A hook run as its host would run it: what the host sends, what it takes back, and a limit."""

from __future__ import annotations

import json
import subprocess
import time
from collections.abc import Mapping, Sequence

LIMIT = 10.0
"""Seconds after which a host would give up, too."""

_SENT: Mapping[str, Mapping[str, str]] = {
    "session-start": {"source": "startup"},
    "prompt": {"prompt": "What do we know about this project?"},
    "pre-compact": {"trigger": "manual"},
    "session-end": {"reason": "other"},
}
_COMMON = ("continue", "stopReason", "suppressOutput", "systemMessage")
_TAKEN = {
    "claude-code": (*_COMMON, "decision", "reason", "hookSpecificOutput", "terminalSequence"),
    "codex": (*_COMMON, "decision", "reason", "hookSpecificOutput"),
    "gemini": (*_COMMON, "decision", "reason", "hookSpecificOutput"),
    "cursor": ("continue", "user_message", "additional_context", "env", "followup_message"),
    "opencode": ("context", "message"),
}


def make_payload(host: str, name: str, event: str, session: str, folder: str) -> dict[str, object]:
    """What of that `host` sends at its event `name`, ours being `event`, the hooks read: for a
    session in `folder`."""
    if host == "cursor":
        where: dict[str, object] = {"conversation_id": session, "workspace_roots": [folder]}
    else:
        where = {"session_id": session, "cwd": folder}
    return {**where, "hook_event_name": name, **_SENT.get(event, {})}


def run_hook(
    command: Sequence[str], payload: Mapping[str, object], folder: str, environ: Mapping[str, str]
) -> tuple[subprocess.CompletedProcess[bytes], float]:
    """The process of a hook when it is gone, and the seconds that it took. Raises OSError when it
    can't be run, subprocess.TimeoutExpired after `LIMIT`."""
    begun = time.perf_counter()
    done = subprocess.run(
        command,
        input=json.dumps(payload).encode(),
        capture_output=True,
        check=False,
        cwd=folder,
        env=dict(environ),
        timeout=LIMIT,
    )
    return done, time.perf_counter() - begun


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


def last_said(done: subprocess.CompletedProcess[bytes]) -> str:
    """The last line of what a process said of its failure, "" for nothing."""
    return " ".join(done.stderr.decode(errors="replace").strip().splitlines()[-1:])
