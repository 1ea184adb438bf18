"""`engrain phase`: begin and end a phase of work; its end writes progress."""

from __future__ import annotations

from collections.abc import Iterator

from engrain.adapters.cli.care.jobs import request_lines
from engrain.adapters.cli.options import Answer, Arguments, Command, open_here, read_text
from engrain.adapters.cli.work.continuity import describe_phase, phase_lines
from engrain.adapters.present.records import describe_outcome, fields
from engrain.adapters.present.text import clean, clean_line, style
from engrain.agents.phases import PhaseEnd
from engrain.api.memory import Memory


def _begin(memory: Memory, args: Arguments) -> Answer:
    begun = describe_outcome(memory.work.begin_phase(args.name, goal=args.goal))
    found = memory.work.read_continuity()
    return {**begun, **describe_phase(found)}, phase_lines(found)


def _show(memory: Memory, _: Arguments) -> Answer:
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


COMMAND = Command(
    [_begin, _end, _show],
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
