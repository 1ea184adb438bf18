"""Command lines as argparse reads them by the tables of the commands."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

from engrain.adapters.cli import options
from engrain.adapters.cli.commands import MODULES
from engrain.adapters.cli.options import load_command
from engrain.adapters.cli.parsing import parse
from engrain.model.errors import UsageError

ASSIGNED = {"asked", "console"}
"""Attributes of arguments that no table declares, since code sets them."""


@pytest.mark.parametrize("command", sorted(MODULES))
def test_every_example_is_read(command: str) -> None:
    found = load_command(command)
    lines = (line for line in found.examples if f"engrain {command}" in line)
    for example in lines:
        words = shlex.split(example.partition(f"engrain {command}")[2], comments=True)
        words = words[
            : min([words.index(stop) for stop in ("<", ">", "|") if stop in words] or [99])
        ]
        assert vars(parse(command, words)), example


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
    assert (found.title, found.text) == ("My title", "A text.")


def test_commands_read_no_argument_that_none_declares() -> None:
    declared = {one.dest for name in MODULES for one in load_command(name).list_arguments()}
    folder = Path(options.__file__).parent
    modules = {path.stem: path.read_text(encoding="utf-8") for path in folder.rglob("*.py")}
    read = {
        f"{module}: {name}"
        for module, text in modules.items()
        for name in set(re.findall(r"\bargs\.([a-z]\w*)", text)) - declared - ASSIGNED
    }
    assert read == set()
