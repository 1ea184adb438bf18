"""`engrain archive`: archive an entry: a summary stays, the original is in the history."""

from __future__ import annotations

from engrain.adapters.cli.options import (
    ENTRY,
    TRUST,
    Answer,
    Arguments,
    Command,
    open_typed,
    tell_others,
)
from engrain.adapters.present.records import answer_outcome
from engrain.api.memory import Memory


def _archive(memory: Memory, args: Arguments) -> Answer:
    outcome = memory.archive(args.id, args.reason or "")
    tell_others(memory, args, args.id, outcome.id)
    return answer_outcome(outcome)


COMMAND = Command(
    _archive,
    f"""
id=ID         {ENTRY}
--reason WHY  kept in the history
{TRUST}
$ engrain archive old-pooler --reason "the pooler is gone"
$ engrain archive 01k8 --trust operator
""",
    opens=open_typed,
)
