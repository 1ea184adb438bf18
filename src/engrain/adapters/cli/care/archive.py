"""`engrain archive` and `engrain pin`: put an entry away, or load it in every session."""

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


ARCHIVE = Command(
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


def _pin(memory: Memory, args: Arguments) -> Answer:
    outcome = memory.pin(args.id, not args.off, args.reason or "")
    tell_others(memory, args, args.id, outcome.id)
    return answer_outcome(outcome)


PIN = Command(
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
