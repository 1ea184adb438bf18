"""`engrain jobs`: list and run background jobs; show their log."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from engrain.adapters.cli.options import Answer, Arguments, Command
from engrain.adapters.present.records import Data, fields, list_fields, local_of
from engrain.adapters.present.text import clean_line, style
from engrain.api.memory import Memory
from engrain.language.text.instants import format_local
from engrain.lifecycle.jobs.runner import JobState
from engrain.model.errors import UsageError
from engrain.seam.job_log import JobRun

_LATEST = 20
_COLOURS = {"ok": "good", "failed": "bad", "interrupted": "warning", "unfinished": "warning"}
_WIDTH = 11


def _check(args: Arguments) -> None:
    if args.budget is not None and not 0 < args.budget < 1e9:
        raise UsageError("--budget is a number of seconds above 0")


def _run(memory: Memory, args: Arguments) -> Answer:
    def tell(run: JobRun) -> None:
        if not args.console.as_json:
            args.console.write_lines(_run_lines(run, f"{run.name:<9}"))
            args.console.flush()  # at once: the next may take its time

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
    code = any(run.outcome == "failed" for run in runs)
    return {"dry_run": args.dry_run, "jobs": jobs}, lines, code


def _log(memory: Memory, args: Arguments) -> Answer:
    events = memory.jobs.log(args.limit or _LATEST)
    runs = list_fields(events, "at=ended@ job=name outcome seconds counts lines error?")
    lines: list[str] = []
    for event in events:
        first, *rest = _run_lines(event, clean_line(event.name))
        lines += [f"{style('dim', format_local(event.ended or event.started))}  {first}", *rest]
    return {"runs": runs}, lines or ["No job has run on this device yet."]


def _status(memory: Memory, args: Arguments) -> Answer:
    states = memory.jobs.status()
    lines: list[str] = []
    for state in states:
        lines += _list_lines(state) if args.action == "list" else _status_lines(state)
    lines += request_lines(state.job.name for state in states if state.asked is not None)
    return {"jobs": [describe_job(state) for state in states]}, lines


def describe_job(state: JobState) -> Data:
    """Return a job, how often it runs, and how it went last."""
    last = state.status
    data = fields(state, "job=job.name meaning=job.meaning every_minutes=job.every due asked@")
    if last is None:
        missing = dict.fromkeys(("outcome", "started", "ended", "next_due"))
        return {**data, **missing, "counts": {}, "error": None}
    return {**data, **fields(last, "outcome started@ ended@ next_due=due@ counts error?")}


def _run_lines(run: JobRun, name: str) -> Iterator[str]:
    said = clean_line(run.error) or _count(run.counts)
    yield f"{_outcome(run.outcome)} {name}  {said}  {style('dim', f'{run.seconds:.1f} s')}"
    for line in run.lines:
        yield style("dim", f"{'':{_WIDTH}}   {clean_line(line)}")


def _list_lines(state: JobState) -> Iterator[str]:
    due = style("warning", "due now") if state.due else tell_next(state)
    often = f"every {describe_interval(state.job.every)}"
    yield f"{style('title', f'{state.job.name:<11}')} {often:<13} {due}"
    yield style("dim", f"{'':11} {state.job.meaning}")


def _status_lines(state: JobState) -> Iterator[str]:
    last, name = state.status, style("title", state.job.name)
    if last is None:
        yield f"{'never ran':<{_WIDTH}} {name}"
        return
    ended = "" if last.ended is None else f", ended {format_local(last.ended)}"
    yield f"{_outcome(last.outcome)} {name}  {tell_next(state)}"
    yield style("dim", f"{'':{_WIDTH}} started {format_local(last.started)}{ended}")
    if said := clean_line(last.error) or _count(last.counts):
        yield style("dim", f"{'':{_WIDTH}} {said}")


def request_lines(names: Iterable[str]) -> Iterator[str]:
    """Yield that jobs were asked for, and when they run."""
    for name in names:
        yield style("dim", f"{clean_line(name)} is asked for, and runs in the next round of jobs")


def _outcome(outcome: str) -> str:
    padded = f"{clean_line(outcome):<{_WIDTH}}"
    return style(_COLOURS[outcome], padded) if outcome in _COLOURS else padded


def _count(counts: Mapping[str, int]) -> str:
    some = [f"{count} {clean_line(what)}" for what, count in counts.items() if count]
    return ", ".join(some) or ("nothing to do" if counts else "")


def describe_interval(minutes: int) -> str:
    """Say an interval in minutes as it stands behind "every"."""
    for size, name in ((24 * 60, "day"), (60, "hour"), (1, "minute")):
        if minutes % size == 0:
            return name if minutes == size else f"{minutes // size} {name}s"
    raise AssertionError("every number is a multiple of 1")


def tell_next(state: JobState) -> str:
    """Say when a job is due next."""
    if state.due:
        return "due now"
    if state.status is None:
        return "due at once"
    return f"due after {local_of(state.status.due)}"


COMMAND = Command(
    {"list": _status, "run": _run, "status": _status, "log": _log},
    """
<list|run|status|log>  the action
names=NAME*       run: these jobs; else those due
--due             run: only those due
--dry-run         run: show what would be done; change nothing
--budget S/float  run: at most S seconds in all
--limit,-n N/count  log: at most N lines; else 20
$ engrain jobs list
$ engrain jobs run
$ engrain jobs run decay --dry-run
$ engrain jobs status --json
$ engrain jobs log -n 50
""",
    check=_check,
    strict=True,
)
