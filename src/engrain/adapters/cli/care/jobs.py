"""jobs: what runs unasked, and how it went."""

from __future__ import annotations

import argparse
from collections.abc import Iterable
from itertools import chain

from engrain.adapters.cli.console import Console
from engrain.adapters.cli.options import Command, open_from
from engrain.adapters.present.failures import EXIT_ERROR, EXIT_OK
from engrain.adapters.present.jobs import (
    describe_events,
    describe_runs,
    describe_states,
    event_lines,
    list_lines,
    request_lines,
    run_lines,
    status_lines,
)
from engrain.adapters.present.records import envelope
from engrain.face.memory import Memory
from engrain.lifecycle.jobs.runner import JobRun
from engrain.model.errors import UsageError

_LATEST = 20
_OWN = {"run": ("names", "due", "dry_run", "budget"), "log": ("limit",)}
"""What only that action takes."""


def _arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("action", choices=("list", "run", "status", "log"), help="what to do")
    parser.add_argument("names", nargs="*", metavar="NAME", help="run: these; else what is due")
    parser.add_argument("--due", action="store_true", help="run: of these only what is due")
    parser.add_argument(
        "--dry-run", action="store_true", help="run: only tell what would be done, change nothing"
    )
    parser.add_argument(
        "--budget", type=float, metavar="S", help="run: all of it in so many seconds"
    )
    parser.add_argument("--limit", "-n", type=int, metavar="N", help="log: so many, else 20")


def _jobs(args: argparse.Namespace, console: Console) -> int:
    _check(args)
    lines: Iterable[str]
    with open_from(args) as memory:
        if args.action == "run":
            return _run(args, memory, console)
        if args.action == "log":
            events = memory.job_log(_LATEST if args.limit is None else args.limit)
            data, lines = describe_events(events), event_lines(events, console.style)
        else:
            states, asked = memory.job_status(), memory.job_requests()
            data = describe_states(states, asked)
            show = list_lines if args.action == "list" else status_lines
            lines = chain(show(states, console.style), request_lines(asked, console.style))
    if console.as_json:
        console.write_json(envelope("jobs", data))
    else:
        console.write_lines(lines)
    return EXIT_OK


def _run(args: argparse.Namespace, memory: Memory, console: Console) -> int:
    def tell(run: JobRun) -> None:
        if not console.as_json:
            console.write_lines(run_lines(run, f"{run.name:<9}", console.style))
            console.flush()  # at once: the next may take its time

    runs = memory.run_jobs(
        args.names or None,
        due=args.due or None,
        dry_run=args.dry_run,
        budget=args.budget,
        tell=tell,
    )
    if console.as_json:
        console.write_json(envelope("jobs", describe_runs(runs, dry_run=args.dry_run)))
    elif not runs:
        console.write_lines(["nothing is due; `engrain jobs list` tells what is, and when"])
    return EXIT_ERROR if any(run.outcome == "failed" for run in runs) else EXIT_OK


def _check(args: argparse.Namespace) -> None:
    """Raises UsageError for what the action does not take."""
    for action, options in _OWN.items():
        for option in options:
            if action != args.action and getattr(args, option):
                what = "names" if option == "names" else "--" + option.replace("_", "-")
                raise UsageError(
                    f"`jobs {args.action}` takes no {what}", remedy="see `engrain jobs --help`"
                )
    if args.budget is not None and not 0 < args.budget < 1e9:
        raise UsageError("--budget is a number of seconds above 0")
    if args.limit is not None and args.limit < 1:
        raise UsageError("--limit is a number from 1 up")


COMMANDS = {
    "jobs": Command(
        _arguments,
        _jobs,
        "engrain jobs list",
        "engrain jobs run",
        "engrain jobs run decay --dry-run",
        "engrain jobs status --json",
        "engrain jobs log -n 50",
    )
}
