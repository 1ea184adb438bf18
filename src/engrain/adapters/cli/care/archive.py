"""`engrain archive`: retire an entry: a summary stays, the original is in the history."""

from __future__ import annotations

import argparse

from engrain.adapters.cli.answer import answer_outcome
from engrain.adapters.cli.console import Console
from engrain.adapters.cli.options import Command, open_from
from engrain.model.note.tiers import ORIGINS


def _add_target(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("id", metavar="ID", help="an id, its beginning, a path or a slug")
    parser.add_argument("--reason", default="", metavar="WHY", help="kept in the history")
    parser.add_argument("--trust", choices=ORIGINS, default="agent", help="who says so")


def _archive(args: argparse.Namespace, console: Console) -> int:
    with open_from(args) as memory:
        return answer_outcome("archive", memory.archive(args.id, args.reason), console)


COMMANDS = {
    "archive": Command(
        _add_target,
        _archive,
        'engrain archive old-pooler --reason "the pooler is gone"',
        "engrain archive 01k8 --trust operator",
    ),
}
