"""`engrain history`: who changed what, and an entry as it was on a date."""

from __future__ import annotations

import argparse

from engrain.adapters.cli.console import Console
from engrain.adapters.cli.options import Command, open_from, read_when
from engrain.adapters.cli.review.extracts import export_history
from engrain.adapters.present.failures import EXIT_OK
from engrain.adapters.present.records import (
    describe_changes,
    envelope,
)
from engrain.adapters.present.text import change_lines
from engrain.model.errors import UsageError


def _history_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("id", nargs="?", metavar="ID", help="one entry; else the whole vault")
    parser.add_argument("--at", metavar="WHEN", help="the entry's bytes as they were then")
    parser.add_argument("--limit", "-n", type=int, metavar="N", help="at most so many")
    parser.add_argument(
        "--export", metavar="FILE", help="write an extract that others can check, - for output"
    )
    parser.add_argument("--no-payloads", action="store_true", help="export no content")
    parser.add_argument("--force", action="store_true", help="export over a file that is there")


def _history(args: argparse.Namespace, console: Console) -> int:
    at = read_when(args.at)
    with open_from(args) as memory:
        if args.export is not None:
            return export_history(memory, args, console)
        if at is None:
            changes = memory.history(args.id, args.limit)
            if console.as_json:
                console.write_json(envelope("history", describe_changes(changes)))
            else:
                console.write_lines(change_lines(changes, console.style))
            return EXIT_OK
        if args.id is None:
            raise UsageError("--at needs an entry", remedy="engrain history ID --at WHEN")
        raw = memory.read_at(args.id, at)
    if console.as_json:
        text = raw.decode(errors="replace")
        console.write_json(envelope("history", {"id": args.id, "at": args.at, "text": text}))
    else:
        console.write_bytes(raw)
    return EXIT_OK


COMMANDS = {
    "history": Command(
        _history_arguments,
        _history,
        "engrain history --limit 20",
        "engrain history pg-lock",
        "engrain history pg-lock --at 2026-09-01 > as-it-was.md",
        "engrain history pg-lock --export pg-lock.jsonl",
    ),
}
