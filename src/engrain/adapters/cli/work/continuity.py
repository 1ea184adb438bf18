"""`engrain continuity`: show or set an agent's goal, state and next step."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import chain

from engrain.adapters.cli.options import Answer, Arguments, Command, open_here, read_text
from engrain.adapters.present.records import Data, fields
from engrain.adapters.present.text import bold, clean, clean_line, style
from engrain.agents.continuity import Continuity
from engrain.api.memory import Memory
from engrain.language.text.instants import format_local
from engrain.model.note.entry import Entry


def _continuity(memory: Memory, args: Arguments) -> Answer:
    given = {
        "goal": args.goal,
        "state": None if args.state is None else read_text(args.state),
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
    phase: Iterable[str] = phase_lines(found) if found.phase else ()
    return data | describe_phase(found), chain(note_lines(found.entry), phase)


def note_lines(entry: Entry) -> Iterator[str]:
    """A note's text as it stands."""
    yield from clean(entry.note.body).strip("\n").splitlines()
    yield style("dim", f"{clean_line(entry.id)}  {clean(entry.path)}")


def describe_phase(found: Continuity | None) -> Data:
    """The phase that is on."""
    if found is None:
        return {"phase": None, "began": None, "agent": None}
    return fields(found, "phase? began@ agent?")


def phase_lines(found: Continuity | None) -> Iterator[str]:
    """The current phase, when it began, and the agent that began it."""
    if found is None or not found.phase:
        yield "no phase is on; `engrain phase begin NAME` begins one"
        return
    since = "" if found.began is None else f" since {format_local(found.began)}"
    by = f", begun by {clean_line(found.agent)}" if found.agent else ""
    yield f"phase {bold(found.phase)}{since}{by}"


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
    opens=open_here,
)
