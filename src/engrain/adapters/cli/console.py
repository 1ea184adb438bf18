"""Standard streams: output that suits a terminal, a pipe or a program."""

from __future__ import annotations

import io
import os
import sys

from engrain.adapters.present.text import clean
from engrain.model.errors import StorageError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from engrain.seam.derived import Progress

_COLOURS = {"title": "1", "dim": "2", "warning": "33", "good": "32", "bad": "31"}


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

    def style(self, what: str, text: str) -> str:
        """`text` in the colour of `what`, on a terminal that wants colour."""
        return f"\x1b[{_COLOURS[what]}m{text}\x1b[0m" if self._colour else text

    def answer(self, command: str, data: Mapping[str, object], lines: Iterable[str]) -> int:
        """Write what a command came to, as JSON for a program or lines for a person; returns 0."""
        from engrain.adapters.present.failures import EXIT_OK
        from engrain.adapters.present.records import envelope

        if self.as_json:
            self.write_json(envelope(command, data))
        else:
            self.write_lines(lines)
        return EXIT_OK

    def write_lines(self, lines: Iterable[str]) -> None:
        for line in lines:
            self._write(self._tame(line) + "\n")

    def write_json(self, value: object) -> None:
        import json

        # Every character escaped that a terminal or a line reader could take for more than text.
        self._write(json.dumps(value, ensure_ascii=True) + "\n")

    def write_bytes(self, raw: bytes) -> None:
        self.flush()
        try:
            sys.stdout.buffer.write(raw)
        except OSError as error:
            raise _undeliverable(error) from None

    def write_error(self, line: str) -> None:
        try:
            sys.stdout.flush()  # What was said before comes before.
        except OSError:
            self.drop()
        sys.stderr.write(clean(line) + "\n")

    def drop(self) -> None:
        """Let what is still buffered go nowhere, or the interpreter fails on it when it leaves."""
        null = os.open(os.devnull, os.O_WRONLY)
        os.dup2(null, sys.stdout.fileno())
        os.close(null)

    def flush(self) -> None:
        """Hand everything written so far to whoever reads. Raises OutputError, BrokenPipeError."""
        try:
            sys.stdout.flush()
        except OSError as error:
            raise _undeliverable(error) from None

    def read_input(self) -> str:
        """Standard input as text."""
        return sys.stdin.buffer.read().decode(errors="strict")

    def _write(self, text: str) -> None:
        try:
            sys.stdout.write(text)
        except OSError as error:
            raise _undeliverable(error) from None

    def _tame(self, line: str) -> str:
        """`line` without control characters, whoever they came from; our colours stay."""
        if not self._colour:
            return clean(line)
        import re

        codes = "|".join(("0", *_COLOURS.values()))
        parts = re.split(rf"(\x1b\[(?:{codes})m)", line)
        return "".join(part if number % 2 else clean(part) for number, part in enumerate(parts))

    def progress(self, label: str) -> ProgressBar:
        """A bar on standard error, when that is a terminal."""
        return ProgressBar(label, sys.stderr.isatty() and not self.as_json)


class ProgressBar:
    """A progress bar for the length of a block; silent where no one watches."""

    def __init__(self, label: str, shown: bool) -> None:
        self._label = label
        self._shown = shown

    def __enter__(self) -> Progress | None:
        if not self._shown:
            self._bar = None
            return None
        from tqdm import tqdm

        self._bar = tqdm(desc=self._label, unit="", leave=False, dynamic_ncols=True)
        return self._advance

    def __exit__(self, *_: object) -> None:
        if self._bar is not None:
            self._bar.close()

    def _advance(self, done: int, total: int | None) -> None:
        if self._bar is not None:
            self._bar.total = total
            self._bar.update(done - self._bar.n)


def _undeliverable(error: OSError) -> OSError | OutputError:
    if isinstance(error, BrokenPipeError):
        return error
    return OutputError(f"the answer can't be written: {error.strerror}", path="standard output")
