"""`engrain jobs`: list and run background jobs; show their log."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import chain

from engrain.adapters.cli.answer import Answer
from engrain.adapters.cli.console import Console
from engrain.adapters.cli.options import Arguments, Command, open_vault
from engrain.adapters.present.failures import EXIT_ERROR, EXIT_OK
from engrain.adapters.present.records import Data, fields, instant_of
from engrain.adapters.present.text import Style, clean_line
from engrain.api.memory import Memory
from engrain.language.text.instants import format_instant
from engrain.lifecycle.jobs.runner import JobRun, JobState, Request
from engrain.model.errors import UsageError
from engrain.seam.local_state import JobEvent

_LATEST = 20
_COLOURS = {"ok": "good", "failed": "bad", "interrupted": "warning", "unfinished": "warning"}
_WIDTH = 11
_HOUR = 60
_DAY = 24 * 60


def _check(args: Arguments) -> None:
    if args.budget is not None and not 0 < args.budget < 1e9:
        raise UsageError("--budget is a number of seconds above 0")
    if args.limit is not None and args.limit < 1:
        raise UsageError("--limit is a number from 1 up")


def _run(memory: Memory, args: Arguments, console: Console) -> Answer:
    def tell(run: JobRun) -> None:
        if not console.as_json:
            console.write_lines(_run_lines(run, f"{run.name:<9}", console.style))
            console.flush()  # at once: the next may take its time

    runs = memory.jobs.run(
        args.names or None,
        due=args.due or None,
        dry_run=args.dry_run,
        budget=args.budget,
        tell=tell,
    )
    names = "job=name outcome counts lines error?"
    jobs = [{**fields(run, names), "seconds": round(run.seconds, 3)} for run in runs]
    lines = [] if runs else ["nothing is due; `engrain jobs list` shows when each is due"]
    code = EXIT_ERROR if any(run.outcome == "failed" for run in runs) else EXIT_OK
    return {"dry_run": args.dry_run, "jobs": jobs}, lines, code


def _log(memory: Memory, args: Arguments, console: Console) -> Answer:
    events = memory.jobs.log(_LATEST if args.limit is None else args.limit)
    runs = [fields(event, "at@ job outcome seconds counts lines error?") for event in events]
    return {"runs": runs}, _event_lines(events, console.style)


def _status(memory: Memory, args: Arguments, console: Console) -> Answer:
    states, asked = memory.jobs.status(), memory.jobs.requests()
    unknown = [fields(one, "job=name asked=at@") for one in asked if not one.known]
    show = _list_lines if args.action == "list" else _status_lines
    lines = chain(show(states, console.style), request_lines(asked, console.style))
    return {"jobs": [describe_job(state) for state in states], "unknown": unknown}, lines


def describe_job(state: JobState) -> Data:
    """A job, how often it runs, and how it went last."""
    last = state.status
    data = fields(state, "job=job.name meaning=job.meaning every_minutes=job.every due asked@")
    if last is None:
        missing = dict.fromkeys(("outcome", "started", "ended", "next_due"))
        return {**data, **missing, "counts": {}, "error": None}
    return {**data, **fields(last, "outcome started@ ended@ next_due=due@ counts error?")}


def _run_lines(run: JobRun | JobEvent, name: str, style: Style) -> Iterator[str]:
    """One run of a job: how it went, and what it did."""
    said = clean_line(run.error) or _count(run.counts)
    yield f"{_outcome(run.outcome, style)} {name}  {said}  {style('dim', f'{run.seconds:.1f} s')}"
    for line in run.lines:
        yield style("dim", f"{'':{_WIDTH}}   {clean_line(line)}")


def _event_lines(events: Sequence[JobEvent], style: Style) -> Iterator[str]:
    for event in events:
        first, *rest = _run_lines(event, clean_line(event.job), style)
        yield f"{style('dim', format_instant(event.at))}  {first}"
        yield from rest
    if not events:
        yield "No job has run on this device yet."


def _list_lines(states: Sequence[JobState], style: Style) -> Iterator[str]:
    for state in states:
        often = f"every {describe_interval(state.job.every)}"
        due = style("warning", "due now") if state.due else _next(state)
        yield f"{style('title', f'{state.job.name:<11}')} {often:<13} {due}"
        yield style("dim", f"{'':11} {state.job.meaning}")


def due_lines(states: Sequence[JobState], style: Style) -> Iterator[str]:
    """The jobs, a line each: how often, and when next."""
    for state in states:
        often = f"every {describe_interval(state.job.every)}"
        yield f"  {state.job.name:<11} {often:<16} {style('dim', _next(state))}"


def interval_lines(states: Sequence[JobState]) -> Iterator[str]:
    """What a round runs, by how often."""
    by_interval: dict[int, list[str]] = {}
    for state in states:
        by_interval.setdefault(state.job.every, []).append(state.job.name)
    for every, names in sorted(by_interval.items()):
        yield f"every {describe_interval(every)}: {', '.join(names)}"


def _status_lines(states: Sequence[JobState], style: Style) -> Iterator[str]:
    for state in states:
        last = state.status
        if last is None:
            yield f"{'never ran':<{_WIDTH}} {style('title', state.job.name)}"
            continue
        ended = "" if last.ended is None else f", ended {format_instant(last.ended)}"
        name = style("title", state.job.name)
        yield f"{_outcome(last.outcome, style)} {name}  {_next(state)}"
        yield style("dim", f"{'':{_WIDTH}} started {format_instant(last.started)}{ended}")
        if said := clean_line(last.error) or _count(last.counts):
            yield style("dim", f"{'':{_WIDTH}} {said}")


def request_lines(asked: Sequence[Request], style: Style) -> Iterator[str]:
    """What was asked for, and when it comes."""
    for one in asked:
        when = "runs in the next round of jobs"
        if not one.known:
            when = "waits until there is such a job, which this version does not have"
        yield style("dim", f"{clean_line(one.name)} is asked for, and {when}")


def _outcome(outcome: str, style: Style) -> str:
    padded = f"{clean_line(outcome):<{_WIDTH}}"
    return style(_COLOURS[outcome], padded) if outcome in _COLOURS else padded


def _count(counts: Mapping[str, int]) -> str:
    some = [f"{count} {clean_line(what)}" for what, count in counts.items() if count]
    return ", ".join(some) or ("nothing to do" if counts else "")


def describe_interval(minutes: int) -> str:
    """So many minutes, as one says it behind "every"."""
    for size, name in ((_DAY, "day"), (_HOUR, "hour")):
        if minutes % size == 0:
            times = minutes // size
            return name if times == 1 else f"{times} {name}s"
    return "minute" if minutes == 1 else f"{minutes} minutes"


def _next(state: JobState) -> str:
    if state.due:
        return "due now"
    if state.status is None:
        return "due at once"
    return f"due after {instant_of(state.status.due)}"


COMMAND = Command(
    {"list": _status, "run": _run, "status": _status, "log": _log},
    """
<list|run|status|log>  the action
names=NAME*       run: these jobs; else those due
--due             run: only those due
--dry-run         run: show what would be done; change nothing
--budget S/float  run: at most S seconds in all
--limit,-n N/int  log: at most N lines; else 20
$ engrain jobs list
$ engrain jobs run
$ engrain jobs run decay --dry-run
$ engrain jobs status --json
$ engrain jobs log -n 50
""",
    opens=open_vault,
    check=_check,
    strict=True,
)
