"""consolidate."""

from __future__ import annotations

import argparse

from engrain.adapters.cli.console import Console
from engrain.adapters.cli.options import Command, open_from, read_when
from engrain.adapters.present.consolidation import consolidation_lines, describe_consolidation


def _consolidate_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--since",
        metavar="WHEN",
        help="look again at episodes since: a date, or 7d, 12h; else consolidate.hours. Those that"
        " no pattern refers to are looked at in any case",
    )
    parser.add_argument("--dry-run", action="store_true", help="only tell what would be written")


def _consolidate(args: argparse.Namespace, console: Console) -> int:
    with open_from(args) as memory:
        report = memory.consolidate(
            since=read_when(args.since),
            project=getattr(args, "project", None),
            dry_run=args.dry_run,
        )
    return console.answer(
        "consolidate",
        describe_consolidation(report, dry_run=args.dry_run),
        consolidation_lines(report, console.style, dry_run=args.dry_run),
    )


COMMANDS = {
    "consolidate": Command(
        _consolidate_arguments,
        _consolidate,
        "engrain consolidate",
        "engrain consolidate --dry-run",
        "engrain consolidate --since 7d --project billing",
    )
}
