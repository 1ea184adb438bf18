"""Reads the command line of one command with argparse."""

from __future__ import annotations

import argparse
import os
from collections.abc import Iterable, Sequence
from typing import NoReturn

from engrain.adapters.cli.commands import COMMANDS, Argument
from engrain.adapters.cli.options import load_command
from engrain.model.errors import UsageError


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


def make_command_parser(name: str) -> Parser:
    """Make the parser of one command; its name is not among the arguments."""
    parser = Parser(prog=f"engrain {name}", formatter_class=format_help, allow_abbrev=False)
    fill(parser, name)
    return parser


def format_help(prog: str) -> argparse.HelpFormatter:
    """Make help as wide as the terminal. argparse makes a formatter for every argument, and asks
    shutil for the width, which takes a cold process longer than a recall."""
    try:
        columns = int(os.environ.get("COLUMNS") or os.get_terminal_size(1).columns)
    except (ValueError, OSError):
        columns = 80
    return argparse.RawDescriptionHelpFormatter(prog, width=max(40, columns - 2))


def fill(parser: argparse.ArgumentParser, name: str) -> None:
    """Give a parser the arguments of a command, its summary and its examples."""
    command = load_command(name)
    summary = COMMANDS[name]
    parser.description = summary[0].upper() + summary[1:] + "."
    parser.epilog = "examples:\n" + "\n".join(f"  {example}" for example in command.examples)
    add_arguments(parser, command.list_arguments())


def add_arguments(parser: argparse.ArgumentParser, arguments: Iterable[Argument]) -> None:
    """Add arguments to a parser, each in its group and among its rivals."""
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
