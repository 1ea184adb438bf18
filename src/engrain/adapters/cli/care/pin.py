"""`engrain pin`: load an entry in every session, even if it is rarely used."""

from __future__ import annotations

from engrain.adapters.cli.options import ENTRY, TRUST, Answer, Arguments, Command
from engrain.adapters.present.records import answer_outcome
from engrain.api.memory import Memory


def _pin(memory: Memory, args: Arguments) -> Answer:
    return answer_outcome(memory.pin(args.id, not args.off, args.reason or ""))


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
)
