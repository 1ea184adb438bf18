"""rename: another title for a note, and every link to it follows."""

from __future__ import annotations

import argparse

from engrain.adapters.cli.console import Console
from engrain.adapters.cli.options import Command, open_from
from engrain.adapters.present.links import describe_renamed, renamed_lines
from engrain.model.note.tiers import ORIGINS


def _arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("id", metavar="ID", help="an id, its beginning, a path or a slug")
    parser.add_argument("title", metavar="TITLE", help="the new title")
    parser.add_argument("--alias", action="store_true", help="keep the old title as an alias")
    parser.add_argument("--dry-run", action="store_true", help="say what would change, only")
    parser.add_argument("--trust", choices=ORIGINS, default="agent", help="who says so")


def _rename(args: argparse.Namespace, console: Console) -> int:
    with open_from(args) as memory:
        renamed = memory.rename(args.id, args.title, alias=args.alias, dry_run=args.dry_run)
    return console.answer(
        "rename", describe_renamed(renamed), renamed_lines(renamed, console.style)
    )


COMMANDS = {
    "rename": Command(
        _arguments,
        _rename,
        'engrain rename pg-lock "Advisory locks in PostgreSQL"',
        'engrain rename 01k8abcd "Roadmap 2027" --alias',
        'engrain rename notes/Plan.md "Plan for spring" --dry-run',
    )
}
