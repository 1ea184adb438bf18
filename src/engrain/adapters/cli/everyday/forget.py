"""`engrain forget`: mark an entry as deleted: the file stays, recall skips it."""

from __future__ import annotations

from engrain.adapters.cli.options import ENTRY, Answer, Arguments, Command
from engrain.adapters.present.records import answer_outcome
from engrain.api.memory import Memory


def _forget(memory: Memory, args: Arguments) -> Answer:
    return answer_outcome(memory.forget(args.id, args.reason or ""))


COMMAND = Command(
    _forget,
    f"""
id=ID         {ENTRY}
--reason WHY  kept in the history
$ engrain forget 01k8 --reason "was about the old service"
""",
)
