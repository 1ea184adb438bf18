"""dream."""

from __future__ import annotations

import argparse

from engrain.adapters.cli.console import Console
from engrain.adapters.cli.options import Command, open_from
from engrain.adapters.present.dreaming import describe_dream, dream_lines
from engrain.adapters.present.failures import EXIT_ERROR, EXIT_OK
from engrain.lifecycle.dreaming.stages import NAMES
from engrain.model.errors import UsageError


def _arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--dry-run", action="store_true", help="only tell what would be proposed, write nothing"
    )
    parser.add_argument(
        "--only",
        action="append",
        default=[],
        metavar="KIND",
        choices=NAMES,
        help="only this stage (or several): " + ", ".join(NAMES),
    )
    parser.add_argument(
        "--resume", action="store_true", help="go on with the one that was not finished, or fail"
    )
    parser.add_argument(
        "--limit",
        type=int,
        metavar="N",
        help="findings of each kind that are proposed at most, else the setting dream.limit",
    )
    parser.add_argument(
        "--auto",
        action="store_true",
        default=None,
        help="do at once what can be taken back and loses nothing, as the setting dream.auto",
    )


def _dream(args: argparse.Namespace, console: Console) -> int:
    if args.limit is not None and args.limit < 0:
        raise UsageError("--limit is a number from 0 up")
    if args.dry_run and (args.auto or args.resume):
        raise UsageError("--dry-run writes nothing, so it takes no --auto and no --resume")
    with open_from(args) as memory, console.progress("dreaming") as progress:
        begun: list[str] = []

        def tell(stage: str) -> None:
            begun.append(stage)
            if progress:
                progress(len(begun) - 1, len(args.only or NAMES))

        done = memory.dream(
            only=args.only,
            limit=args.limit,
            auto=args.auto,
            resume=args.resume,
            dry_run=args.dry_run,
            tell=tell,
        )
    console.answer("dream", describe_dream(done), dream_lines(done, console.style))
    return EXIT_ERROR if done.errors else EXIT_OK


COMMANDS = {
    "dream": Command(
        _arguments,
        _dream,
        "engrain dream --dry-run",
        "engrain dream",
        "engrain dream --only duplicate --only contradiction --limit 20",
        "engrain dream --auto   # what can be taken back is done at once",
    )
}
