"""`engrain feature`: a project's features, and how far each is."""

from __future__ import annotations

import argparse

from engrain.adapters.cli.console import Console
from engrain.adapters.cli.options import Command, open_harness_from
from engrain.adapters.present.records import Data
from engrain.adapters.present.working import (
    describe_feature,
    feature_lines,
)
from engrain.model.errors import UsageError


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


COMMANDS = {
    "feature": Command(
        _feature_arguments,
        _feature,
        "engrain feature list",
        'engrain feature set "Login form" --status doing --note "waits for the design"',
        "engrain feature list --status blocked --json",
    ),
}
