"""`engrain redo`: take the last undo back."""

from __future__ import annotations

from engrain.adapters.cli.everyday.undo import describe_undone, undone_lines
from engrain.adapters.cli.options import Answer, Arguments, Command
from engrain.api.memory import Memory


def _redo(memory: Memory, args: Arguments) -> Answer:
    redone = memory.redo(args.reason or "")
    return describe_undone(redone), undone_lines(redone, "redid")


COMMAND = Command(
    _redo,
    """
--reason WHY  kept in the history
$ engrain redo
$ engrain redo --reason "it was right" --json
""",
)
