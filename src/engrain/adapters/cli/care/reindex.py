"""`engrain reindex`: rebuild the index from the files."""

from __future__ import annotations

from engrain.adapters.cli.options import Answer, Arguments, Command
from engrain.adapters.cli.progress import show_progress
from engrain.api.memory import Memory


def _reindex(memory: Memory, args: Arguments) -> Answer:
    with show_progress(args.console, "indexing") as progress:
        counts = memory.reindex(progress).counts
    unread = counts["unreadable"]
    left = f", {unread} files can't be read (see doctor)" if unread else ""
    names = {"seen": "seen", "indexed": "changed", "dropped": "dropped", "problems": "unreadable"}
    data = {name: counts[what] for name, what in names.items()}
    return data, [f"indexed {counts['changed']} entries{left}"]


COMMAND = Command(_reindex, "$ engrain reindex")
