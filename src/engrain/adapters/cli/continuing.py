"""continuity, phase: what an agent is doing right now."""

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
    describe_continuity,
    describe_phase,
    describe_phase_end,
    note_lines,
    phase_end_lines,
    phase_lines,
)
from engrain.model.errors import UsageError

_OWN = {"begin": ("goal",), "end": ("summary",)}
"""What only that action takes."""


def _continuity_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--goal", metavar="TEXT", help="what is to be reached; empty takes it out")
    parser.add_argument("--state", metavar="TEXT", help="how far it is; - reads standard input")
    parser.add_argument("--next", metavar="TEXT", help="what is to be done next")
    parser.add_argument("--phase", metavar="NAME", help="the phase of work that is on")
    parser.add_argument(
        "--refresh", action="store_true", help="look the references to memories up anew"
    )


def _continuity(args: argparse.Namespace, console: Console) -> int:
    given = {
        "goal": args.goal,
        "state": None if args.state is None else read_text(args.state, console),
        "next_step": args.next,
        "phase": args.phase,
    }
    writes = args.refresh or any(text is not None for text in given.values())
    with open_harness_from(args, console) as memory:
        outcome = memory.continuity(**given) if writes else None
        found = memory.read_continuity()
        where = memory.where
    data = {**describe_continuity(found), "where": where}
    data["outcome"] = None if outcome is None else outcome.outcome
    lines: Iterable[str] = (
        "this project has no CONTINUITY.md yet; `engrain continuity --goal TEXT` begins one",
    )
    if found is not None:
        phase = phase_lines(found, console.style) if found.phase else ()
        lines = chain(note_lines(found.entry, console.style), phase)
    return console.answer("continuity", data, lines)


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
    "continuity": Command(
        _continuity_arguments,
        _continuity,
        "engrain continuity",
        'engrain continuity --goal "CRUD for todos" --next "validate the request body"',
        "engrain continuity --state - < state.md",
        "engrain continuity --refresh --json",
    ),
    "phase": Command(
        _phase_arguments,
        _phase,
        'engrain phase begin work --goal "CRUD for todos"',
        'engrain phase end work --summary "All routes answer; the tests pass."',
        "engrain phase show --json",
    ),
}
