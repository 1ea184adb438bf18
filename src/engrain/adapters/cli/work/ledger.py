"""`engrain ledger`: where each agent stands."""

from __future__ import annotations

import argparse
import json
from argparse import BooleanOptionalAction
from collections.abc import Iterable

from engrain.adapters.cli.console import Console
from engrain.adapters.cli.git import read_commit
from engrain.adapters.cli.options import (
    Command,
    open_harness_from,
    read_file,
    read_text,
)
from engrain.adapters.present.handing import (
    ledger_lines,
    ledgers_lines,
)
from engrain.adapters.present.records import Data, describe_outcome
from engrain.adapters.present.text import outcome_lines
from engrain.model.errors import UsageError

_PROGRESS = (
    "task", "goal", "completed", "file", "commit", "uncommitted", "tech", "pattern", "from_file",
)  # fmt: skip
"""What only `ledger save` takes."""


def _ledger_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("action", choices=("save", "show", "list"), help="what to do")
    group = parser.add_argument_group("save: what is not said stays as it is")
    group.add_argument("--task", metavar="T", help="the task it is at")
    group.add_argument("--goal", metavar="G", help="what it wants to reach")
    group.add_argument("--completed", metavar="N", help="tasks done by now, or +N more than before")
    group.add_argument("--commit", metavar="C", help="its last commit; auto: what is checked out")
    group.add_argument(
        "--uncommitted",
        action=BooleanOptionalAction,
        default=None,
        help="whether there are changes that are not committed",
    )
    for name, meaning in (
        ("--file", "a file it changed"),
        ("--tech", "something it builds with"),
        ("--pattern", "the id of a pattern it learned"),
    ):
        group.add_argument(name, action="append", default=[], metavar="X", help=meaning)
    group.add_argument(
        "--from",
        dest="from_file",
        metavar="FILE",
        help="a part of a ledger, as JSON; - for standard input",
    )


def _ledger(args: argparse.Namespace, console: Console) -> int:
    data: Data
    lines: Iterable[str]
    for name in _PROGRESS:
        if args.action != "save" and getattr(args, name) not in (None, []):
            raise UsageError(f"ledger {args.action} takes no --{name.removesuffix('_file')}")
    with open_harness_from(args, console) as memory:
        if args.action == "list":
            found = memory.ledgers()
            data, lines = {"ledgers": list(found)}, ledgers_lines(found, console.style)
        elif args.action == "show":
            ledger = memory.ledger()
            data, lines = {"ledger": ledger}, ledger_lines(ledger, console.style)
        else:
            completed, added = _read_count(args.completed)
            outcome = memory.save_ledger(
                task=args.task,
                goal=args.goal,
                completed=completed,
                added=added,
                files=args.file,
                commit=read_commit(args.commit),
                uncommitted=args.uncommitted,
                tech=args.tech,
                patterns=args.pattern,
                document=_read_part(args.from_file, console),
            )
            data = {**describe_outcome(outcome), "ledger": memory.ledger()}
            lines = outcome_lines(outcome, console.style)
        data["where"] = memory.where
    return console.answer("ledger", data, lines)


def _read_count(written: str | None) -> tuple[int | None, int]:
    """A count, and how much is added: `12` or `+1`."""
    if written is None:
        return None, 0
    digits = written.removeprefix("+")
    if not (digits.isdecimal() and digits.isascii() and len(digits) < 10):
        raise UsageError(f"{written[:40]!r} is no count", remedy="give 12, or +1 to add one")
    return (None, int(digits)) if written.startswith("+") else (int(digits), 0)


def _read_part(file: str | None, console: Console) -> dict[str, object]:
    given = _read_given(file, console)
    if given is None:
        return {}
    if not isinstance(given, dict):
        raise UsageError("a ledger is a JSON object", remedy='such as {"current_task": "task-042"}')
    return given


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
    "ledger": Command(
        _ledger_arguments,
        _ledger,
        "engrain ledger save --agent eng-001 --task task-042 --file src/todos.ts --commit auto",
        "engrain ledger save --agent eng-001 --completed +1 --no-uncommitted",
        "engrain ledger save --agent eng-001 --from part.json",
        "engrain ledger show --agent eng-001 --json",
        "engrain ledger list",
    ),
}
