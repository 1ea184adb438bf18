"""erase."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable

from engrain.adapters.cli.console import Console
from engrain.adapters.cli.options import Command, open_from, resolve_from
from engrain.adapters.hooks.losses import forget_losses
from engrain.adapters.present.erasure import describe_erased, erased_lines, plan_lines
from engrain.adapters.present.failures import EXIT_ERROR, EXIT_OK
from engrain.adapters.present.records import envelope
from engrain.model.errors import UsageError

_WORD = "yes"


def _erase_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "ids", nargs="+", metavar="ID", help="an id, its beginning, a path or a slug"
    )
    parser.add_argument("--yes", action="store_true", help="do not ask; there is no way back")


def _erase(args: argparse.Namespace, console: Console) -> int:
    asks = not args.yes
    if asks and (console.as_json or not sys.stdin.isatty()):
        raise UsageError(
            "erasing can't be taken back, and nobody is here to be asked",
            remedy="give --yes; `engrain forget` can be taken back",
        )
    with open_from(args) as memory:
        memory.recover_episodes()  # what dead processes left would come in later
        with console.progress("looking") as progress:
            plan = memory.plan_erasure(args.ids, progress)
        if asks:
            console.write_lines(plan_lines(plan, console.style))
            console.flush()
            if not _confirm(console):
                console.write_lines(["nothing was erased"])
                return EXIT_ERROR
        if memory.drop_references(plan.ids):
            plan = memory.plan_erasure(args.ids)  # which names what is left
        _scrub_log(args, plan.names.mentioned_in)
        with console.progress("erasing") as progress:
            erased = memory.erase(plan, progress)
    if repository := _find_repository(resolve_from(args).location):
        erased.unreachable += (f"{repository}: the vault lies in this git repository",)
    if console.as_json:
        console.write_json(envelope("erase", describe_erased(erased, plan)))
    else:
        console.write_lines(erased_lines(erased, console.style))
    return EXIT_OK


def _confirm(console: Console) -> bool:
    console.write_error(f"There is no way back. Type {_WORD} to erase:")
    return sys.stdin.readline().strip().lower() == _WORD


def _scrub_log(args: argparse.Namespace, tells: Callable[[str], bool]) -> None:
    """Before anything else is done: afterwards nobody knows what to look for."""
    forget_losses(resolve_from(args).state_dir, tells)


def _find_repository(folder: str) -> str | None:
    """The git repository that a folder lies in, whose history keeps what was committed."""
    while not os.path.exists(os.path.join(folder, ".git")):
        above = os.path.dirname(folder)
        if above == folder:
            return None
        folder = above
    return folder


COMMANDS = {
    "erase": Command(
        _erase_arguments,
        _erase,
        "engrain erase 01k8x2m4",
        "engrain erase leaked-token --yes --json",
    ),
}
