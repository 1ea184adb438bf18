"""`engrain forget`: delete softly: the file stays, recall skips it."""

from __future__ import annotations

import argparse

from engrain.adapters.cli.answer import answer_outcome
from engrain.adapters.cli.console import Console
from engrain.adapters.cli.options import Command, open_from


def _forget_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("id", metavar="ID", help="an id, its beginning, a path or a slug")
    parser.add_argument("--reason", default="", metavar="WHY", help="kept in the history")


def _forget(args: argparse.Namespace, console: Console) -> int:
    with open_from(args) as memory:
        return answer_outcome("forget", memory.forget(args.id, args.reason), console)


COMMANDS = {
    "forget": Command(
        _forget_arguments, _forget, 'engrain forget 01k8 --reason "was about the old service"'
    ),
}
