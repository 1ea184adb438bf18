"""stats: what tasks cost, how they went, what of the memory was of use."""

from __future__ import annotations

import argparse

from engrain.adapters.cli.console import Console
from engrain.adapters.cli.options import Command, open_from
from engrain.adapters.present.stats import (
    describe_signals,
    describe_statistics,
    signal_lines,
    statistics_lines,
)
from engrain.model.errors import UsageError
from engrain.model.experience.metrics import SIGNALS

_DAYS = 7


def _arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "action", nargs="?", choices=("show", "signal"), default="show", help="show is the default"
    )
    parser.add_argument("task", nargs="?", metavar="TASK", help="signal: the task that is judged")
    parser.add_argument("--days", type=int, metavar="N", help=f"the last N days, else {_DAYS}")
    parser.add_argument("--all-projects", action="store_true", help="show: whatever the project")
    group = parser.add_argument_group("signal: a word, or a number")
    group.add_argument("--outcome", metavar="V", help="success, partial, failure, or -1 to 1")
    group.add_argument("--efficiency", metavar="V", help="0 to 1")
    group.add_argument(
        "--preference", metavar="V", help="accept, commit, revert, manual-fix, …, or -1 to 1"
    )
    group.add_argument("--note", default="", metavar="TEXT", help="why")


def _stats(args: argparse.Namespace, console: Console) -> int:
    judged = {kind: getattr(args, kind) for kind in SIGNALS}
    if args.action == "signal":
        return _signal(args, judged, console)
    if args.task or args.note or any(value is not None for value in judged.values()):
        raise UsageError("only `stats signal` judges a task", remedy="engrain stats signal TASK …")
    days = _DAYS if args.days is None else args.days
    with open_from(args) as memory:
        found = memory.statistics(days=days, all_projects=args.all_projects)
    return console.answer(
        "stats", describe_statistics(found), statistics_lines(found, console.style)
    )


def _signal(args: argparse.Namespace, judged: dict[str, str | None], console: Console) -> int:
    if args.days is not None or args.all_projects:
        raise UsageError("stats signal takes no --days and no --all-projects")
    if not args.task:
        raise UsageError(
            "which task is judged?", remedy="engrain stats signal TASK --outcome success"
        )
    with open_from(args) as memory:
        signals = memory.add_signals(args.task, **judged, note=args.note)
    return console.answer("stats", describe_signals(signals), signal_lines(signals, console.style))


COMMANDS = {
    "stats": Command(
        _arguments,
        _stats,
        "engrain stats",
        "engrain stats --days 30 --all-projects --json",
        "engrain stats signal task-042 --outcome success --preference commit",
        'engrain stats signal task-043 --efficiency 0.4 --note "three detours"',
    )
}
