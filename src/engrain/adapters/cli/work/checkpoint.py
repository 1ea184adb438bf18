"""`engrain checkpoint`: save and load a snapshot of a session's short-term memory."""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterable
from itertools import chain

from engrain.adapters.cli.console import Console
from engrain.adapters.cli.git import describe_git
from engrain.adapters.cli.options import (
    Command,
    list_here,
    open_harness_from,
    read_file,
    read_text,
    refuse_others,
)
from engrain.adapters.present.handing import (
    checkpoint_lines,
    checkpoints_lines,
    describe_checkpoint,
)
from engrain.adapters.present.records import Data, describe_outcome
from engrain.adapters.present.text import elsewhere_lines, outcome_lines
from engrain.model.errors import UsageError

_OWN = {"save": ("file", "from_session", "bare"), "load": (), "list": ("all_projects",)}
"""What each action of `checkpoint` takes beside a name."""


def _checkpoint_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("action", choices=("save", "load", "list"), help="what to do")
    parser.add_argument("name", nargs="?", metavar="NAME", help="load: else the latest")
    parser.add_argument(
        "file", nargs="?", metavar="FILE", help="save: text or JSON; - for standard input"
    )
    parser.add_argument("--from-session", metavar="ID", help="save: else the current session")
    parser.add_argument(
        "--bare", action="store_true", help="save: what is given alone, and nothing around it"
    )
    parser.add_argument("--all-projects", action="store_true", help="list: whatever the project")


def _checkpoint(args: argparse.Namespace, console: Console) -> int:
    data: Data
    lines: Iterable[str]
    _check(args)
    with open_harness_from(args, console) as memory:
        if args.action == "list":
            found, elsewhere = list_here(
                lambda everywhere: memory.checkpoints(all_projects=everywhere), args.all_projects
            )
            data = {
                "checkpoints": [describe_checkpoint(one, whole=False) for one in found],
                "elsewhere": elsewhere,
            }
            lines = chain(checkpoints_lines(found, console.style), elsewhere_lines(elsewhere))
        elif args.action == "load":
            checkpoint = memory.load_checkpoint(args.name)
            data = describe_checkpoint(checkpoint, whole=True)
            lines = checkpoint_lines(checkpoint, console.style)
        else:
            outcome = memory.save_checkpoint(
                args.name,
                _read_given(args.file, console),
                session=args.from_session,
                git=None if args.bare else describe_git(),
                bare=args.bare,
            )
            data, lines = describe_outcome(outcome), outcome_lines(outcome, console.style)
        data["where"] = memory.where
    return console.answer("checkpoint", data, lines)


def _check(args: argparse.Namespace) -> None:
    """Raises UsageError for what the action does not take, and for what it lacks."""
    if args.action == "save" and not args.name:
        raise UsageError("save it under which name?", remedy="engrain checkpoint save NAME")
    refuse_others("checkpoint", args, _OWN, {"file": "file"})
    if args.action == "list" and args.name:
        raise UsageError("checkpoint list takes no name", remedy="engrain checkpoint load NAME")


def _read_given(file: str | None, console: Console) -> object:
    """What a file holds: a value of JSON where it is an object or a list, else its text; None where
    none is named. Raises UsageError."""
    if file is None:
        return None
    text = read_text("-", console) if file == "-" else read_file(file)
    if text.lstrip()[:1] in ("{", "["):
        try:
            return json.loads(text)
        except (ValueError, RecursionError):
            pass  # a text may begin so
    return text


COMMANDS = {
    "checkpoint": Command(
        _checkpoint_arguments,
        _checkpoint,
        "engrain checkpoint save before-the-merge notes.md",
        "engrain checkpoint save noon - --bare < state.json",
        "engrain checkpoint load   # the project's latest",
        "engrain checkpoint load before-the-merge --json",
        "engrain checkpoint list",
    ),
}
