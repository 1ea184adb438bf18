"""`engrain evolve`: replace an entry by a newer one and archive the old one."""

from __future__ import annotations

from engrain.adapters.cli.answer import Answer, tell_outcome
from engrain.adapters.cli.console import Console
from engrain.adapters.cli.options import ENTRY, Arguments, Command, one_of, open_from, read_text
from engrain.model.note.tiers import ORIGINS


def _evolve(args: Arguments, console: Console) -> Answer:
    text = read_text(args.text, console)
    tags = args.tag or None
    with open_from(args) as memory:
        outcome = memory.evolve(
            args.id, text, title=args.title, tags=tags, reason=args.reason or ""
        )
    return tell_outcome(outcome, console)


COMMAND = Command(
    _evolve,
    f"""
id=ID         {ENTRY}
text=TEXT     the new text, or -
--title T     a new title; else the old one
--tag T*      new tags; else the old ones
--reason WHY   kept in the history
--trust {one_of(ORIGINS)}=agent  its origin
$ engrain evolve round-tax "We round once per rate now." --reason "audit of September"
$ engrain evolve 01k8 - < new.md
""",
)
