"""`engrain archive`: archive an entry: a summary stays, the original is in the history."""

from __future__ import annotations

from engrain.adapters.cli.answer import Answer, tell_outcome
from engrain.adapters.cli.console import Console
from engrain.adapters.cli.options import ENTRY, Arguments, Command, one_of, open_vault
from engrain.api.memory import Memory
from engrain.model.note.tiers import ORIGINS


def _archive(memory: Memory, args: Arguments, console: Console) -> Answer:
    return tell_outcome(memory.archive(args.id, args.reason or ""), console)


COMMAND = Command(
    _archive,
    f"""
id=ID         {ENTRY}
--reason WHY  kept in the history
--trust {one_of(ORIGINS)}=agent  its origin
$ engrain archive old-pooler --reason "the pooler is gone"
$ engrain archive 01k8 --trust operator
""",
    opens=open_vault,
)
