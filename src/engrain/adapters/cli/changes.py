"""history, undo, verify."""

from __future__ import annotations

import argparse

from engrain.adapters.cli.console import Console
from engrain.adapters.cli.extracts import export_history, verify_extract
from engrain.adapters.cli.options import Command, open_from, read_when
from engrain.adapters.present.failures import EXIT_ERROR, EXIT_OK
from engrain.adapters.present.records import (
    describe_chains,
    describe_changes,
    describe_undone,
    envelope,
)
from engrain.adapters.present.text import change_lines, counted, undone_lines
from engrain.model.errors import UsageError
from engrain.model.note.ids import base_device, is_branch


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


def _undo_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "change", nargs="?", metavar="CHANGE", help="a change's name; else your last"
    )
    parser.add_argument("--reason", default="", metavar="WHY", help="kept in the history")
    parser.add_argument(
        "--cascade", action="store_true", help="and take back what was derived from it"
    )


def _undo(args: argparse.Namespace, console: Console) -> int:
    with open_from(args) as memory:
        undone = memory.undo(args.change, args.reason, cascade=args.cascade)
    if console.as_json:
        console.write_json(envelope("undo", describe_undone(undone)))
    else:
        console.write_lines(undone_lines(undone, console.style))
    return EXIT_OK


def _verify_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--extract", metavar="FILE", help="check an exported file instead; it needs no vault"
    )


def _verify(args: argparse.Namespace, console: Console) -> int:
    if args.extract is not None:
        return verify_extract(args.extract, console)
    with open_from(args) as memory:
        reports = memory.verify()
    if console.as_json:
        console.write_json(envelope("verify", describe_chains(reports)))
    else:
        for report in reports:
            state = console.style("bad", report.wrong) if report.wrong else "unbroken"
            if is_branch(report.device):
                former = base_device(report.device)
                state += f", a branch: from change {report.first} on two devices wrote as {former}"
            erased = f", {report.erased} payloads erased" if report.erased else ""
            changes = counted(report.links, "change")
            plain = report.links - report.attested
            note = f", {plain} without a code of this vault's key" if plain else ""
            if report.cancelled:
                note += f", {counted(report.cancelled, 'mistaken external record')} cancelled"
            console.write_lines([f"{report.device}: {changes}{erased}{note}, {state}"])
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
        "engrain history pg-lock --export pg-lock.jsonl",
    ),
    "undo": Command(_undo_arguments, _undo, "engrain undo", "engrain undo k3v9x2mq-12 --cascade"),
    "verify": Command(
        _verify_arguments,
        _verify,
        "engrain verify --json",
        "engrain verify --extract pg-lock.jsonl",
    ),
}
