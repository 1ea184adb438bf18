"""Reads command lines with argparse, and prints all help."""

from __future__ import annotations

import argparse
import os
import textwrap
from collections.abc import Iterable, Iterator, Sequence
from difflib import get_close_matches
from typing import NoReturn

from engrain import __version__
from engrain.adapters.cli.commands import ALIASES, COMMANDS, GROUPS, PACKAGED, Argument, read_table
from engrain.adapters.cli.console import Console
from engrain.adapters.cli.options import COMMON, find_packaged, load_command
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


class Parser(argparse.ArgumentParser):
    """Raises UsageError instead of exiting, so that usage errors are reported like all others."""

    def error(self, message: str) -> NoReturn:
        verbs = [
            verb for one in self._actions if one.dest == "action" for verb in one.choices or ()
        ]
        if verbs and message.startswith("the following arguments are required"):
            message = f"`{self.prog}` needs one of these actions: {', '.join(verbs)}"
        raise UsageError(message, remedy=f"see `{self.prog} --help`")

    def arrange(self, argv: Sequence[str]) -> list[str]:
        """Put the options first in `argv`: argparse takes the words before an option for all there
        are, so that `edit ID --expect HASH TEXT` would have no text."""
        options: list[str] = []
        words: list[str] = []
        rest = iter(argv)
        for word in rest:
            if word == "--":
                words += rest
            elif word[:1] == "-" and word != "-" and (" " not in word or self._has_option(word)):
                options.append(word)
                action = self._option_string_actions.get(word)
                if action is not None and action.nargs != 0:
                    options.append(next(rest, "--"))
                # As a value it would be swallowed, by argparse's own rule about two dashes.
                if "--" in (options[-1], options[-1].partition("=")[2]):
                    self.error(f"argument {word.partition('=')[0]}: expected one argument")
            else:
                words.append(word)
        return [*options, "--", *words] if words else options

    def _has_option(self, word: str) -> bool:
        return word.partition("=")[0] in self._option_string_actions


def parse(name: str, argv: Sequence[str]) -> argparse.Namespace:
    """Read the arguments of a command. Raises UsageError, and SystemExit after printing their
    help."""
    parser = make_command_parser(name)
    return parser.parse_args(parser.arrange(argv))


def answer_other(name: str | None, argv: Sequence[str], console: Console) -> int:
    """Answer a line without a command. Raises UsageError, and SystemExit as `parse`."""
    if name is None:
        _make_parser().parse_args(argv)
        raise UsageError("no command given", remedy="see `engrain --help`")
    if name == "help":
        words = [word for word in argv if word != name]
        if words and words[0] in (*COMMANDS, *ALIASES):
            make_command_parser(ALIASES.get(words[0], words[0])).print_help()
        elif words and words[0] not in ("--all", "--help", "-h"):
            raise _refuse_name(words[0])
        else:
            console.write_lines(_help_lines(complete=words[:1] == ["--all"]))
        return EXIT_OK
    raise _refuse_name(name)


def build_parser() -> argparse.ArgumentParser:
    """Make the parser with every command, for completion and for the reference."""
    return _make_parser(complete=True)


def make_command_parser(name: str) -> Parser:
    """Make the parser of one command; its name is not among the arguments."""
    parser = Parser(prog=f"engrain {name}", formatter_class=_format_help, allow_abbrev=False)
    _fill(parser, name)
    return parser


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
        yield "Other names: " + ", ".join(f"{name} ({of})" for name, of in ALIASES.items())
    else:
        yield "`engrain help --all` says what each of them does."
    yield ""
    yield from _OUTRO.split("\n")


class _Overview(Parser):
    """The parser of a line without a command, whose help names the commands by group."""

    def format_help(self) -> str:
        return "\n".join(_help_lines()) + "\n"


def _make_parser(*, complete: bool = False) -> argparse.ArgumentParser:

    parser = _Overview(prog="engrain", formatter_class=_format_help, allow_abbrev=False)
    parser.add_argument("--version", action="version", version=f"engrain {__version__}")
    _add_arguments(parser, read_table(COMMON))
    if complete:
        below = parser.add_subparsers(dest="command", parser_class=Parser)
        for name, summary in COMMANDS.items():
            if name in PACKAGED and find_packaged(name) is None:
                continue
            added = below.add_parser(
                name, help=summary, formatter_class=_format_help, allow_abbrev=False
            )
            _fill(added, name)
    return parser


def _format_help(prog: str) -> argparse.HelpFormatter:
    """Make help as wide as the terminal. argparse makes a formatter for every argument, and asks
    shutil for the width, which takes a cold process longer than a recall."""
    try:
        columns = int(os.environ.get("COLUMNS") or os.get_terminal_size(1).columns)
    except (ValueError, OSError):
        columns = 80
    return argparse.RawDescriptionHelpFormatter(prog, width=max(40, columns - 2))


def _fill(parser: argparse.ArgumentParser, name: str) -> None:
    command = load_command(name)
    summary = COMMANDS[name]
    parser.description = summary[0].upper() + summary[1:] + "."
    parser.epilog = "examples:\n" + "\n".join(f"  {example}" for example in command.examples)
    _add_arguments(parser, command.list_arguments())


def _add_arguments(parser: argparse.ArgumentParser, arguments: Iterable[Argument]) -> None:
    groups: dict[str | int, argparse._ActionsContainer] = {"": parser}
    for one in arguments:
        if one.group not in groups:
            groups[one.group] = parser.add_argument_group(one.group)
        place = groups[one.group]
        if one.rivals and one.rivals not in groups:
            groups[one.rivals] = place.add_mutually_exclusive_group()
        more = dict(one.more)
        if more.get("action") == "boolean":
            more["action"] = argparse.BooleanOptionalAction
        if one.names:
            more["dest"] = one.dest
        groups[one.rivals or one.group].add_argument(*(one.names or [one.dest]), **more)
