"""`engrain link`: link one entry to another."""

from __future__ import annotations

import argparse

from engrain.adapters.cli.answer import answer_outcome
from engrain.adapters.cli.console import Console
from engrain.adapters.cli.options import Command, open_from
from engrain.model.links.link import RELATIONS


def _link_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("id", metavar="ID", help="the entry that gets the link")
    parser.add_argument("to", metavar="TO", help="the entry it points to")
    parser.add_argument("--relation", default="related_to", choices=RELATIONS)
    parser.add_argument("--remove", action="store_true", help="take the link away, at both ends")


def _link(args: argparse.Namespace, console: Console) -> int:
    with open_from(args) as memory:
        outcome = memory.link(args.id, args.to, args.relation, remove=args.remove)
        return answer_outcome("link", outcome, console)


COMMANDS = {
    "link": Command(
        _link_arguments,
        _link,
        "engrain link advisory-lock pooler --relation elaborates",
        "engrain link round-tax round-total --relation contradicts --remove",
    ),
}
