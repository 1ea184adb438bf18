"""Standard input as a host writes it: all of it is taken, since a host may fail on a pipe that
nobody reads, and so much is kept that a prompt of megabytes costs no more than one of pages."""

from __future__ import annotations

import os

HEAD = 256 * 1024
"""Bytes of the beginning that are kept."""
TAIL = 64 * 1024
"""Bytes of the end that are kept of something longer."""
_CHUNK = 1024 * 1024


def read_input() -> bytes:
    """What the host says; nothing where a person sits at a terminal. Of more than `HEAD` and `TAIL`
    bytes the middle is missing."""
    if os.isatty(0):
        return b""
    head = tail = b""
    while chunk := os.read(0, _CHUNK):
        if len(head) < HEAD:
            head += chunk
            head, chunk = head[:HEAD], head[HEAD:]
        tail = (tail + chunk)[-TAIL:]
    return head + tail
