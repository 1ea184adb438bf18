"""`engrain reindex`: rebuild the index from the files."""

from __future__ import annotations

from engrain.adapters.cli.options import Answer, Arguments, Command
from engrain.adapters.present.records import fields
from engrain.api.memory import Memory


def _reindex(memory: Memory, args: Arguments) -> Answer:
    with args.console.progress("indexing") as progress:
        report = memory.reindex(progress)
    left = f", {report.problems} files can't be read (see doctor)" if report.problems else ""
    lines = [f"indexed {report.changed} entries{left}"]
    return fields(report, "seen indexed=changed dropped problems"), lines


COMMAND = Command(_reindex, "$ engrain reindex")
