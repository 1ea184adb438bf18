"""session: begin and end one by hand, where no host does it."""

from __future__ import annotations

import argparse

from engrain.adapters.cli.console import Console
from engrain.adapters.cli.options import Command, open_from, read_session
from engrain.adapters.present.failures import EXIT_OK
from engrain.adapters.present.records import envelope
from engrain.face.memory import Memory


def _arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("action", choices=("begin", "end"), help="what happens")
    parser.add_argument(
        "session", nargs="?", metavar="ID", help="which; else a new one, or the one that was begun"
    )


def _run(args: argparse.Namespace, console: Console) -> int:
    with open_from(args) as memory:
        if args.action == "begin":
            return _begin(args, memory, console)
        return _end(args, memory, console)


def _begin(args: argparse.Namespace, memory: Memory, console: Console) -> int:
    session = memory.begin_session(args.session, current=args.session is None)
    if console.as_json:
        described: dict[str, object] = {"session": session, "project": memory.project}
        console.write_json(envelope("session", described))
    else:
        console.write_lines([f"session {session} has begun"])
    return EXIT_OK


def _end(args: argparse.Namespace, memory: Memory, console: Console) -> int:
    session = read_session(args, memory.journal.current()) or ""
    raised = list(memory.end_session(session))
    if console.as_json:
        console.write_json(envelope("session", {"session": session, "strengthened": raised}))
    else:
        count = f"{len(raised)} {'entry' if len(raised) == 1 else 'entries'} recalled in it"
        console.write_lines([f"session {session} has ended; {count}"])
    return EXIT_OK


COMMANDS = {
    "session": Command(
        _arguments,
        _run,
        "engrain session begin   # what is recalled from here on counts for it",
        "engrain session end",
        "engrain session begin ci-4711   # meant by ENGRAIN_SESSION=ci-4711, or --session",
    ),
}
