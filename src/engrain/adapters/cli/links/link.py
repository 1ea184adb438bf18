"""`engrain link`: link one entry to another."""

from __future__ import annotations

from engrain.adapters.cli.options import (
    ENTRY,
    Answer,
    Arguments,
    Command,
    one_of,
    open_typed,
    tell_others,
)
from engrain.adapters.present.records import answer_outcome
from engrain.api.memory import Memory
from engrain.model.links.link import RELATIONS


def _link(memory: Memory, args: Arguments) -> Answer:
    outcome = memory.link(args.id, args.to, args.relation, remove=args.remove)
    tell_others(memory, args, args.id, outcome.id)
    return answer_outcome(outcome)


COMMAND = Command(
    _link,
    f"""
id=ID     the entry to change: {ENTRY}
to=TO     the entry it points to, named the same way
--relation {one_of(RELATIONS)}=related_to
--remove  remove the link at both ends
$ engrain link advisory-lock pooler --relation elaborates
$ engrain link round-tax round-total --relation contradicts --remove
""",
    opens=open_typed,
)
