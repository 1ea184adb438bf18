"""`engrain reindex`: rebuild the index from the files."""

from __future__ import annotations

import argparse

from engrain.adapters.cli.console import Console
from engrain.adapters.cli.options import (
    Command,
    open_from,
)
from engrain.adapters.present.failures import EXIT_OK
from engrain.adapters.present.records import (
    describe_maintenance,
    envelope,
)


def _no_arguments(_: argparse.ArgumentParser) -> None:
    """It takes nothing of its own."""


def _reindex(args: argparse.Namespace, console: Console) -> int:
    with open_from(args) as memory, console.progress("indexing") as progress:
        report = memory.reindex(progress)
    if console.as_json:
        console.write_json(envelope("reindex", describe_maintenance(report)))
    else:
        left = f", {report.problems} files can't be read (see doctor)" if report.problems else ""
        console.write_lines([f"indexed {report.changed} entries{left}"])
    return EXIT_OK


COMMANDS = {
    "reindex": Command(_no_arguments, _reindex, "engrain reindex"),
}
