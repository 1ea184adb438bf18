"""`engrain pin`: load an entry in every session, whatever its use."""

from __future__ import annotations

import argparse

from engrain.adapters.cli.answer import answer_outcome
from engrain.adapters.cli.console import Console
from engrain.adapters.cli.options import Command, open_from
from engrain.model.note.tiers import ORIGINS


def _add_target(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("id", metavar="ID", help="an id, its beginning, a path or a slug")
    parser.add_argument("--reason", default="", metavar="WHY", help="kept in the history")
    parser.add_argument("--trust", choices=ORIGINS, default="agent", help="who says so")


def _pin_arguments(parser: argparse.ArgumentParser) -> None:
    _add_target(parser)
    parser.add_argument(
        "--off", action="store_true", help="keep it no longer: heat decides from now on"
    )


def _pin(args: argparse.Namespace, console: Console) -> int:
    with open_from(args) as memory:
        return answer_outcome("pin", memory.pin(args.id, not args.off, args.reason), console)


COMMANDS = {
    "pin": Command(_pin_arguments, _pin, "engrain pin release-steps", "engrain pin 01k8 --off"),
}
