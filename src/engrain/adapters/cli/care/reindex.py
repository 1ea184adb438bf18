"""`engrain reindex`: rebuild the index from the files."""

from __future__ import annotations

from engrain.adapters.cli.answer import Answer
from engrain.adapters.cli.console import Console
from engrain.adapters.cli.options import Arguments, Command, open_from
from engrain.adapters.present.records import fields


def _reindex(args: Arguments, console: Console) -> Answer:
    with open_from(args) as memory, console.progress("indexing") as progress:
        report = memory.reindex(progress)
    left = f", {report.problems} files can't be read (see doctor)" if report.problems else ""
    lines = [f"indexed {report.changed} entries{left}"]
    return fields(report, "seen indexed=changed dropped problems"), lines


COMMAND = Command(_reindex, "$ engrain reindex")
