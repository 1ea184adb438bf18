"""`engrain restore`: take a forgotten or archived entry back."""

from __future__ import annotations

import argparse

from engrain.adapters.cli.answer import answer_outcome
from engrain.adapters.cli.console import Console
from engrain.adapters.cli.options import Command, open_from
from engrain.adapters.present.records import Data
from engrain.adapters.present.text import outcome_lines
from engrain.model.errors import UsageError


def _restore_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "id", nargs="?", metavar="ID", help="an id, its beginning, a path or a slug"
    )
    parser.add_argument("--all", action="store_true", help="everything that was forgotten")


def _restore(args: argparse.Namespace, console: Console) -> int:
    if bool(args.id) == args.all:
        raise UsageError("name an entry, or give --all", remedy="`engrain list --all` shows them")
    with open_from(args) as memory:
        if args.all:
            restored = memory.restore_all()
            data: Data = {"restored": [outcome.id for outcome in restored]}
            lines = [line for outcome in restored for line in outcome_lines(outcome, console.style)]
            return console.answer("restore", data, lines or ["Nothing was forgotten."])
        return answer_outcome("restore", memory.restore(args.id), console)


COMMANDS = {
    "restore": Command(
        _restore_arguments, _restore, "engrain restore 01k8", "engrain restore --all"
    ),
}
