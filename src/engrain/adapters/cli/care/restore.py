"""`engrain restore`: bring back forgotten, archived, removed or missing entries."""

from __future__ import annotations

from engrain.adapters.cli.options import ENTRY, Answer, Arguments, Command, tell_others
from engrain.adapters.present.records import answer_outcome
from engrain.adapters.present.text import outcome_lines
from engrain.api.memory import Memory
from engrain.model.errors import UsageError

_NOTHING = ("Nothing was forgotten.", "Nothing is missing.")


def _check(args: Arguments) -> None:
    if bool(args.id) + bool(args.all) + bool(args.missing) != 1:
        raise UsageError(
            "name an entry, or give --all or --missing", remedy="`engrain list --all` shows them"
        )


def _restore(memory: Memory, args: Arguments) -> Answer:
    if args.id:
        outcome = memory.restore(args.id)
        tell_others(memory, args, args.id, outcome.id)
        return answer_outcome(outcome)
    restored = memory.restore_missing() if args.missing else memory.restore_all()
    lines = [line for outcome in restored for line in outcome_lines(outcome)]
    return {"restored": [one.id for one in restored]}, lines or [_NOTHING[args.missing]]


COMMAND = Command(
    _restore,
    f"""
id=ENTRY?   {ENTRY}
--all       every forgotten entry
--missing   every note that doctor reports as missing, as the history has it
$ engrain restore 01k8
$ engrain restore --all
$ engrain restore --missing
""",
    check=_check,
)
