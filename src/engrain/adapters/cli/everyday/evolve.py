"""`engrain evolve`: replace an entry by a newer one and archive the old one."""

from __future__ import annotations

from engrain.adapters.cli.options import (
    ENTRY,
    TRUST,
    Answer,
    Arguments,
    Command,
    open_typed,
    read_text,
    tell_others,
)
from engrain.adapters.present.records import answer_outcome
from engrain.api.memory import Memory


def _evolve(memory: Memory, args: Arguments) -> Answer:
    text, reason = read_text(args.text), args.reason or ""
    outcome = memory.evolve(args.id, text, title=args.title, tags=args.tag or None, reason=reason)
    tell_others(memory, args, args.id, outcome.other or "", outcome.id)
    return answer_outcome(outcome)


COMMAND = Command(
    _evolve,
    f"""
id=ID         {ENTRY}
text=TEXT     the new text, or -
--title T     a new title; else the old one
--tag T*      new tags; else the old ones
--reason WHY   kept in the history
{TRUST}
$ engrain evolve round-tax "We round once per rate now." --reason "audit of September"
$ engrain evolve 01k8 - < new.md
""",
    opens=open_typed,
)
