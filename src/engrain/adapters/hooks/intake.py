"""Standard input as a host writes it: all of it is taken, since a host may fail on a pipe that
nobody reads, and so much is kept that a prompt of megabytes costs no more than one of pages."""

from __future__ import annotations

import os

HEAD = 64 * 1024
"""Bytes of the beginning that are kept."""
TAIL = 16 * 1024
"""Bytes of the end that are kept of something longer."""
_CHUNK = 1024 * 1024
_ESCAPE = 6
"""Bytes of the longest escape in JSON."""


def read_input() -> bytes:
    """What the host says; nothing where a person sits at a terminal. Of more than `HEAD` and `TAIL`
    bytes the middle is missing."""
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
    return head + tail if len(tail) < TAIL else _cut_end(head) + _cut_beginning(tail)


def _widen_pipe() -> None:
    """Let the host write more at a time: megabytes in pieces of 64 KiB are hundreds of waits."""
    try:
        from fcntl import F_SETPIPE_SZ, fcntl

        fcntl(0, F_SETPIPE_SZ, _CHUNK)
    except (ImportError, OSError):
        return  # it is no pipe, or the system has no such thing


def _cut_end(head: bytes) -> bytes:
    """`head` less an escape that is cut in two at its end."""
    at = head.rfind(b"\\", len(head) - _ESCAPE)
    if at < 0:
        return head
    run = at + 1 - len(head[: at + 1].rstrip(b"\\"))
    whole = _ESCAPE if head[at + 1 : at + 2] == b"u" else 2
    return head[:at] if run % 2 and len(head) - at < whole else head


def _cut_beginning(tail: bytes) -> bytes:
    """`tail` from where a quote is known to be escaped or not."""
    return tail.lstrip(b"\\")[1:]
