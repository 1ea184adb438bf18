"""Where a device's chain ends, noted beside its state: with the note nobody need look at the chain
to see that no change was left unfinished."""

from __future__ import annotations

import json
import os

from engrain.backends import segments

_NOTE = "tail.json"
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
        with open(os.path.join(state, _NOTE), "rb") as file:  # noqa: PTH123
            note = json.loads(file.read(_NOTE_BYTES))
        if note["device"] != device:
            return None
        return segments.Tail(note["segment"], note["size"], note["n"], note["hash"], note["cursor"])
    except (OSError, ValueError, KeyError, TypeError):
        return None


def write_note(state: str, device: str, tail: segments.Tail) -> None:
    """Note the end of the chain, where that can be done."""
    note = {
        "device": device,
        "segment": tail.segment,
        "size": tail.size,
        "n": tail.n,
        "hash": tail.hash,
        "cursor": tail.cursor,
    }
    try:
        file = os.open(os.path.join(state, _NOTE), os.O_WRONLY | os.O_CREAT | os.O_CLOEXEC, 0o600)
    except OSError:
        return  # Without the note the next opener looks at the tail itself.
    try:
        os.pwrite(file, json.dumps(note).encode().ljust(_NOTE_BYTES), 0)
    except OSError:
        pass
    finally:
        os.close(file)
