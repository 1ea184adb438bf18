"""`engrain commitment`: list promises; mark them kept or broken."""

from __future__ import annotations

import time

from engrain.adapters.cli.options import ENTRY, Answer, Arguments, Command, list_here, one_of
from engrain.adapters.present.records import describe_outcome, fields
from engrain.adapters.present.text import clean_line, day_of, elsewhere_lines, outcome_lines, style
from engrain.api.memory import Memory
from engrain.model.experience.commitments import BROKEN, KEPT, OPEN, STATES

_SETTLING = {"keep": KEPT, "break": BROKEN, "reopen": OPEN}
_COLOURS = {OPEN: "title", KEPT: "good", BROKEN: "bad"}


def _list(memory: Memory, args: Arguments) -> Answer:
    found, elsewhere = list_here(
        lambda everywhere: memory.work.commitments(args.state, all_projects=everywhere),
        args.all_projects,
    )
    now = time.time()
    names = "id=entry.id path=entry.path title=entry.title state project=entry.project"
    data = []
    lines = []
    for one in found:
        late, due = one.overdue(now), None if one.due is None else day_of(one.due)
        data.append(fields(one, f"{names} hash=entry.hash") | {"due": due, "overdue": late})
        state = style(_COLOURS[one.state], f"{one.state:<6}")
        facts = clean_line(one.entry.id) + (f", due {due}" if due else "")
        facts += style("bad", ", overdue") if late else ""
        lines.append(f"{state}  {clean_line(one.entry.title)}  ({facts})")
    return {"commitments": data, "elsewhere": elsewhere}, lines or [
        "No commitments.",
        *elsewhere_lines(elsewhere),
    ]


def _settle(memory: Memory, args: Arguments) -> Answer:
    state = _SETTLING[args.action]
    outcome = memory.work.settle_commitment(args.id, state, args.note or "")
    return {**describe_outcome(outcome), "state": state}, outcome_lines(outcome)


COMMAND = Command(
    {"list": _list, **dict.fromkeys(_SETTLING, _settle)},
    f"""
<list|keep|break|reopen>  the action
id=ID!          keep, break, reopen: {ENTRY}
--note TEXT     the reason, kept in the history
--state {one_of(STATES)}*  list only these
--all-projects  list those of all projects
$ engrain commitment list --state open
$ engrain commitment keep 01k8 --note "sent on Friday"
$ engrain commitment break weekly-report --note "the data came too late"
$ engrain commitment reopen 01k8
""",
    strict=True,
)
