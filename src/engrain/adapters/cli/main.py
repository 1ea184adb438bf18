"""Dispatch: one command's module is imported, and only that one."""

from __future__ import annotations

import argparse
import os
import sys

from engrain.adapters.cli.console import Console
from engrain.adapters.cli.options import Command, add_common
from engrain.adapters.present.failures import (
    EXIT_OK,
    describe_error,
    error_line,
    exit_code,
)
from engrain.adapters.present.records import envelope
from engrain.model.errors import EngrainError, StorageError, UsageError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import NoReturn

# Command -> (module beside this one, what it does).
COMMANDS = {
    "init": ("keeping", "create a vault and make it the default"),
    "save": ("writing", "file one memory"),
    "recall": ("reading", "find the memories that matter for a question or prompt"),
    "show": ("reading", "one entry whole, with its links"),
    "list": ("reading", "entries by filter, newest first"),
    "edit": ("writing", "change an entry in place, if it still is what you read"),
    "evolve": ("writing", "replace an entry by a newer one and keep the old in the archive"),
    "forget": ("writing", "delete softly: the file stays, recall skips it"),
    "restore": ("writing", "take a forgotten entry back"),
    "link": ("writing", "link one entry to another"),
    "history": ("changes", "who changed what, and an entry as it was on a date"),
    "undo": ("changes", "take a change back"),
    "verify": ("changes", "show that the history is unbroken"),
    "import": ("keeping", "take in a folder of markdown or an Obsidian vault"),
    "reindex": ("keeping", "rebuild the index from the files"),
    "doctor": ("keeping", "check everything, with a live write and recall"),
    "config": ("keeping", "show and set settings"),
    "demo": ("demo", "see it work on sample data, in a vault of its own"),
    "completion": ("keeping", "print a completion script for your shell"),
}

_INTRO = """\
Durable memory for AI agents: plain markdown you can read and edit, an index that finds the
right memory, and a history that takes anything back."""

_OUTRO = """\
examples:
  engrain init ~/memory
  echo "Rebase before you push: CI refuses merge commits." | engrain save --kind workflow -
  engrain recall "why was my push refused"
  engrain undo

Every command has --help with examples, and answers a program with --json.
Exit codes: 0 ok, 1 error, 2 usage, 3 not found, 4 conflict, 5 vault unavailable."""


class Parser(argparse.ArgumentParser):
    """Raises instead of leaving, so that a usage error is told like every other."""

    def error(self, message: str) -> NoReturn:
        raise UsageError(message, remedy=f"see `{self.prog} --help`")


def run(argv: Sequence[str]) -> int:
    """Run one command line; the exit code. Never raises but for KeyboardInterrupt's own code."""
    as_json = "--json" in argv
    console = Console(as_json)
    name = _find_command(argv)
    try:
        args = _make_parser(name).parse_args(argv)
        if name is None:
            if getattr(args, "command", None) is None:
                raise UsageError("no command given", remedy="see `engrain --help`")
            raise AssertionError("argparse accepts only known commands")
        code = _load(name).run(args, console)
        sys.stdout.flush()
        return code
    except EngrainError as error:
        return _fail(console, name, error)
    except BrokenPipeError:
        # The reader has gone; what is still buffered has nowhere to go either.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return EXIT_OK
    except KeyboardInterrupt:
        console.write_error("engrain: interrupted")
        return 130
    except OSError as error:
        return _fail(
            console,
            name,
            StorageError(
                error.strerror or str(error),
                path=str(error.filename) if error.filename else None,
                remedy="run `engrain doctor`",
            ),
        )


def build_parser() -> argparse.ArgumentParser:
    """The parser with every command in full, for completion and for the reference."""
    return _make_parser(None, complete=True)


def _fail(console: Console, name: str | None, error: EngrainError) -> int:
    if console.as_json:
        console.write_json(envelope(name or "", None, describe_error(error)))
    else:
        console.write_error(error_line(error))
    return exit_code(error)


def _find_command(argv: Sequence[str]) -> str | None:
    """The command's name, found without parsing: the first known word that is no option's value."""
    skip = False
    for word in argv:
        if skip:
            skip = False
        elif word in ("--vault", "--state-dir", "--backend", "--project", "--agent"):
            skip = True
        elif not word.startswith("-"):
            return word if word in COMMANDS else None
    return None


def _load(name: str) -> Command:
    from importlib import import_module

    module = import_module(f"engrain.adapters.cli.{COMMANDS[name][0]}")
    commands: dict[str, Command] = module.COMMANDS
    return commands[name]


def _make_parser(only: str | None, *, complete: bool = False) -> argparse.ArgumentParser:
    from engrain import __version__

    parser = Parser(
        prog="engrain",
        description=_INTRO,
        epilog=_OUTRO,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--version", action="version", version=f"engrain {__version__}")
    add_common(parser)
    below = parser.add_subparsers(dest="command", metavar="COMMAND", title="commands")
    for name, (_, summary) in COMMANDS.items():
        if only is not None and name != only:
            continue
        command = _load(name) if complete or only is not None else None
        added = below.add_parser(
            name,
            help=summary,
            description=summary[0].upper() + summary[1:] + ".",
            epilog=_examples(command) if command else None,
            formatter_class=argparse.RawDescriptionHelpFormatter,
        )
        add_common(added)
        if command:
            command.arguments(added)
    return parser


def _examples(command: Command) -> str:
    return "examples:\n" + "\n".join(f"  {example}" for example in command.examples)
