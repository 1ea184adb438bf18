"""`engrain phase`: begin and end a phase of work; its end writes progress."""

from __future__ import annotations

import argparse
from collections.abc import Iterable
from itertools import chain

from engrain.adapters.cli.console import Console
from engrain.adapters.cli.options import (
    Command,
    open_harness_from,
    read_text,
    resolve_harness_from,
)
from engrain.adapters.present.records import describe_outcome
from engrain.adapters.present.working import (
    describe_phase,
    describe_phase_end,
    phase_end_lines,
    phase_lines,
)
from engrain.model.errors import UsageError

_OWN = {"begin": ("goal",), "end": ("summary",)}
"""What only that action takes."""


def _phase_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("action", choices=("begin", "end", "show"), help="what to do")
    parser.add_argument(
        "name", nargs="?", metavar="NAME", help="plan, work, review, release, document"
    )
    parser.add_argument("--goal", metavar="TEXT", help="begin: what is to be reached")
    parser.add_argument("--summary", metavar="TEXT", help="end: what was done; - reads input")


def _phase(args: argparse.Namespace, console: Console) -> int:
    _check_phase(args)
    lines: Iterable[str]
    with open_harness_from(args, console) as memory:
        where = memory.where
        if args.action == "end":
            summary = read_text(args.summary, console)
            ended, asked = memory.end_phase(args.name, summary=summary)
            data = describe_phase_end(ended, asked)
            lines = chain(phase_end_lines(ended, asked, console.style), _tell_round(args))
        else:
            data = {}
            if args.action == "begin":
                data = describe_outcome(memory.begin_phase(args.name, goal=args.goal))
            found = memory.read_continuity()
            data |= describe_phase(found)
            lines = phase_lines(found, console.style)
    return console.answer("phase", {**data, "where": where}, lines)


def _tell_round(args: argparse.Namespace) -> list[str]:
    """How the jobs of this device's own store are run: those of the vault are by a scheduler."""
    found = resolve_harness_from(args)
    return [f"  `engrain jobs run --vault {found.location}` runs them"] if found.fallback else []


def _check_phase(args: argparse.Namespace) -> None:
    """Raises UsageError for what the action does not take, or lacks."""
    if (args.action == "show") == bool(args.name):
        raise UsageError(
            f"{args.action} which phase?" if not args.name else "`phase show` takes no name",
            remedy="see `engrain phase --help`",
        )
    for action, options in _OWN.items():
        for option in options:
            if action != args.action and getattr(args, option) is not None:
                raise UsageError(
                    f"`phase {args.action}` takes no --{option}",
                    remedy="see `engrain phase --help`",
                )


COMMANDS = {
    "phase": Command(
        _phase_arguments,
        _phase,
        'engrain phase begin work --goal "CRUD for todos"',
        'engrain phase end work --summary "All routes answer; the tests pass."',
        "engrain phase show --json",
    ),
}
