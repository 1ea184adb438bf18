"""Answers lines without a command: all help, the version, and names that are none."""

from __future__ import annotations

import argparse
import textwrap
from collections.abc import Iterator, Mapping, Sequence
from difflib import get_close_matches

from engrain import __version__
from engrain.adapters.cli.base import BaseCommand
from engrain.adapters.cli.commands import (
    ALIASES,
    COMMANDS,
    GROUPS,
    PACKAGED,
    find_packaged,
    load_command,
)
from engrain.adapters.cli.console import Console
from engrain.adapters.cli.parsing import (
    Parser,
    add_arguments,
    fill,
    fill_group,
    format_help,
    make_command_parser,
)
from engrain.adapters.present.failures import EXIT_OK
from engrain.model.errors import UsageError

_INTRO = """\
Durable memory for AI agents: plain markdown you can read and edit, an index that finds the
right memory, and a history that takes anything back."""

_OUTRO = """\
every command takes, before or after its name:
  --vault DIR, --state-dir DIR, --backend NAME, --project NAME, --agent NAME, --json

examples:
  engrain init ~/memory
  echo "Rebase before you push: CI refuses merge commits." | engrain save --kind workflow -
  engrain recall "why was my push refused"
  engrain undo

`engrain COMMAND --help` has the options of a command, with examples.
Exit codes: 0 ok, 1 error, 2 usage, 3 not found, 4 conflict, 5 vault unavailable."""


def answer_other(name: str | None, argv: Sequence[str], console: Console) -> int:
    """Answer a line without a command. Raises UsageError, and SystemExit as `parse`."""
    if name is None and not argv:
        console.write_lines(_help_lines())
        return EXIT_OK
    if name is None:
        _make_parser().parse_args(argv)
        raise UsageError("no command given", remedy="see `engrain --help`")
    if name == "help":
        words = [word for word in argv if word != name]
        if words and words[0] in (*COMMANDS, *ALIASES):
            make_command_parser(ALIASES.get(words[0], words)[0]).print_help()
        elif words and words[0] not in ("--all", "--help", "-h"):
            raise _refuse_name(words[0])
        else:
            console.write_lines(_help_lines(complete=words[:1] == ["--all"]))
        return EXIT_OK
    raise _refuse_name(name)


def build_parser() -> argparse.ArgumentParser:
    """Make the parser with every command, for completion and for the reference."""
    return _make_parser(complete=True)


def _refuse_name(name: str) -> UsageError:
    near = get_close_matches(name, [*COMMANDS, *ALIASES, "help"], 1)
    remedy = f"did you mean `engrain {near[0]}`?" if near else "see `engrain help --all`"
    return UsageError(f"no command {name[:40]!r}", remedy=remedy)


def _help_lines(*, complete: bool = False) -> Iterator[str]:
    """Yield the commands by group: what the everyday ones do, and if `complete` all of them."""
    yield "usage: engrain COMMAND [OPTION ...]"
    yield from ("", *_INTRO.split("\n"), "")
    for group, names in GROUPS.items():
        if complete or group == "Everyday":
            yield f"{group}:"
            yield from (f"  {name:<12} {summary}" for name, summary in names.items())
            yield ""
        else:
            yield from textwrap.wrap(
                f"{group + ':':<11}{', '.join(names)}", 84, subsequent_indent=" " * 11
            )
    if complete:
        yield "Other names:"
        yield from (f"  {name:<12} {' '.join(words)}" for name, words in ALIASES.items())
    else:
        yield "`engrain help --all` says what each of them does."
    yield ""
    yield from _OUTRO.split("\n")


class _Overview(Parser):
    """The parser of a line without a command, whose help names the commands by group."""

    def format_help(self) -> str:
        return "\n".join(_help_lines()) + "\n"


def _make_parser(*, complete: bool = False) -> argparse.ArgumentParser:
    parser = _Overview(prog="engrain", formatter_class=format_help, allow_abbrev=False)
    parser.add_argument("--version", action="version", version=f"engrain {__version__}")
    add_arguments(parser, BaseCommand)
    if complete:
        below = parser.add_subparsers(dest="command", parser_class=Parser)
        for name, summary in COMMANDS.items():
            if name in PACKAGED and find_packaged(name) is None:
                continue
            added = below.add_parser(
                name, help=summary, formatter_class=format_help, allow_abbrev=False
            )
            found = load_command(name)
            if isinstance(found, Mapping):
                fill_group(added, name, found)
            else:
                fill(added, found)
    return parser
