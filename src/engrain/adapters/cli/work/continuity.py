"""`engrain continuity`: what an agent is doing right now: goal, state, next step."""

from __future__ import annotations

import argparse
from collections.abc import Iterable
from itertools import chain

from engrain.adapters.cli.console import Console
from engrain.adapters.cli.options import (
    Command,
    open_harness_from,
    read_text,
)
from engrain.adapters.present.working import (
    describe_continuity,
    note_lines,
    phase_lines,
)


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


COMMANDS = {
    "continuity": Command(
        _continuity_arguments,
        _continuity,
        "engrain continuity",
        'engrain continuity --goal "CRUD for todos" --next "validate the request body"',
        "engrain continuity --state - < state.md",
        "engrain continuity --refresh --json",
    ),
}
