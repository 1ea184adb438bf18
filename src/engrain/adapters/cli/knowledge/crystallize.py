"""crystallize."""

from __future__ import annotations

import argparse

from engrain.adapters.cli.console import Console
from engrain.adapters.cli.options import Command, open_from, read_when
from engrain.adapters.present.crystal import crystal_lines, describe_crystal


def _arguments(parser: argparse.ArgumentParser) -> None:
    which = parser.add_mutually_exclusive_group()
    which.add_argument(
        "--phase",
        metavar="P",
        help="the phase of that name that ended last; else whichever ended last",
    )
    which.add_argument("--session", metavar="ID", help="a session of this device")
    which.add_argument(
        "--since", metavar="WHEN", help="all that was done since: a date, or 7d, 12h"
    )
    parser.add_argument("--dry-run", action="store_true", help="only show what would be written")


def _crystallize(args: argparse.Namespace, console: Console) -> int:
    with open_from(args) as memory:
        done = memory.crystallize(
            phase=args.phase,
            session=args.session,
            since=read_when(args.since),
            dry_run=args.dry_run,
        )
    return console.answer(
        "crystallize",
        describe_crystal(done, dry_run=args.dry_run),
        crystal_lines(done, console.style, dry_run=args.dry_run),
    )


COMMANDS = {
    "crystallize": Command(
        _arguments,
        _crystallize,
        "engrain crystallize --dry-run",
        "engrain crystallize --phase work",
        "engrain crystallize --since 7d --project billing",
    )
}
