"""Read standard input to its end, since a host may fail on a pipe that nobody reads, but keep only
its head and tail, so that a prompt of megabytes costs no more than one of pages. A host that leaves
the pipe open is not waited for: one complete document is enough."""

from __future__ import annotations

import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import TypeAlias

Wait: TypeAlias = "Callable[[float], bool]"
"""Waits at most some seconds for input or its end, and returns whether one is there."""

HEAD = 64 * 1024
"""The number of bytes that are kept of the beginning."""
TAIL = 16 * 1024
"""The number of bytes that are kept of the end of a longer input."""
_CHUNK = 1024 * 1024
_ESCAPE = 6
"""The bytes of the longest escape in JSON."""
_QUIET = 0.01
"""Seconds without a byte after which what came is checked for a complete document."""
_LONG_QUIET = 0.1
"""The same for an input whose middle was left out, so that it can't be checked."""


def read_input(patience: float) -> bytes:
    """Return the host's input, b"" from a terminal or if nothing comes for `patience` seconds. If
    it has more than `HEAD` and `TAIL` bytes, its middle is left out. Raises TimeoutError if nothing
    more comes of a document for so long."""
    if os.isatty(0):
        return b""
    wait = _make_wait()
    head = tail = b""
    while _has_more(head, tail, patience, wait) and (chunk := os.read(0, _CHUNK)):
        if not tail and len(head) >= HEAD:
            _widen_pipe()
        if len(head) < HEAD:
            head += chunk
            head, chunk = head[:HEAD], head[HEAD:]
        tail = (tail + chunk)[-TAIL:]
    if len(tail) < TAIL:
        return head + tail
    # After the first byte that is no backslash it is certain which quotes are escaped.
    return _cut_end(head) + tail.lstrip(b"\\")[1:]


def _has_more(head: bytes, tail: bytes, patience: float, wait: Wait) -> bool:
    """Wait for the next part or the end of an input, and return whether one is there; if not, what
    came so far is empty or complete. Raises TimeoutError if it is neither."""
    if (tail or head).rstrip().endswith(b"}"):
        if wait(min(patience, _LONG_QUIET if len(tail) == TAIL else _QUIET)):
            return True
        if _is_complete(head, tail):
            return False
    if wait(patience):
        return True
    if head:
        raise TimeoutError("the host's input did not end")
    return False


def _make_wait() -> Wait:
    try:
        from select import POLLIN, poll
    except ImportError:
        return lambda _: True  # this system can't tell: a read waits for the end
    waiting = poll()
    waiting.register(0, POLLIN)
    return lambda seconds: bool(waiting.poll(seconds * 1000))


def _is_complete(head: bytes, tail: bytes) -> bool:
    """Return whether an input that ends with a brace is one whole document, as far as is known."""
    if len(tail) == TAIL:
        return True
    import json

    try:
        json.loads((head + tail).decode(errors="replace").removeprefix("\ufeff"), strict=False)
    except (ValueError, RecursionError):
        return False
    return True


def _widen_pipe() -> None:
    """Enlarge the pipe: a host that writes megabytes by 64 KiB has to wait hundreds of times."""
    try:
        from fcntl import F_SETPIPE_SZ, fcntl

        fcntl(0, F_SETPIPE_SZ, _CHUNK)
    except (ImportError, OSError):
        return  # it is no pipe, or this system can't do that


def _cut_end(head: bytes) -> bytes:
    """Return `head` without an escape that is cut in two at its end."""
    at = head.rfind(b"\\", len(head) - _ESCAPE)
    if at < 0:
        return head
    run = at + 1 - len(head[: at + 1].rstrip(b"\\"))
    whole = _ESCAPE if head[at + 1 : at + 2] == b"u" else 2
    return head[:at] if run % 2 and len(head) - at < whole else head
