"""A terminal for a client's own screen: what it shows, as text, and keys for it."""

from __future__ import annotations

import fcntl
import os
import pty
import re
import select
import signal
import struct
import subprocess
import termios
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

_AGAIN = 3.0
"""Seconds after which keys are typed again."""
ENTER, DOWN, CONTROL_C = "\r", "\x1b[B", "\x03"
_ATTEMPTS = 5
_SETTLING = 2.0
"""Seconds after a program has shown its first words until it takes keys: Codex ends if it is still
discarding what was typed before, for which it allows itself a second."""
_ROWS, _COLUMNS = 50, 180
_ESCAPE = re.compile(
    rb"\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)|\x1b[PX^_].*?\x1b\\|\x1b\[[0-9;:?<=>]*[ -/]*[@-~]|\x1b.",
    re.DOTALL,
)
_ASKED = ((b"\x1b[6n", b"\x1b[1;1R"), (b"\x1b[c", b"\x1b[?1;2c"), (b"\x1b[0c", b"\x1b[?1;2c"))
"""What a program asks of a terminal and waits for, and the answer."""


class Terminal:
    """A program on a terminal of its own. Leaving the block ends it."""

    def __init__(self, argv: Sequence[str], folder: Path, environ: Mapping[str, str]) -> None:
        self._raw = b""
        self._seen = 0
        self._fd, self._other = pty.openpty()
        size = struct.pack("HHHH", _ROWS, _COLUMNS, 0, 0)
        fcntl.ioctl(self._fd, termios.TIOCSWINSZ, size)
        # The first terminal that the leader of a session opens is the one that it is on.
        opening = ["/bin/sh", "-c", 'exec "$@" <"$0" >"$0" 2>&1', os.ttyname(self._other)]
        self._process = subprocess.Popen(
            [*opening, *argv],
            stdin=subprocess.DEVNULL,
            cwd=folder,
            env=dict(environ),
            start_new_session=True,
        )

    def __enter__(self) -> Terminal:
        return self

    def __exit__(self, *_: object) -> None:
        for sign in (signal.SIGHUP, signal.SIGTERM, signal.SIGKILL):
            self._wait(3.0)
            if self._process.poll() is not None:
                break
            self._process.send_signal(sign)
        self._process.wait(10)
        os.close(self._fd)
        os.close(self._other)

    @property
    def text(self) -> str:
        """All that was shown since the last `forget`, without escapes and spaces: programs move
        the cursor instead of writing blanks."""
        shown = _ESCAPE.sub(b"", self._raw[self._seen :]).decode(errors="replace")
        return "".join(shown.split())

    def forget(self) -> None:
        """Look from now on only at what is shown from now on."""
        self._seen = len(self._raw)

    def wait_for(self, words: str, keys: str = "", seconds: float = 60.0) -> None:
        """Wait until these words are shown, and type these keys every few seconds until then: a
        dialog takes none in its first moment. Raises TimeoutError with what is shown instead."""
        wanted = "".join(words.split())
        self.wait_until(lambda: wanted in self.text, keys, seconds)

    def wait_until(self, done: Callable[[], bool], keys: str = "", seconds: float = 60.0) -> None:
        """As `wait_for`, until `done`."""
        until = time.monotonic() + seconds
        again = time.monotonic()
        while not done():
            if keys and time.monotonic() > again:
                self.type(keys)
                again = time.monotonic() + _AGAIN
            if time.monotonic() > until or not self._read(0.2):
                raise TimeoutError(f"shown instead: {self.text[-3000:]!r}")

    def type(self, keys: str) -> None:
        """Type these keys: `\\r` is Enter."""
        os.write(self._fd, keys.encode())

    def rest(self, seconds: float) -> None:
        """Read on for a while, as a person who looks."""
        until = time.monotonic() + seconds
        while time.monotonic() < until and self._read(0.1):
            pass

    def settle(self) -> None:
        """Type nothing until the program takes keys. Raises TimeoutError if it has ended."""
        self.rest(_SETTLING)
        if self._process.poll() is not None:
            raise TimeoutError(f"ended, having shown: {self.text[-3000:]!r}")

    def _read(self, seconds: float) -> bool:
        """Take what is shown within this time; False when the program is gone."""
        if not select.select([self._fd], [], [], seconds)[0]:
            return self._process.poll() is None
        raw = os.read(self._fd, 65536)
        self._raw += raw
        for asked, answer in _ASKED:
            for _ in range(raw.count(asked)):
                os.write(self._fd, answer)
        return True

    def _wait(self, seconds: float) -> None:
        """Read on until the program ends, or this time is over."""
        until = time.monotonic() + seconds
        while time.monotonic() < until and self._read(0.05):
            pass


@contextmanager
def showing(
    words: str, argv: Sequence[str], folder: Path, environ: Mapping[str, str]
) -> Iterator[Terminal]:
    """A terminal on which a program shows these words and takes keys. One that gives up at its
    start is started again: on a busy machine Codex fails now and then at discarding old keys."""
    for attempt in range(_ATTEMPTS):
        with Terminal(argv, folder, environ) as terminal:
            try:
                terminal.wait_for(words)
                terminal.settle()
            except TimeoutError:
                if attempt + 1 == _ATTEMPTS:
                    raise
                continue
            yield terminal
            return
