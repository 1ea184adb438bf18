"""Read standard input to its end, since a host may fail on a pipe that nobody reads, but keep only
its head and tail, so that a prompt of megabytes costs no more than one of pages."""

from __future__ import annotations

import os

HEAD = 64 * 1024
"""The number of bytes that are kept of the beginning."""
TAIL = 16 * 1024
"""The number of bytes that are kept of the end of a longer input."""
_CHUNK = 1024 * 1024
_ESCAPE = 6
"""The bytes of the longest escape in JSON."""


def read_input() -> bytes:
    """Return the host's input, b"" from a terminal. If it has more than `HEAD` and `TAIL` bytes,
    its middle is left out."""
    if os.isatty(0):
        return b""
    head = tail = b""
    while chunk := os.read(0, _CHUNK):
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
