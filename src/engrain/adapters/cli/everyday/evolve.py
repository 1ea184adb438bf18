"""`engrain evolve`: replace an entry by a newer one and keep the old in the archive."""

from __future__ import annotations

import argparse

from engrain.adapters.cli.answer import answer_outcome
from engrain.adapters.cli.console import Console
from engrain.adapters.cli.options import Command, open_from, read_text
from engrain.model.note.tiers import ORIGINS


def _evolve_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("id", metavar="ID", help="an id, its beginning, a path or a slug")
    parser.add_argument("text", metavar="TEXT", help="what is true now, or -")
    parser.add_argument("--title", metavar="T", help="a new title; else the old one")
    parser.add_argument("--tag", action="append", metavar="T", help="new tags; else the old ones")
    parser.add_argument("--reason", default="", metavar="WHY", help="kept in the history")
    parser.add_argument("--trust", choices=ORIGINS, default="agent", help="who says so")


def _evolve(args: argparse.Namespace, console: Console) -> int:
    text = read_text(args.text, console)
    with open_from(args) as memory:
        outcome = memory.evolve(args.id, text, title=args.title, tags=args.tag, reason=args.reason)
    return answer_outcome("evolve", outcome, console)


COMMANDS = {
    "evolve": Command(
        _evolve_arguments,
        _evolve,
        'engrain evolve round-tax "We round once per rate now." --reason "audit of September"',
        "engrain evolve 01k8 - < new.md",
    ),
}
