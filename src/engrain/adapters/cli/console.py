"""Standard streams: output that suits a terminal, a pipe or a program."""

from __future__ import annotations

import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from engrain.seam.derived import Progress

_COLOURS = {"title": "1", "dim": "2", "warning": "33", "good": "32", "bad": "31"}


class Console:
    """Writes answers to standard output and everything else to standard error."""

    def __init__(self, as_json: bool) -> None:
        self.as_json = as_json
        plain = bool(os.environ.get("NO_COLOR")) or os.environ.get("TERM") == "dumb"
        self._colour = sys.stdout.isatty() and not plain

    def style(self, what: str, text: str) -> str:
        """`text` in the colour of `what`, on a terminal that wants colour."""
        return f"\x1b[{_COLOURS[what]}m{text}\x1b[0m" if self._colour else text

    def write_lines(self, lines: Iterable[str]) -> None:
        for line in lines:
            sys.stdout.write(line + "\n")

    def write_json(self, value: object) -> None:
        import json

        # Every character escaped that a terminal or a line reader could take for more than text.
        sys.stdout.write(json.dumps(value, ensure_ascii=True) + "\n")

    def write_bytes(self, raw: bytes) -> None:
        sys.stdout.buffer.write(raw)

    def write_error(self, line: str) -> None:
        sys.stderr.write(line + "\n")

    def read_input(self) -> str:
        """Standard input as text."""
        return sys.stdin.buffer.read().decode(errors="strict")

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
