"""`engrain save`: file one memory."""

from __future__ import annotations

import argparse

from engrain.adapters.cli.answer import answer_outcome
from engrain.adapters.cli.console import Console
from engrain.adapters.cli.options import Command, open_from, read_text, read_when
from engrain.model.errors import UsageError
from engrain.model.note.tiers import ORIGINS

_FACTORS = {
    "surprise": "it contradicted what was believed",
    "goal": "it serves the project's goals",
    "social": "it is about somebody who matters",
    "utility": "it proved useful",
}
"""What a weight is made of (S3.3)."""


def _save_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("text", nargs="?", metavar="TEXT", help="the text, or - for standard input")
    parser.add_argument("--title", metavar="T", help="the title; else the first heading or line")
    parser.add_argument("--kind", metavar="K", help="preference, fix, decision, …; else detected")
    parser.add_argument("--tag", action="append", metavar="T", help="a tag; may be repeated")
    parser.add_argument("--status", metavar="S", help="active (the default), inbox, …")
    parser.add_argument("--slug", metavar="S", help="the file's name; else made from the title")
    parser.add_argument("--created", metavar="WHEN", help="when it happened; else now")
    parser.add_argument("--confidence", type=float, metavar="C", help="from 0 to 1")
    parser.add_argument("--weight", type=float, metavar="W", help="from 0 to 1; else estimated")
    for name, meaning in _FACTORS.items():
        parser.add_argument(f"--{name}", type=float, metavar="F", help=f"from 0 to 1: {meaning}")
    parser.add_argument(
        "--derived-from", action="append", default=[], metavar="ID", help="what it was drawn from"
    )
    parser.add_argument(
        "--ref", metavar="REF", help="where it comes from: a session (else the current one), a URL"
    )
    parser.add_argument("--due", metavar="DATE", help="of a commitment: the day it is due")
    parser.add_argument("--trust", choices=ORIGINS, default="agent", help="who says so")


def _save(args: argparse.Namespace, console: Console) -> int:
    text = read_text(args.text, console)
    with open_from(args) as memory:
        outcome = memory.save(
            text,
            title=args.title,
            kind=args.kind,
            tags=args.tag,
            project=getattr(args, "project", None),
            status=args.status,
            slug=args.slug,
            created=read_when(args.created),
            confidence=args.confidence,
            weight=_read_weight(args),
            derived_from=args.derived_from,
            source="cli",
            ref=args.ref or memory.journal.current() or None,
            due=args.due,
        )
    return answer_outcome("save", outcome, console)


def _read_weight(args: argparse.Namespace) -> float | dict[str, float] | None:
    factors = {name: getattr(args, name) for name in _FACTORS if getattr(args, name) is not None}
    if factors and args.weight is not None:
        raise UsageError("--weight is what the factors make", remedy="give it, or factors")
    weight: float | None = args.weight
    return factors or weight


COMMANDS = {
    "save": Command(
        _save_arguments,
        _save,
        'engrain save --kind fix --title "Pooler drops prepared statements" --tag postgres -',
        'engrain save "Prefer small pull requests" --kind preference --trust operator',
        'engrain save --kind commitment --due 2026-10-01 "I will send the report."',
        'engrain save --kind decision --created 2026-09-01 "We round tax once per rate."',
    ),
}
