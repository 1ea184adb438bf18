"""map."""

from __future__ import annotations

import argparse

from engrain.adapters.cli.console import Console
from engrain.adapters.cli.options import Command, open_from
from engrain.adapters.present.failures import EXIT_ERROR, EXIT_OK
from engrain.adapters.present.mapping import describe_maps, map_lines


def _arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--check",
        action="store_true",
        help="write nothing; tell what would be, with exit code 1 where anything would",
    )


def _map(args: argparse.Namespace, console: Console) -> int:
    with open_from(args) as memory:
        maps = memory.check_map() if args.check else memory.map()
    console.answer(
        "map",
        describe_maps(maps, check=args.check),
        map_lines(maps, console.style, check=args.check),
    )
    return EXIT_ERROR if args.check and not maps.in_step else EXIT_OK


COMMANDS = {
    "map": Command(
        _arguments,
        _map,
        "engrain map",
        "engrain map --check",
    )
}
