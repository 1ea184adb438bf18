"""`engrain continuity`: show or set an agent's goal, state and next step."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import chain

from engrain.adapters.cli.answer import Answer
from engrain.adapters.cli.console import Console
from engrain.adapters.cli.options import Arguments, Command, open_harness, read_text
from engrain.adapters.cli.work.notes import describe_phase, note_lines, phase_lines
from engrain.adapters.present.records import Data, fields
from engrain.api.memory import Memory


def _continuity(memory: Memory, args: Arguments, console: Console) -> Answer:
    given = {
        "goal": args.goal,
        "state": None if args.state is None else read_text(args.state, console),
        "next_step": args.next,
        "phase": args.phase,
    }
    writes = args.refresh or any(text is not None for text in given.values())
    outcome = memory.work.write_continuity(**given) if writes else None
    found = memory.work.read_continuity()
    data: Data = {"found": found is not None, "outcome": outcome and outcome.outcome}
    if found is None:
        line = "this project has no CONTINUITY.md yet; `engrain continuity --goal TEXT` begins one"
        return data, [line]
    data |= fields(
        found,
        "id=entry.id path=entry.path hash=entry.hash project goal goal_from_prompt=prompted asked"
        " state next_step relevant mistakes text=entry.note.body",
    )
    phase: Iterable[str] = phase_lines(found, console.style) if found.phase else ()
    return data | describe_phase(found), chain(note_lines(found.entry, console.style), phase)


COMMAND = Command(
    _continuity,
    """
--goal TEXT   the goal; an empty text removes it
--state TEXT  the state; - reads standard input
--next TEXT   the next step
--phase NAME  the current phase
--refresh     look up the references to memories again
$ engrain continuity
$ engrain continuity --goal "CRUD for todos" --next "validate the request body"
$ engrain continuity --state - < state.md
$ engrain continuity --refresh --json
""",
    opens=open_harness,
)
