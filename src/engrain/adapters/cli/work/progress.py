"""`engrain progress`: what was done in a project, the newest last."""

from __future__ import annotations

import argparse

from engrain.adapters.cli.console import Console
from engrain.adapters.cli.options import Command, open_harness_from, read_text
from engrain.adapters.present.records import Data, describe_outcome
from engrain.adapters.present.text import outcome_lines
from engrain.adapters.present.working import (
    progress_lines,
)
from engrain.model.errors import UsageError

_LATEST = 20


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
    "progress": Command(
        _progress_arguments,
        _progress,
        'engrain progress add "The login form validates its input."',
        "engrain progress show -n 5",
    ),
}
