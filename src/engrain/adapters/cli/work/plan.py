"""`engrain plan`: a project's plan."""

from __future__ import annotations

import argparse

from engrain.adapters.cli.console import Console
from engrain.adapters.cli.options import Command, open_harness_from, read_file, read_text
from engrain.adapters.present.records import Data, describe_outcome
from engrain.adapters.present.text import outcome_lines
from engrain.adapters.present.working import (
    describe_note,
    note_lines,
)
from engrain.model.errors import UsageError


def _plan_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("action", choices=("show", "set"), help="what to do")
    parser.add_argument("text", nargs="?", metavar="TEXT", help="set: the plan; - reads input")
    parser.add_argument("--file", metavar="PATH", help="set: a file with the plan")


def _plan(args: argparse.Namespace, console: Console) -> int:
    given = [one for one in (args.text, args.file) if one is not None]
    if len(given) != (args.action == "set"):
        raise UsageError(
            "`plan set` takes a text, - or --file" if args.action == "set" else "`show` takes none",
            remedy="see `engrain plan --help`",
        )
    data: Data
    with open_harness_from(args, console) as memory:
        where = memory.where
        if args.action == "set":
            text = read_text(args.text, console) if args.file is None else read_file(args.file)
            outcome = memory.set_plan(text)
            data, lines = describe_outcome(outcome), outcome_lines(outcome, console.style)
        else:
            entry = memory.plan()
            data = {"found": entry is not None}
            lines = iter(["this project has no plan yet; `engrain plan set TEXT` makes one"])
            if entry is not None:
                data |= {**describe_note(entry), "text": entry.note.body}
                lines = note_lines(entry, console.style)
    return console.answer("plan", {**data, "where": where}, lines)


COMMANDS = {
    "plan": Command(
        _plan_arguments,
        _plan,
        "engrain plan show",
        'engrain plan set "1. Routes. 2. Tests. 3. Release."',
        "engrain plan set --file PLAN.md",
        "engrain plan set - < PLAN.md",
    ),
}
