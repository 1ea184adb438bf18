"""synthesize."""

from __future__ import annotations

import argparse

from engrain.adapters.cli.console import Console
from engrain.adapters.cli.options import Command, open_from
from engrain.adapters.present.synthesis import describe_synthesis, synthesis_lines


def _arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--entity", metavar="E", help="only this one, by any name of it")
    parser.add_argument("--dry-run", action="store_true", help="only tell what would be written")


def _synthesize(args: argparse.Namespace, console: Console) -> int:
    with open_from(args) as memory:
        report = memory.synthesize(args.entity, dry_run=args.dry_run)
    return console.answer(
        "synthesize",
        describe_synthesis(report, dry_run=args.dry_run),
        synthesis_lines(report, console.style, dry_run=args.dry_run),
    )


COMMANDS = {
    "synthesize": Command(
        _arguments,
        _synthesize,
        "engrain synthesize --dry-run",
        "engrain synthesize",
        'engrain synthesize --entity "Alice Lee"',
    )
}
