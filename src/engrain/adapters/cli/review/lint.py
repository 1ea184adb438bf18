"""lint: what in a vault is not as it should be."""

from __future__ import annotations

import argparse

from engrain.adapters.cli.console import Console
from engrain.adapters.cli.options import Command, open_from
from engrain.adapters.present.failures import EXIT_ERROR, EXIT_OK
from engrain.adapters.present.linting import describe_lint, lint_lines
from engrain.engine.lint.run import RULES

_EXIT_CODES = "Leaves with 0 where nothing is left to say, and with 1 where something is."


def _arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--fix",
        action="store_true",
        help="mend what nobody could want otherwise, in one change, and propose the rest where"
        " something can be done",
    )
    parser.add_argument(
        "--dry-run", action="store_true", help="with --fix: only tell what would be mended"
    )
    parser.add_argument(
        "--only",
        action="append",
        default=[],
        metavar="RULE",
        help="only by this rule, or several: " + ", ".join(RULES),
    )
    parser.description = f"{parser.description or ''} {_EXIT_CODES}"


def _lint(args: argparse.Namespace, console: Console) -> int:
    fix = args.fix and not args.dry_run
    with open_from(args) as memory:
        linted = memory.lint(args.only, fix=fix)
        proposed = memory.propose_mending(linted.left) if fix else []
    console.answer(
        "lint", describe_lint(linted, proposed), lint_lines(linted, proposed, console.style)
    )
    return EXIT_ERROR if linted.left else EXIT_OK


COMMANDS = {
    "lint": Command(
        _arguments,
        _lint,
        "engrain lint",
        "engrain lint --only broken-link --only one-sided",
        "engrain lint --fix --dry-run",
        "engrain lint --fix     # `engrain undo` takes it back",
    )
}
