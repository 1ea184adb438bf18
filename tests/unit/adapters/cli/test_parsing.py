"""Command lines as argparse reads them by the fields of the commands."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Mapping

import pytest

from engrain.adapters.cli.base import BaseCommand
from engrain.adapters.cli.commands import COMMANDS, MODULES, load_command
from engrain.adapters.cli.everyday.save import SaveCommand
from engrain.adapters.cli.parsing import parse, summarize
from engrain.model.errors import UsageError


def list_commands() -> Iterator[tuple[str, type[BaseCommand]]]:
    """Each command and each action, with the words that call it."""
    for name in MODULES:
        found = load_command(name)
        if isinstance(found, Mapping):
            yield from ((f"{name} {action}", command) for action, command in found.items())
        else:
            yield name, found


LISTED = dict(list_commands())


@pytest.mark.parametrize("called", sorted(LISTED))
def test_every_example_is_read(called: str) -> None:
    name = called.partition(" ")[0]
    for line in LISTED[called].examples.strip().splitlines():
        if f"engrain {name}" not in line:
            continue  # what comes before it
        words = shlex.split(line.rpartition(f"engrain {name}")[2], comments=True)
        ends = [words.index(stop) for stop in ("<", ">", "|") if stop in words]
        assert type(parse(name, words[: min(ends or [99])])) is LISTED[called], line


def test_a_group_without_an_action_means_its_first() -> None:
    assert type(parse("commitment", ["--state", "open"])) is LISTED["commitment list"]
    with pytest.raises(UsageError, match="no action 'open'"):
        parse("commitment", ["open"])


def test_the_help_of_a_command_is_what_the_overview_says_of_it() -> None:
    for name, command in LISTED.items():
        if name in COMMANDS:
            assert command.__doc__ == summarize(name)


@pytest.mark.parametrize(
    "argv",
    [["--limit"], ["--limit", "x"], ["--limit", "--all"], ["--tier", "T9"], ["--frob"], ["word"]],
)
def test_what_is_wrong_is_a_usage_error(argv: list[str]) -> None:
    with pytest.raises(UsageError):
        parse("list", argv)


@pytest.mark.parametrize("argv", [["--title=My title", "A text."], ["A text.", "--title=My title"]])
def test_a_value_with_blanks_may_be_joined_to_its_option(argv: list[str]) -> None:
    found = parse("save", argv)
    assert isinstance(found, SaveCommand)
    assert (found.title, found.text) == ("My title", "A text.")
