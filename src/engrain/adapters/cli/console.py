"""Standard streams: output that suits a terminal, a pipe or a program."""

from __future__ import annotations

import io
import json
import os
import re
import sys
from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING

from engrain.adapters.present.records import envelope
from engrain.adapters.present.text import CODES, clean, unstyle
from engrain.model.errors import StorageError

if TYPE_CHECKING:
    from engrain.seam.derived import Progress


class OutputError(StorageError):
    """Standard output does not take the answer; what was asked for has been done."""


class Console:
    """Writes answers to standard output and everything else to standard error."""

    def __init__(self, as_json: bool) -> None:
        self.as_json = as_json
        plain = bool(os.environ.get("NO_COLOR")) or os.environ.get("TERM") == "dumb"
        self._colour = sys.stdout.isatty() and not plain
        if isinstance(sys.stdout, io.TextIOWrapper):
            # A name that is not UTF-8, or a locale without some letter, must not stop an answer.
            sys.stdout.reconfigure(errors="backslashreplace")

    def answer(self, command: str, data: Mapping[str, object], lines: Iterable[str]) -> int:
        """Write what a command came to, as JSON for a program or lines for a person; returns 0."""
        if self.as_json:
            self.write_json(envelope(command, data))
        else:
            self.write_lines(lines)
        return 0

    def write_lines(self, lines: Iterable[str]) -> None:
        for line in lines:
            _deliver(sys.stdout.write, self._tame(line) + "\n")

    def write_json(self, value: object) -> None:
        # Every character escaped that a terminal or a line reader could take for more than text.
        _deliver(sys.stdout.write, json.dumps(value, ensure_ascii=True) + "\n")

    def write_bytes(self, raw: bytes) -> None:
        self.flush()
        _deliver(sys.stdout.buffer.write, raw)

    def write_error(self, line: str) -> None:
        try:
            sys.stdout.flush()  # What was said before comes before.
        except OSError:
            self.drop()
        sys.stderr.write(clean(unstyle(line)) + "\n")

    def drop(self) -> None:
        """Let what is still buffered go nowhere, or the interpreter fails on it when it leaves."""
        null = os.open(os.devnull, os.O_WRONLY)
        os.dup2(null, sys.stdout.fileno())
        os.close(null)

    def flush(self) -> None:
        """Hand everything written so far to whoever reads. Raises OutputError, BrokenPipeError."""
        _deliver(sys.stdout.flush)

    def _tame(self, line: str) -> str:
        """Return `line` without control characters; our colours stay where they are wanted."""
        if not self._colour:
            return clean(unstyle(line))
        parts = re.split(f"({'|'.join(map(re.escape, CODES))})", line)
        return "".join(part if number % 2 else clean(part) for number, part in enumerate(parts))


def counting(progress: Progress | None) -> Callable[[int], None]:
    """Return a function that tells a progress bar a count whose end is not known."""
    return (lambda count: progress(count, None)) if progress else (lambda _: None)


def _deliver(send: Callable[..., object], *what: object) -> None:
    """Write to standard output, or flush it. Raises BrokenPipeError, OutputError."""
    try:
        send(*what)
    except BrokenPipeError:
        raise
    except OSError as error:
        message = f"the answer can't be written: {error.strerror}"
        raise OutputError(message, path="standard output") from None
