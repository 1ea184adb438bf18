"""Reads the command line of one command with argparse, by the fields of its class."""

from __future__ import annotations

import argparse
import os
from collections.abc import Container, Mapping, Sequence
from dataclasses import MISSING, Field
from types import NoneType, UnionType
from typing import Any, Literal, NoReturn, TypeAlias, Union, get_args, get_origin, get_type_hints

from engrain.adapters.cli.base import BaseCommand, Details, list_arguments
from engrain.adapters.cli.commands import COMMANDS, load_command
from engrain.model.errors import UsageError

Kind: TypeAlias = "type[BaseCommand]"

_MISSING = "the following arguments are required"
"""How argparse begins its message."""


class Parser(argparse.ArgumentParser):
    """Raises UsageError instead of exiting, so that usage errors are reported like all others."""

    def error(self, message: str) -> NoReturn:
        message = message.replace("arguments: -- ", "arguments: ")  # see `arrange`
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


def parse(name: str, argv: Sequence[str]) -> BaseCommand:
    """Read the arguments of a command. Raises UsageError, and SystemExit after printing their
    help."""
    found = load_command(name)
    if not isinstance(found, Mapping):
        return _parse(f"engrain {name}", found, argv)
    action, rest = _split_action(name, found, argv)
    if action:
        return _parse(f"engrain {name} {action}", found[action], rest)
    if {"-h", "--help"}.intersection(rest):
        make_group_parser(name, found).parse_args(["--help"])
    default = next(iter(found))
    try:
        return _parse(f"engrain {name} {default}", found[default], rest)
    except UsageError as error:
        if not error.message.startswith(_MISSING):
            raise
        raise UsageError(
            f"`engrain {name}` needs one of these actions: {', '.join(found)}",
            remedy=f"see `engrain {name} --help`",
        ) from None


def _parse(prog: str, command: Kind, argv: Sequence[str]) -> BaseCommand:
    parser = make_parser(prog, command)
    return command(**vars(parser.parse_args(parser.arrange(argv))))


def _split_action(
    name: str, actions: Mapping[str, Kind], argv: Sequence[str]
) -> tuple[str | None, list[str]]:
    """Return the action of a command line, and the line without it; None for a line that names
    none. Raises UsageError for an unknown action."""
    valued = {
        option
        for action in actions.values()
        for one in list_arguments(action)
        if not one.metadata["details"].is_flag
        for option in list_options(one)
    }
    at = find_word(argv, valued)
    if at is None:
        return None, list(argv)
    if argv[at] not in actions:
        raise UsageError(
            f"`engrain {name}` has no action {argv[at][:40]!r}",
            remedy=f"one of {', '.join(actions)}; see `engrain {name} --help`",
        )
    return argv[at], [*argv[:at], *argv[at + 1 :]]


def find_word(argv: Sequence[str], valued: Container[str]) -> int | None:
    """Find the first word that is neither an option nor the value of an option in `valued`."""
    skip = False
    for at, word in enumerate(argv):
        if skip:
            skip = False
        elif word in valued:
            skip = True
        elif not word.startswith("-"):
            return at
    return None


def make_command_parser(name: str) -> Parser:
    """Make the parser of a command, whose name is not among the arguments; of a group that of all
    its actions."""
    found = load_command(name)
    prog = f"engrain {name}"
    return (
        make_group_parser(name, found) if isinstance(found, Mapping) else make_parser(prog, found)
    )


def make_parser(prog: str, command: Kind) -> Parser:
    """Make the parser of one command or action."""
    parser = Parser(prog=prog, formatter_class=format_help, allow_abbrev=False)
    fill(parser, command)
    return parser


def make_group_parser(name: str, actions: Mapping[str, Kind]) -> Parser:
    """Make the parser of a group of actions."""
    parser = Parser(prog=f"engrain {name}", formatter_class=format_help, allow_abbrev=False)
    fill_group(parser, name, actions)
    return parser


def format_help(prog: str) -> argparse.HelpFormatter:
    """Make help as wide as the terminal. argparse makes a formatter for every argument, and asks
    shutil for the width, which takes a cold process longer than a recall."""
    try:
        columns = int(os.environ.get("COLUMNS") or os.get_terminal_size(1).columns)
    except (ValueError, OSError):
        columns = 80
    return argparse.RawDescriptionHelpFormatter(prog, width=max(40, columns - 2))


def fill(parser: argparse.ArgumentParser, command: Kind) -> None:
    """Give a parser the arguments of a command, its docstring and its examples."""
    parser.description = command.__doc__
    parser.epilog = describe_examples(command.examples)
    add_arguments(parser, command)


def add_arguments(parser: argparse.ArgumentParser, command: Kind) -> None:
    """Add the fields of a command to a parser, each in its group and among its rivals."""
    types = get_type_hints(command)
    groups: dict[str, argparse._ActionsContainer] = {"": parser}
    for one in list_arguments(command):
        details = one.metadata["details"]
        if details.group not in groups:
            groups[details.group] = parser.add_argument_group(details.group)
        place = details.rivals or details.group
        if place not in groups:
            groups[place] = groups[details.group].add_mutually_exclusive_group()
        names = [one.name] if details.is_word else list_options(one)
        groups[place].add_argument(*names, **_translate(one, _unwrap(types[one.name])))


def fill_group(parser: argparse.ArgumentParser, name: str, actions: Mapping[str, Kind]) -> None:
    """Give a parser the actions of a group, and the examples of all."""
    parser.description = summarize(name)
    parser.epilog = describe_examples(
        "\n".join(one.examples.strip() for one in actions.values() if one.examples)
    )
    default = next(iter(actions))
    below = parser.add_subparsers(
        dest="action",
        metavar="ACTION",
        title="actions",
        parser_class=Parser,
        description=f"`{default}` if none is given; `engrain {name} ACTION --help` says more",
    )
    for action, command in actions.items():
        doc = (command.__doc__ or "").partition(".")[0]
        added = below.add_parser(
            action, help=doc[:1].lower() + doc[1:], formatter_class=format_help, allow_abbrev=False
        )
        fill(added, command)


def summarize(name: str) -> str:
    """Return what a command does, as a sentence."""
    summary = COMMANDS[name]
    return summary[0].upper() + summary[1:] + "."


def describe_examples(examples: str) -> str:
    """Return the end of a help."""
    lines = "".join(f"\n  {line}" for line in examples.strip().splitlines())
    return f"examples:{lines}" if lines else ""


def list_options(one: Field[Any]) -> list[str]:
    """List the names of an option on the command line."""
    details: Details = one.metadata["details"]
    name = details.name or f"--{one.name.replace('_', '-')}"
    return [name, details.short] if details.short else [name]


def _unwrap(kind: Any) -> Any:
    """Return the type of one value of an argument, without the list it is in and without None."""
    while get_origin(kind) in (list, Union, UnionType):
        kind = next(part for part in get_args(kind) if part is not NoneType)
    return kind


def _translate(one: Field[Any], kind: Any) -> dict[str, Any]:
    """Return what argparse has to know of an argument, whose values are of a kind."""
    details: Details = one.metadata["details"]
    found: dict[str, Any] = {"help": details.help}
    is_list = one.default_factory is not MISSING
    default = one.default_factory() if one.default_factory is not MISSING else one.default
    if default is not MISSING:
        found["default"] = default
    if details.is_flag:
        action = "store_true" if default is False else argparse.BooleanOptionalAction
        return {**found, "dest": one.name, "action": action}
    found |= _translate_value(details, kind)
    if not details.is_word:
        more = {"action": "append"} if is_list else {"required": default is MISSING}
        return {**found, "dest": one.name, **more}
    if is_list:
        return {**found, "nargs": "+" if details.required else "*"}
    return found if default is MISSING else {**found, "nargs": "?"}


def _translate_value(details: Details, kind: Any) -> dict[str, Any]:
    """Return what argparse has to know of a value."""
    found: dict[str, Any] = {}
    if choices := get_args(kind) if get_origin(kind) is Literal else details.choices:
        found["choices"] = list(choices)
    elif details.metavar:
        found["metavar"] = details.metavar
    if details.type or kind in (int, float):
        found["type"] = details.type or kind
    return found
