"""`engrain pin`: load an entry in every session, even if it is rarely used."""

from __future__ import annotations

from engrain.adapters.cli.answer import Answer, tell_outcome
from engrain.adapters.cli.console import Console
from engrain.adapters.cli.options import ENTRY, Arguments, Command, one_of, open_vault
from engrain.api.memory import Memory
from engrain.model.note.tiers import ORIGINS


def _pin(memory: Memory, args: Arguments, console: Console) -> Answer:
    return tell_outcome(memory.pin(args.id, not args.off, args.reason or ""), console)


COMMAND = Command(
    _pin,
    f"""
id=ID         {ENTRY}
--reason WHY  kept in the history
--trust {one_of(ORIGINS)}=agent  its origin
--off         unpin it
$ engrain pin release-steps
$ engrain pin 01k8 --off
""",
    opens=open_vault,
)
