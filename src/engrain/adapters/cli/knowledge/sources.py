"""sources: which files outside the vault facts are learned from."""

from __future__ import annotations

import argparse

from engrain.adapters.cli.console import Console
from engrain.adapters.cli.options import Command, open_from, refuse_others
from engrain.adapters.present.sources import (
    added_lines,
    describe_added,
    describe_detected,
    describe_sources,
    detected_lines,
    source_lines,
)
from engrain.model.errors import UsageError

_ADD, _LIST, _REMOVE = "add", "list", "remove"
_TAKEN = {
    _ADD: ("place", "host", "name", "format", "origin", "match"),
    _LIST: (),
    _REMOVE: ("place",),
}
_NAMES = {"place": "path or name", "origin": "--trust"}
_TRUSTS = ("operator", "agent", "external")


def check_reading(name: str, args: argparse.Namespace) -> None:
    """Raises UsageError for what excludes each other where a PATH or a source is read."""
    if args.paths and args.source:
        raise UsageError(f"{name} takes a PATH or --source", remedy="give one of the two")
    if args.origin and not args.paths:
        raise UsageError(
            "--trust is of a PATH: a source has its own",
            remedy="`engrain sources add --trust` says it of a source",
        )


def _arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "action",
        choices=tuple(_TAKEN),
        help="add: learn from a file or a folder, without one show which agents' sessions there"
        " are; list: each with how far it was read; remove: learn from it no more",
    )
    parser.add_argument("place", nargs="?", metavar="PATH|NAME", help="of add a path, else a name")
    parser.add_argument("--host", metavar="H", help="add: the sessions of claude-code or codex")
    parser.add_argument("--name", metavar="N", help="add: its name; else that of the folder")
    parser.add_argument(
        "--format", metavar="F", help="add: how its files are read; else each file tells"
    )
    parser.add_argument(
        "--trust",
        dest="origin",
        choices=_TRUSTS,
        help="add: whose words these are; else external, of a host's sessions agent",
    )
    parser.add_argument(
        "--match",
        action="append",
        default=[],
        metavar="GLOB",
        help="add: only files so named, such as '*.md'",
    )


def _sources(args: argparse.Namespace, console: Console) -> int:
    refuse_others("sources", args, _TAKEN, _NAMES)
    return _ACTIONS[args.action](args, console)


def _add(args: argparse.Namespace, console: Console) -> int:
    project = getattr(args, "project", None) or ""
    if not args.place and not args.host:
        return _offer(args, console)
    if args.host and (args.place or args.format or args.origin or args.match):
        raise UsageError("--host takes no path, --format, --trust or --match: they are known")
    with open_from(args) as memory:
        if args.host:
            added = memory.add_host_source(args.host, name=args.name or "", project=project)
        else:
            added = memory.add_source(
                args.place,
                name=args.name or "",
                format=args.format or "",
                trust=args.origin or "external",
                project=project,
                match=args.match,
            )
    return console.answer("sources", describe_added(added), added_lines(added, console.style))


def _offer(args: argparse.Namespace, console: Console) -> int:
    if args.name or args.format or args.origin or args.match:
        raise UsageError("sources add takes a path, or --host", remedy="name a file or a folder")
    with open_from(args) as memory:
        found = memory.detect_sources()
        kept = {standing.source.path for standing in memory.sources()}
    return console.answer(
        "sources", describe_detected(found, kept), detected_lines(found, kept, console.style)
    )


def _list(args: argparse.Namespace, console: Console) -> int:
    with open_from(args) as memory:
        found = memory.sources()
    return console.answer("sources", describe_sources(found), source_lines(found, console.style))


def _remove(args: argparse.Namespace, console: Console) -> int:
    if not args.place:
        raise UsageError("sources remove takes a name", remedy="`engrain sources list` shows them")
    with open_from(args) as memory:
        removed = memory.remove_source(args.place)
    lines = [f"removed {removed.name}; what was learned from it stays"]
    return console.answer("sources", {"removed": removed.name, "path": removed.path}, lines)


_ACTIONS = {_ADD: _add, _LIST: _list, _REMOVE: _remove}

COMMANDS = {
    "sources": Command(
        _arguments,
        _sources,
        "engrain sources add --host claude-code",
        "engrain sources add ~/notes/meetings --match '*.md' --project apollo",
        "engrain sources add ~/exports/conversations.json --trust operator",
        "engrain sources list",
        "engrain sources remove meetings",
    )
}
