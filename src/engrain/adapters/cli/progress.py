"""Shows on standard error how far a long command is."""

from __future__ import annotations

import sys
from contextlib import AbstractContextManager, nullcontext

from tqdm import tqdm

from engrain.adapters.cli.console import Console
from engrain.seam.derived import Progress


def show_progress(
    console: Console, label: str, unit: str = ""
) -> AbstractContextManager[Progress | None]:
    """Show a bar on standard error for the length of a block, when that is a terminal."""
    if sys.stderr.isatty() and not console.as_json:
        return _ProgressBar(label, unit)
    return nullcontext()


class _ProgressBar:
    def __init__(self, label: str, unit: str) -> None:
        self._bar = tqdm(desc=label, unit=unit, leave=False, dynamic_ncols=True)

    def __enter__(self) -> Progress:
        return self._advance

    def __exit__(self, *_: object) -> None:
        self._bar.close()

    def _advance(self, done: int, total: int | None) -> None:
        self._bar.total = total
        self._bar.update(done - self._bar.n)
