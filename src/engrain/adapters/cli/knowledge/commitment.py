"""commitment: list, keep, break, reopen."""

from __future__ import annotations

import argparse
import time
from collections.abc import Sequence

from engrain.adapters.cli.console import Console
from engrain.adapters.cli.options import Command, list_here, open_from
from engrain.adapters.present.failures import EXIT_OK
from engrain.adapters.present.records import describe_outcome, envelope
from engrain.adapters.present.text import clean_line, day_of, elsewhere_lines, outcome_lines
from engrain.model.errors import UsageError
from engrain.model.experience.commitments import BROKEN, KEPT, OPEN, STATES, Commitment

_SETTLING = {"keep": KEPT, "break": BROKEN, "reopen": OPEN}
_COLOURS = {OPEN: "title", KEPT: "good", BROKEN: "bad"}


def _commitment_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("action", choices=("list", *_SETTLING), help="what to do")
    parser.add_argument(
        "id", nargs="?", metavar="ID", help="an id, its beginning, a path or a slug"
    )
    parser.add_argument("--note", default="", metavar="TEXT", help="why; kept in the history")
    parser.add_argument(
        "--state", action="append", default=[], choices=STATES, help="list only these"
    )
    parser.add_argument("--all-projects", action="store_true", help="list whatever the project")


def _commitment(args: argparse.Namespace, console: Console) -> int:
    if (args.action == "list") != (args.id is None):
        raise UsageError(
            "`commitment list` takes no entry" if args.id else f"{args.action} which one?",
            remedy="`engrain commitment list` shows them, `engrain commitment keep ID` settles one",
        )
    with open_from(args) as memory:
        if args.action == "list":
            found, elsewhere = list_here(
                lambda everywhere: memory.commitments(args.state, all_projects=everywhere),
                args.all_projects,
            )
            _show(found, elsewhere, console)
            return EXIT_OK
        outcome = memory.settle_commitment(args.id, _SETTLING[args.action], args.note)
    if console.as_json:
        data = describe_outcome(outcome)
        console.write_json(envelope("commitment", {**data, "state": _SETTLING[args.action]}))
    else:
        console.write_lines(outcome_lines(outcome, console.style))
    return EXIT_OK


def _show(found: Sequence[Commitment], elsewhere: int, console: Console) -> None:
    now = time.time()
    if console.as_json:
        described = [
            {
                "id": commitment.entry.id,
                "path": commitment.entry.path,
                "title": commitment.entry.title,
                "state": commitment.state,
                "due": None if commitment.due is None else day_of(commitment.due),
                "overdue": commitment.overdue(now),
                "project": commitment.entry.project,
                "hash": commitment.entry.hash,
            }
            for commitment in found
        ]
        data = {"commitments": described, "elsewhere": elsewhere}
        console.write_json(envelope("commitment", data))
        return
    for commitment in found:
        due = "" if commitment.due is None else f", due {day_of(commitment.due)}"
        late = console.style("bad", ", overdue") if commitment.overdue(now) else ""
        state = console.style(_COLOURS[commitment.state], f"{commitment.state:<6}")
        title = clean_line(commitment.entry.title)
        console.write_lines([f"{state}  {title}  ({clean_line(commitment.entry.id)}{due}{late})"])
    if not found:
        console.write_lines(["No commitments.", *elsewhere_lines(elsewhere)])


COMMANDS = {
    "commitment": Command(
        _commitment_arguments,
        _commitment,
        "engrain commitment list --state open",
        'engrain commitment keep 01k8 --note "sent on Friday"',
        'engrain commitment break weekly-report --note "the data came too late"',
        "engrain commitment reopen 01k8",
    )
}
