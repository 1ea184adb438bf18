"""Keeps a note in the state folder on where a device's chain ends, so that an opener sees without
reading the chain that no change was left unfinished."""

from __future__ import annotations

import errno
import json
import os

from engrain.backends import confined, segments
from engrain.backends.confined import Descriptor

_NOTE = "tail.json"
_FIELDS = ("segment", "size", "n", "hash", "cursor")
_NOTE_BYTES = 256
"""The fixed size of the note, so that a shorter one overwrites all of a longer one."""


def is_finished(root: int, state: str, device: str) -> bool:
    """Whether the device's chain ends as noted, or there is none. Raises OSError."""
    noted = read_note(state, device)
    if noted and segments.ends_at(root, device, noted):
        return True
    return device not in segments.read_heads(root, device)


def read_note(state: str, device: str) -> segments.Tail | None:
    """Return the noted end of the chain, None where the note is missing or damaged. Raises
    OSError."""
    try:
        with Descriptor(os.open(os.path.join(state, _NOTE), os.O_RDONLY | os.O_CLOEXEC)) as file:
            note = json.loads(os.read(file, _NOTE_BYTES))
        if note["device"] != device:
            return None
        return segments.Tail(*(note[name] for name in _FIELDS))
    except OSError as error:
        if not confined.is_gone(error) and error.errno != errno.EISDIR:
            raise
        return None
    except (ValueError, KeyError, TypeError):
        return None


def write_note(state: str, device: str, tail: segments.Tail) -> None:
    """Note the end of the chain; ignore failures."""
    note = {"device": device, **{name: getattr(tail, name) for name in _FIELDS}}
    flags = os.O_WRONLY | os.O_CREAT | os.O_CLOEXEC
    try:
        with Descriptor(os.open(os.path.join(state, _NOTE), flags, 0o600)) as file:
            os.pwrite(file, json.dumps(note).encode().ljust(_NOTE_BYTES), 0)
    except OSError:
        return  # Without the note the next opener reads the chain itself.
