"""`engrain today` and `engrain commitment`: the note of the day, and promises."""

from __future__ import annotations

import time
from collections.abc import Iterator

from engrain.adapters.cli.options import (
    ENTRY,
    TRUST,
    Answer,
    Arguments,
    Command,
    list_here,
    one_of,
    open_typed,
    read_text,
)
from engrain.adapters.present.records import describe_outcome, fields
from engrain.adapters.present.text import (
    bold,
    clean,
    clean_line,
    day_of,
    elsewhere_lines,
    outcome_lines,
    redacted_lines,
    style,
)
from engrain.api.memory import Memory
from engrain.engine.entities.daily import Noted
from engrain.model.experience.commitments import BROKEN, KEPT, OPEN, STATES


def _today(memory: Memory, args: Arguments) -> Answer:
    if args.text is not None:
        noted = memory.work.today(read_text(args.text))
        names = "outcome id=entry.id path=entry.path hash=entry.hash day line bytes_left=left"
        return fields(noted, f"{names} redacted"), _lines(noted)
    day, entry = memory.work.read_today()
    if entry is None:
        data = {"day": day, "id": None, "path": None, "text": None}
        return data, [f"Nothing is noted for {day} yet."]
    title = bold(entry.title)
    return {"day": day, **fields(entry, "id path text")}, [title, *clean(entry.text).splitlines()]


def _lines(noted: Noted) -> Iterator[str]:
    yield from clean(noted.line).splitlines()
    yield style("dim", f"  {clean(noted.entry.path)}")
    yield from redacted_lines(noted.redacted)
    if noted.nearly_full:
        yield style("warning", f"  the note is nearly full: {noted.left} bytes are left")


TODAY = Command(
    _today,
    f"""
text=TEXT?  the line, or -; without it the note is printed
{TRUST}
$ engrain today "Called the printer: the proofs come on Friday."
$ git log -1 --format=%s | engrain today - --project billing
$ engrain today
""",
    opens=open_typed,
)


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


COMMITMENT = Command(
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
