"""The working memory of a project: its continuity, phases, plan, features and progress."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import chain

from engrain.adapters.cli.care.jobs import request_lines
from engrain.adapters.cli.files import read_file
from engrain.adapters.cli.options import Answer, Arguments, Command, open_here, read_text
from engrain.adapters.present.records import (
    Data,
    answer_outcome,
    describe_outcome,
    fields,
    list_fields,
)
from engrain.adapters.present.text import bold, clean, clean_line, style
from engrain.agents.continuity import Continuity
from engrain.agents.features import Feature
from engrain.agents.phases import PhaseEnd
from engrain.api.memory import Memory
from engrain.language.text.instants import format_local
from engrain.model.errors import UsageError
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


CONTINUITY = Command(
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


def _begin(memory: Memory, args: Arguments) -> Answer:
    begun = describe_outcome(memory.work.begin_phase(args.name, goal=args.goal))
    found = memory.work.read_continuity()
    return {**begun, **describe_phase(found)}, phase_lines(found)


def _show_phase(memory: Memory, _: Arguments) -> Answer:
    found = memory.work.read_continuity()
    return describe_phase(found), phase_lines(found)


def _end(memory: Memory, args: Arguments) -> Answer:
    ended, asked = memory.work.end_phase(args.name, summary=read_text(args.summary))
    data = {
        **fields(ended, "phase=name began@ episodes features"),
        "progress": fields(ended.outcome, "id path=locator"),
        "queued": [{"job": name, "known": True} for name in asked],
    }
    lines = [*_end_lines(ended)]
    lines += [f"  {line}" for line in request_lines(asked)]
    return data, lines


def _end_lines(ended: PhaseEnd) -> Iterator[str]:
    yield f"ended  {style('title', ended.name)}"
    count = sum(ended.episodes.values())
    each = ", ".join(f"{number} {outcome}" for outcome, number in ended.episodes.items())
    yield f"  episodes: {count} ({each})" if count else "  episodes: none"
    for line in ended.features:
        yield f"  feature {clean_line(line)}"
    yield style("dim", f"  written to {clean(ended.outcome.locator)}")


PHASE = Command(
    {"begin": _begin, "end": _end, "show": _show_phase},
    """
<begin|end|show>  the action
name=NAME!      begin, end: plan, work, review, release or document
--goal TEXT     begin: the goal
--summary TEXT  end: a summary; - reads input
$ engrain phase begin work --goal "CRUD for todos"
$ engrain phase end work --summary "All routes answer; the tests pass."
$ engrain phase show --json
""",
    opens=open_here,
    strict=True,
)


def _check(args: Arguments) -> None:
    given = [one for one in (args.text, args.file) if one is not None]
    if len(given) != (args.action == "set"):
        raise UsageError(
            "`plan set` takes a text, - or --file" if args.action == "set" else "`show` takes none",
            remedy="see `engrain plan --help`",
        )


def _set_plan(memory: Memory, args: Arguments) -> Answer:
    text = read_text(args.text) if args.file is None else read_file(args.file)
    return answer_outcome(memory.work.set_plan(text))


def _show_plan(memory: Memory, _: Arguments) -> Answer:
    entry = memory.work.plan()
    if entry is None:
        line = "this project has no plan yet; `engrain plan set TEXT` makes one"
        return {"found": False}, [line]
    data = {"found": True, **fields(entry, "id path hash text=note.body")}
    return data, note_lines(entry)


PLAN = Command(
    {"show": _show_plan, "set": _set_plan},
    """
<show|set>   the action
text=TEXT?   set: the plan; - reads input
--file PATH  set: a file with the plan
$ engrain plan show
$ engrain plan set "1. Routes. 2. Tests. 3. Release."
$ engrain plan set --file PLAN.md
$ engrain plan set - < PLAN.md
""",
    opens=open_here,
    check=_check,
)


_FEATURE = "id name status notes"
_COLOURS = {"todo": "title", "doing": "warning", "done": "good", "blocked": "bad"}


def _set_feature(memory: Memory, args: Arguments) -> Answer:
    outcome, feature = memory.work.set_feature(args.name, status=args.status, note=args.note)
    data = fields(outcome, "id path=locator hash outcome")
    return {**data, "feature": fields(feature, _FEATURE)}, _lines([feature])


def _list(memory: Memory, args: Arguments) -> Answer:
    shown = [one for one in memory.work.features() if args.status in (None, one.status)]
    return {"features": list_fields(shown, _FEATURE)}, _lines(shown)


def _lines(features: Sequence[Feature]) -> Iterator[str]:
    for one in features:
        status = f"{clean_line(one.status):<8}"
        shown = style(_COLOURS[one.status], status) if one.status in _COLOURS else status
        notes = f"  {style('dim', clean_line(one.notes))}" if one.notes else ""
        yield f"{shown} {clean_line(one.name)}  {style('dim', clean_line(one.id))}{notes}"
    if not features:
        yield "no features; `engrain feature set NAME --status todo` adds one"


FEATURE = Command(
    {"list": _list, "set": _set_feature},
    """
<list|set>   the action
name=NAME!   set: its name or id
--status <todo|doing|done|blocked>  how far it is
--note TEXT  set: a note
$ engrain feature list
$ engrain feature set "Login form" --status doing --note "waits for the design"
$ engrain feature list --status blocked --json
""",
    opens=open_here,
    strict=True,
)


_LATEST = 20


def _add(memory: Memory, args: Arguments) -> Answer:
    return answer_outcome(memory.work.add_progress(read_text(args.text)))


def _show_progress(memory: Memory, args: Arguments) -> Answer:
    pieces = memory.work.progress()
    latest = pieces[-(args.limit or _LATEST) :]
    lines = []
    for when, text in latest:
        lines.append(style("dim", clean_line(when)))
        lines += [f"  {line}" for line in clean(text).splitlines()]
    data = {"progress": [{"at": when, "text": text} for when, text in latest]}
    nothing = ["no progress yet; `engrain progress add TEXT` adds some"]
    return {**data, "total": len(pieces)}, lines or nothing


PROGRESS = Command(
    {"add": _add, "show": _show_progress},
    """
<add|show>        the action
text=TEXT!        add: the text; - reads input
--limit,-n N/count  show: the last N
$ engrain progress add "The login form validates its input."
$ engrain progress show -n 5
""",
    opens=open_here,
    strict=True,
)
