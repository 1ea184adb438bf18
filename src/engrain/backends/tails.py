"""Where a device's chain ends, noted beside its state: with the note nobody need look at the chain
to see that no change was left unfinished."""

from __future__ import annotations

import json
import os

from engrain.backends import segments
from engrain.backends.confined import Descriptor

_NOTE = "tail.json"
_FIELDS = ("segment", "size", "n", "hash", "cursor")
_NOTE_BYTES = 256
"""The note has a fixed width, so that rewriting it never leaves the end of a longer one."""


def is_finished(root: int, state: str, device: str) -> bool:
    """Whether the device has no chain that can be read, or one that ends where the note says.
    Raises OSError."""
    noted = read_note(state, device)
    if noted and segments.ends_at(root, device, noted):
        return True
    return device not in segments.read_heads(root, device)


def read_note(state: str, device: str) -> segments.Tail | None:
    """The end of the chain as noted; None where nothing sound is."""
    try:
        with Descriptor(os.open(os.path.join(state, _NOTE), os.O_RDONLY | os.O_CLOEXEC)) as file:
            note = json.loads(os.read(file, _NOTE_BYTES))
        if note["device"] != device:
            return None
        return segments.Tail(*(note[name] for name in _FIELDS))
    except (OSError, ValueError, KeyError, TypeError):
        return None


def write_note(state: str, device: str, tail: segments.Tail) -> None:
    """Note the end of the chain, where that can be done."""
    note = {"device": device, **{name: getattr(tail, name) for name in _FIELDS}}
    flags = os.O_WRONLY | os.O_CREAT | os.O_CLOEXEC
    try:
        with Descriptor(os.open(os.path.join(state, _NOTE), flags, 0o600)) as file:
            os.pwrite(file, json.dumps(note).encode().ljust(_NOTE_BYTES), 0)
    except OSError:
        return  # Without the note the next opener looks at the tail itself.
