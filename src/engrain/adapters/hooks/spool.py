"""The spool: events that no bridge took, as files of one folder of the state, in their order.

A hook writes an event and leaves; `intake` carries it out.
"""

from __future__ import annotations

import json
import os
import stat
import time
from collections.abc import Mapping
from contextlib import suppress
from typing import Any

from engrain.adapters.hooks.waiting import FOLDER
from engrain_hook import MOMENTS, PASSED, check_own

ENDING = ".json"
GIVEN_UP = "given-up"
"""The file that has a byte for each event that was given up since the last look."""
_MOST = 200
"""The most events; the oldest are given up for more."""
LONGEST = 16 * 1024
"""The most bytes of an event."""
_KEPT = (
    "session_id", "conversation_id", "sessionID", "sessionId", "session", "cwd", "directory",
    "phase", "prompt", "source", "trigger", "reason", "transcript_path", "workspace_roots",
)  # fmt: skip
"""The fields of a payload that are needed later."""
TOOL, TOOL_FAILED, SUBAGENT = MOMENTS
"""The events within a turn: an answer that comes later is of no use, so none is stored."""
_SILENT = {"claude-code": "", "cursor": '{"continue": true}\n'}
"""The output without a context; for other hosts an empty object, since theirs must be JSON."""
_NAME = 64


def silent(host: str) -> str:
    """Return the output for a host without a context."""
    return _SILENT.get(host, "{}\n")


def spool_event(state_dir: str, event: str, host: str, parts: tuple[bytes, bytes]) -> bytes:
    """Store an event, unless it is one within a turn, and return the output for its host. Raises
    OSError if the folder can't be used or is not only this user's, ValueError for an event that
    can't be stored whole."""
    if event in MOMENTS:
        return silent(host).encode()
    raw = b"".join(parts)
    fields = json.loads(raw.decode("utf-8-sig", "replace"), strict=False) if raw.strip() else {}
    if not isinstance(fields, dict):
        raise ValueError("no JSON object")
    store(state_dir, event, host, {**fields, "prompt": ""})
    return silent(host).encode()


def store(
    state_dir: str,
    event: str,
    host: str,
    fields: Mapping[str, Any],
    folder: str = "",
    environ: Mapping[str, str] = os.environ,
) -> None:
    """Store an event of now of a hook that ran in `folder`. Raises as `spool_event` does."""
    payload = {name: fields[name] for name in _KEPT if fields.get(name)}
    record = {
        "at": time.time(),
        "event": event,
        "host": host,
        "cwd": folder or os.getcwd(),
        "environ": {name: it for name, it in environ.items() if name.startswith(PASSED)},
        "payload": payload,
    }
    text = json.dumps(record)
    if len(text) > LONGEST:
        raise ValueError("too long for the spool")
    folder = os.path.join(state_dir, FOLDER)
    os.makedirs(folder, mode=0o700, exist_ok=True)
    check_own(folder, stat.S_ISDIR)
    kept = list_events(folder)
    for name in kept[: max(0, len(kept) + 1 - _MOST)]:
        with suppress(FileNotFoundError):  # another hook was faster
            os.unlink(os.path.join(folder, name))
            _append(os.path.join(folder, GIVEN_UP), ".")
    session = next((str(value) for name, value in payload.items() if name in _KEPT[:5]), "")
    plain = "".join(letter for letter in session if letter.isalnum() or letter == "-")[:_NAME]
    path = os.path.join(folder, f"{time.time_ns():020d}-{plain}-{os.getpid()}")
    file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(file, "w") as out:
        out.write(text)
    os.rename(path, path + ENDING)


def _append(path: str, text: str) -> None:
    file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_NOFOLLOW, 0o600)
    with os.fdopen(file, "w") as out:
        out.write(text)


def list_events(folder: str) -> list[str]:
    """Return the names of the files of whole events, the oldest first. Raises OSError."""
    return sorted(name for name in os.listdir(folder) if name.endswith(ENDING))
