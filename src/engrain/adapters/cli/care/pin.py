"""`engrain pin`: load an entry in every session, even if it is rarely used."""

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


def _pin(memory: Memory, args: Arguments) -> Answer:
    outcome = memory.pin(args.id, not args.off, args.reason or "")
    tell_others(memory, args, args.id, outcome.id)
    return answer_outcome(outcome)


COMMAND = Command(
    _pin,
    f"""
id=ID         {ENTRY}
--reason WHY  kept in the history
{TRUST}
--off         unpin it
$ engrain pin release-steps
$ engrain pin 01k8 --off
""",
    opens=open_typed,
)
