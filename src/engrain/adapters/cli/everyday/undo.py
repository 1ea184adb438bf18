"""`engrain undo`: take a change back."""

from __future__ import annotations

import argparse

from engrain.adapters.cli.console import Console
from engrain.adapters.cli.options import Command, open_from
from engrain.adapters.present.failures import EXIT_OK
from engrain.adapters.present.records import (
    describe_undone,
    envelope,
)
from engrain.adapters.present.text import undone_lines


def _undo_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "change", nargs="?", metavar="CHANGE", help="a change's name; else your last"
    )
    parser.add_argument("--reason", default="", metavar="WHY", help="kept in the history")
    parser.add_argument(
        "--cascade", action="store_true", help="and take back what was derived from it"
    )


def _undo(args: argparse.Namespace, console: Console) -> int:
    with open_from(args) as memory:
        undone = memory.undo(args.change, args.reason, cascade=args.cascade)
    if console.as_json:
        console.write_json(envelope("undo", describe_undone(undone)))
    else:
        console.write_lines(undone_lines(undone, console.style))
    return EXIT_OK


COMMANDS = {
    "undo": Command(_undo_arguments, _undo, "engrain undo", "engrain undo k3v9x2mq-12 --cascade"),
}
