"""`engrain show`: one entry whole, with its links."""

from __future__ import annotations

import argparse

from engrain.adapters.cli.console import Console
from engrain.adapters.cli.options import (
    Command,
    add_session,
    open_from,
    read_session,
)
from engrain.adapters.present.failures import EXIT_OK
from engrain.adapters.present.records import (
    describe_shown,
    envelope,
)
from engrain.adapters.present.text import shown_lines


def _show_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("id", metavar="ID", help="an id, its beginning, a path or a slug")
    parser.add_argument("--raw", action="store_true", help="the file's bytes, nothing else")
    add_session(parser)


def _show(args: argparse.Namespace, console: Console) -> int:
    with open_from(args) as memory:
        shown = memory.show(args.id)
        memory.note_used(read_session(args), [shown.entry.id])
    if console.as_json:
        console.write_json(envelope("show", describe_shown(shown)))
    elif args.raw:
        console.write_bytes(shown.entry.note.raw)
    else:
        console.write_lines(shown_lines(shown, console.style))
    return EXIT_OK


COMMANDS = {
    "show": Command(
        _show_arguments, _show, "engrain show 01k8", "engrain show pg-lock --raw > copy.md"
    ),
}
