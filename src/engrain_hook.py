"""Door one of the hooks: ask the bridge of this device, print its answer, end with exit code 0.

Without a bridge `adapters.hooks.main` answers prompts and starts, and `spool` stores the rest.
"""

import gc
import os
import select
import signal
import socket
import stat
import sys
import time
from collections.abc import Callable
from contextlib import suppress

BUDGETS = {"session-start": 0.5, "prompt": 0.3, "stop": 2.0, "pre-compact": 1.0, "session-end": 1.0,
           "tool": 0.2, "tool-failed": 0.2, "subagent": 0.3}  # fmt: skip
MOMENTS = ("tool", "tool-failed", "subagent")  # within a turn: a late answer is of no use
BEFORE, BEHIND, MOST_INPUT = 0.03, 0.02, 0.5  # seconds before this file, to print, to read
HEAD, TAIL, CHUNK = 1 << 16, 1 << 14, 1 << 20  # bytes kept of the input; bytes of a read
SHARE, QUIET, LONG_QUIET = 0.5, 0.01, 0.1  # of the time left; seconds until a document is complete
PASSED = ("ENGRAIN_", "XDG_", "CLAUDE_PROJECT_DIR", "GEMINI_PROJECT_DIR", "CURSOR_PROJECT_DIR")


def main(place: str, state: str) -> None:
    """Answer the event in `sys.argv`; `place` is the bridge's socket, `state` the state folder."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the host
    started, parts, on = time.monotonic() - BEFORE, None, os.environ.get("ENGRAIN_MEMORY") != "off"
    with suppress(Exception):  # door two does the work, or logs the reason
        event, option, host = sys.argv[2:]
        if option == "--host" and os.environ.get("ENGRAIN_STATE_DIR", state) == state and on:
            until = started + BUDGETS[event] * measure_stretch(event) - BEHIND
            far = event not in MOMENTS and os.path.isdir(f"{state}/remote")
            alone = event in ("session-start", "prompt") or far
            parts = read_event(min(MOST_INPUT, (until - time.monotonic()) * SHARE))
            limit = time.monotonic() + (until - time.monotonic()) * (SHARE if alone else 1.0)
            printed = ask(place, [event, host, repr(started)], limit, parts)
            if printed is None and not alone:
                from engrain.adapters.hooks.spool import spool_event

                printed = spool_event(state, event, host, parts)
            if printed is not None:
                os.write(1, printed)
                os._exit(0)
    gc.disable()  # so short a process has nothing to collect
    from engrain.adapters.hooks.main import run

    run(sys.argv[2:], started, parts)


def measure_stretch(event: str) -> float:
    """Return 2 where more processes want the processor than it has cores, else 1."""
    busy = hasattr(os, "getloadavg") and os.getloadavg()[0] > (os.cpu_count() or 1)
    return 2.0 if busy and event != "session-end" else 1.0  # then no host waits longer


def read_event(patience: float) -> tuple[bytes, bytes]:
    """Read the host's input. Raises TimeoutError if it stops within a document for `patience`."""
    head = tail = b""
    while not os.isatty(0):
        gap, ends = len(tail) == TAIL, (tail or head).rstrip().endswith(b"}")
        quiet = ends and not select.select([0], [], [], LONG_QUIET if gap else QUIET)[0]
        if quiet and (gap or _is_document(head + tail)):
            break
        ready = select.select([0], [], [], patience)[0]
        if head and not ready:
            raise TimeoutError("the host's input did not end")
        if not ready or not (chunk := os.read(0, CHUNK)):
            break
        room = HEAD - len(head)
        head, tail = head + chunk[:room], (tail + chunk[room:])[-TAIL:]
    return head, tail


def _is_document(raw: bytes) -> bool:
    import json

    try:
        return json.loads(raw.decode("utf-8-sig", "replace"), strict=False) is not None
    except (ValueError, RecursionError):
        return False


def check_own(path: str, kind: Callable[[int], bool]) -> None:
    """Raise OSError if a file is of another kind, a link, or open to others than this user."""
    found = os.lstat(path)
    private = not hasattr(os, "getuid") or (found.st_uid == os.getuid() and not found.st_mode & 63)
    if not private or not kind(found.st_mode):
        raise PermissionError(f"{path} is not only this user's")


def connect(place: str, limit: float) -> socket.socket:
    """Connect to the bridge of this user at `place`. Raises OSError."""
    check_own(os.path.dirname(place), stat.S_ISDIR)
    check_own(place, stat.S_ISSOCK)
    connection = socket.socket(socket.AF_UNIX)
    connection.settimeout(max(0.001, limit - time.monotonic()))
    connection.connect(place)
    return connection


def ask(place: str, words: list[str], limit: float, parts: tuple[bytes, bytes],
        connect: Callable[[str, float], socket.socket] = connect) -> bytes | None:  # fmt: skip
    """Return the output of the bridge at `place`, None if it is not whole until `limit`."""
    try:
        around = [f"{name}={text}" for name, text in os.environ.items() if name.startswith(PASSED)]
        values = [*words, repr(limit - BEHIND), os.getcwd(), str(len(parts[0])), str(len(around))]
        message = "".join(f"{value}\0" for value in (*values, *around))
        with connect(place, limit) as connection:
            connection.sendall(message.encode(errors="surrogateescape") + b"".join(parts))
            connection.shutdown(socket.SHUT_WR)
            received = b""
            while time.monotonic() < limit and (part := connection.recv(CHUNK)):
                received += part
                connection.settimeout(max(0.001, limit - time.monotonic()))
    except (OSError, ValueError):
        return None
    size, _, printed = received.partition(b"\n")
    return printed if size == b"%d" % len(printed) else None
