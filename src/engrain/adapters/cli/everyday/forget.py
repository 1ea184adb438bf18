"""`engrain forget`: mark an entry as deleted: the file stays, recall skips it."""

from __future__ import annotations

from engrain.adapters.cli.answer import Answer, tell_outcome
from engrain.adapters.cli.console import Console
from engrain.adapters.cli.options import ENTRY, Arguments, Command, open_vault
from engrain.api.memory import Memory


def _forget(memory: Memory, args: Arguments, console: Console) -> Answer:
    return tell_outcome(memory.forget(args.id, args.reason or ""), console)


COMMAND = Command(
    _forget,
    f"""
id=ID         {ENTRY}
--reason WHY  kept in the history
$ engrain forget 01k8 --reason "was about the old service"
""",
    opens=open_vault,
)
