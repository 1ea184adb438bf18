"""`engrain list`: entries by filter, newest first."""

from __future__ import annotations

import argparse

from engrain.adapters.cli.console import Console
from engrain.adapters.cli.options import (
    Command,
    add_scope,
    open_from,
    read_scope,
)
from engrain.adapters.present.failures import EXIT_OK
from engrain.adapters.present.records import (
    describe_listing,
    envelope,
)
from engrain.adapters.present.text import elsewhere_lines, listing_lines
from engrain.model.note.tiers import STATUSES


def _list_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--limit", "-n", type=int, metavar="N", help="at most so many")
    parser.add_argument("--all", action="store_true", help="of every status and place")
    add_scope(parser)


def _list(args: argparse.Namespace, console: Console) -> int:
    if args.all:
        args.status = list(STATUSES)
    with open_from(args) as memory:
        listing = memory.list(scope=read_scope(args), limit=args.limit)
        elsewhere = 0
        if not listing.total and not args.all_projects:
            args.all_projects = True
            elsewhere = memory.list(scope=read_scope(args), limit=1).total
    if console.as_json:
        data = {**describe_listing(listing), "elsewhere": elsewhere}
        console.write_json(envelope("list", data))
    else:
        console.write_lines(listing_lines(listing, console.style))
        console.write_lines(elsewhere_lines(elsewhere))
    return EXIT_OK


COMMANDS = {
    "list": Command(
        _list_arguments,
        _list,
        "engrain list --kind preference",
        "engrain list --all --limit 20",
        "engrain list --status deleted --json",
    ),
}
