"""history, undo, verify."""

from __future__ import annotations

from engrain.adapters.cli.options import Command, open_from, read_when
from engrain.adapters.present.failures import EXIT_ERROR, EXIT_OK
from engrain.adapters.present.records import (
    describe_chains,
    describe_changes,
    describe_undone,
    envelope,
)
from engrain.adapters.present.text import change_lines
from engrain.model.errors import UsageError

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse

    from engrain.adapters.cli.console import Console


def _history_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("id", nargs="?", metavar="ID", help="one entry; else the whole vault")
    parser.add_argument("--at", metavar="WHEN", help="the entry's bytes as they were then")
    parser.add_argument("--limit", "-n", type=int, metavar="N", help="at most so many")


def _history(args: argparse.Namespace, console: Console) -> int:
    at = read_when(args.at)
    with open_from(args) as memory:
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


def _undo_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "change", nargs="?", metavar="CHANGE", help="a change's name; else your last"
    )
    parser.add_argument("--reason", default="", metavar="WHY", help="kept in the history")


def _undo(args: argparse.Namespace, console: Console) -> int:
    with open_from(args) as memory:
        undone = memory.undo(args.change, args.reason)
    if console.as_json:
        console.write_json(envelope("undo", describe_undone(undone)))
    else:
        entries = ", ".join(undone.entries)
        console.write_lines([f"undone {undone.undone} by {undone.change}: {entries}"])
    return EXIT_OK


def _verify_arguments(_: argparse.ArgumentParser) -> None:
    """It takes nothing of its own."""


def _verify(args: argparse.Namespace, console: Console) -> int:
    with open_from(args) as memory:
        reports = memory.verify()
    if console.as_json:
        console.write_json(envelope("verify", describe_chains(reports)))
    else:
        for report in reports:
            state = console.style("bad", report.wrong) if report.wrong else "unbroken"
            erased = f", {report.erased} payloads erased" if report.erased else ""
            changes = f"{report.links} change{'' if report.links == 1 else 's'}"
            console.write_lines([f"{report.device}: {changes}{erased}, {state}"])
        if not reports:
            console.write_lines(["No changes yet."])
    return EXIT_ERROR if any(report.wrong for report in reports) else EXIT_OK


COMMANDS = {
    "history": Command(
        _history_arguments,
        _history,
        "engrain history --limit 20",
        "engrain history pg-lock",
        "engrain history pg-lock --at 2026-09-01 > as-it-was.md",
    ),
    "undo": Command(_undo_arguments, _undo, "engrain undo", "engrain undo k3v9x2mq-12"),
    "verify": Command(_verify_arguments, _verify, "engrain verify --json"),
}
