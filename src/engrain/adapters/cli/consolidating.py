"""consolidate."""

from __future__ import annotations

from engrain.adapters.cli.options import Command, open_from, read_when
from engrain.adapters.present.consolidation import consolidation_lines, describe_consolidation
from engrain.adapters.present.failures import EXIT_OK
from engrain.adapters.present.records import envelope

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse

    from engrain.adapters.cli.console import Console


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
    if console.as_json:
        described = describe_consolidation(report, dry_run=args.dry_run)
        console.write_json(envelope("consolidate", described))
    else:
        console.write_lines(consolidation_lines(report, console.style, dry_run=args.dry_run))
    return EXIT_OK


COMMANDS = {
    "consolidate": Command(
        _consolidate_arguments,
        _consolidate,
        "engrain consolidate",
        "engrain consolidate --dry-run",
        "engrain consolidate --since 7d --project billing",
    )
}
