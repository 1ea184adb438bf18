"""plan, feature, progress: a project's plan, its features, and what was done."""

from __future__ import annotations

import argparse

from engrain.adapters.cli.console import Console
from engrain.adapters.cli.options import Command, open_harness_from, read_file, read_text
from engrain.adapters.present.records import Data, describe_outcome
from engrain.adapters.present.text import outcome_lines
from engrain.adapters.present.working import (
    describe_feature,
    describe_note,
    feature_lines,
    note_lines,
    progress_lines,
)
from engrain.model.errors import UsageError

_LATEST = 20


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


def _feature_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("action", choices=("list", "set"), help="what to do")
    parser.add_argument("name", nargs="?", metavar="NAME", help="set: its name or id")
    parser.add_argument(
        "--status", choices=("todo", "doing", "done", "blocked"), help="how far it is"
    )
    parser.add_argument("--note", metavar="TEXT", help="set: what is noted of it")


def _feature(args: argparse.Namespace, console: Console) -> int:
    if (args.action == "set") != (args.name is not None):
        raise UsageError(
            "set which feature?" if args.name is None else "`feature list` takes no name",
            remedy="see `engrain feature --help`",
        )
    data: Data
    with open_harness_from(args, console) as memory:
        where = memory.where
        if args.action == "set":
            outcome, feature = memory.set_feature(args.name, status=args.status, note=args.note)
            data = {
                "id": outcome.id,
                "path": outcome.locator,
                "hash": outcome.hash,
                "outcome": outcome.outcome,
                "feature": describe_feature(feature),
            }
            shown = [feature]
        else:
            shown = [
                one for one in memory.features() if args.status is None or one.status == args.status
            ]
            data = {"features": [describe_feature(one) for one in shown]}
    return console.answer("feature", {**data, "where": where}, feature_lines(shown, console.style))


def _progress_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("action", choices=("add", "show"), help="what to do")
    parser.add_argument("text", nargs="?", metavar="TEXT", help="add: what was done; - reads input")
    parser.add_argument("--limit", "-n", type=int, metavar="N", help="show: the last so many")


def _progress(args: argparse.Namespace, console: Console) -> int:
    if (args.action == "add") != (args.text is not None):
        raise UsageError(
            "add what?" if args.text is None else "`progress show` takes no text",
            remedy="see `engrain progress --help`",
        )
    if args.limit is not None and (args.action == "add" or args.limit < 1):
        raise UsageError("--limit is for `progress show`, and a number from 1 up")
    data: Data
    with open_harness_from(args, console) as memory:
        where = memory.where
        if args.action == "add":
            outcome = memory.add_progress(read_text(args.text, console))
            data, lines = describe_outcome(outcome), outcome_lines(outcome, console.style)
        else:
            pieces = memory.progress()
            latest = pieces[-(args.limit or _LATEST) :]
            data = {
                "progress": [{"at": when, "text": text} for when, text in latest],
                "total": len(pieces),
            }
            lines = progress_lines(latest, console.style)
    return console.answer("progress", {**data, "where": where}, lines)


COMMANDS = {
    "plan": Command(
        _plan_arguments,
        _plan,
        "engrain plan show",
        'engrain plan set "1. Routes. 2. Tests. 3. Release."',
        "engrain plan set --file PLAN.md",
        "engrain plan set - < PLAN.md",
    ),
    "feature": Command(
        _feature_arguments,
        _feature,
        "engrain feature list",
        'engrain feature set "Login form" --status doing --note "waits for the design"',
        "engrain feature list --status blocked --json",
    ),
    "progress": Command(
        _progress_arguments,
        _progress,
        'engrain progress add "The login form validates its input."',
        "engrain progress show -n 5",
    ),
}
