"""Read the payloads of all hosts, whose fields differ between hosts and versions."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping

from engrain.language.prompts import prompt_in
from engrain.language.text.fences import strip_private, without_private
from engrain_hook import HEAD, TAIL

# A field of ours -> the names that hosts have for it, the likeliest first.
_NAMES = {
    "session": ("session_id", "conversation_id", "sessionID", "sessionId", "session"),
    "prompt": ("prompt", "user_prompt"),
    "cwd": ("cwd", "directory"),
    "source": ("source", "trigger", "reason"),
    "phase": ("phase",),
    "transcript": ("transcript_path", "transcriptPath"),
}
_ROOTS = "workspace_roots"
_LONGEST = 4096  # characters of a field that is no prompt
_TRANSFORMED = "transformedPrompt"
"""The field of a host that wants its model's text back, with the context in it."""
_ESCAPE = 6
"""The bytes of the longest escape in JSON."""


class Occasion:
    """An event as its host reports it, with "" for missing fields. The prompt has only the words
    of the user."""

    __slots__ = ("cwd", "fields", "phase", "prompt", "session", "source", "transcript")

    def __init__(self, fields: Mapping[str, object]) -> None:
        self.fields = fields
        found = {name: _choose(fields, names) for name, names in _NAMES.items()}
        self.prompt = prompt_in(without_private(found["prompt"]))
        self.session = found["session"][:_LONGEST]
        self.source = found["source"][:_LONGEST]
        self.phase = found["phase"][:_LONGEST]
        self.transcript = found["transcript"][:_LONGEST]
        roots = fields.get(_ROOTS)
        first = roots[0] if isinstance(roots, list) and roots else ""
        self.cwd = found["cwd"][:_LONGEST] or (first if isinstance(first, str) else "")

    def place(self, context: str) -> str:
        """Return the context as the host wants it; "" where what it belongs to is not whole."""
        text = self.fields.get(_TRANSFORMED)
        if not context or not isinstance(text, str):
            return context
        sent = json.dumps([text, self.fields.get("prompt")])
        return f"{text}\n\n{context}" if len(sent) < HEAD - _LONGEST else ""


def join_parts(head: bytes, tail: bytes) -> bytes:
    """Return a payload from what was kept of its beginning and its end."""
    if len(tail) < TAIL:
        return head + tail
    # After the first byte that is no backslash it is certain which quotes are escaped.
    return _cut_end(head) + tail.lstrip(b"\\")[1:]


def _cut_end(head: bytes) -> bytes:
    """Return `head` without an escape that is cut in two at its end."""
    at = head.rfind(b"\\", len(head) - _ESCAPE)
    if at < 0:
        return head
    run = at + 1 - len(head[: at + 1].rstrip(b"\\"))
    whole = _ESCAPE if head[at + 1 : at + 2] == b"u" else 2
    return head[:at] if run % 2 and len(head) - at < whole else head


def read_payload(raw: bytes) -> dict[str, object]:
    """Return the fields of a payload, {} for an empty one. Raises ValueError for no JSON object."""
    text = raw.decode(errors="replace").removeprefix("\ufeff")
    if not text.strip():
        return {}
    if len(raw) > HEAD:  # its middle was left out
        return _read_large(text)
    try:
        fields = json.loads(text, strict=False)
    except RecursionError:
        raise ValueError("nested too deep") from None
    if not isinstance(fields, dict):
        raise ValueError("no JSON object")
    return fields


def _choose(fields: Mapping[str, object], names: tuple[str, ...]) -> str:
    for name in names:
        value = fields.get(name)
        if isinstance(value, str) and value:
            return value
    return ""


def _read_large(text: str) -> dict[str, object]:
    """Return the string fields in the head and the tail of an object whose middle may be missing.

    Within a string every quote is escaped, so a name between two plain quotes is a name.
    """
    fields: dict[str, object] = {}
    for found in re.finditer(r'"(\w+)"\s*:\s*"((?:[^"\\]++|\\.)*+)', text):
        name, value = found.groups()
        if name not in fields:
            # Of a mark, only the end may be left.
            fields[name] = strip_private(_unescape(value), begins_inside=True)
    if not fields:
        raise ValueError("no JSON object")
    return fields


def _unescape(written: str) -> str:
    """Return a JSON string's text; if it is cut off, without its incomplete last escape."""
    for cut in (0, 1, 2, 3, 4, 5):
        try:
            text = json.loads(f'"{written[: len(written) - cut]}"', strict=False)
        except ValueError:
            continue
        return str(text)
    return ""
