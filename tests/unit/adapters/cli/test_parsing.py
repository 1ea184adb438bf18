"""Two readers of one table of arguments: ours for plain lines, argparse for all others."""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engrain.adapters.cli import options
from engrain.adapters.cli.commands import MODULES, Argument, read_arguments
from engrain.adapters.cli.options import load_command
from engrain.adapters.cli.parsing import parse
from engrain.model.errors import UsageError

ASSIGNED = {"asked", "console"}
"""Attributes of arguments that no table declares, since code sets them."""

WORDS = [
    "",
    "-",
    "--",
    "-x",
    "-5",
    "7",
    ".5",
    "a b",
    "- a b",
    "--x=a b",
    "--x y",
    "2026-01-01",
    "é",
]


@st.composite
def draw_line(draw: st.DrawFn) -> tuple[str, list[str]]:
    """A command, and arguments that are mostly its own."""
    name = draw(st.sampled_from(sorted(MODULES)))
    arguments = load_command(name).list_arguments()
    pieces = st.lists(st.sampled_from(arguments).flatmap(draw_argument), max_size=5)
    return name, [word for piece in draw(pieces) for word in piece]


def draw_argument(one: Argument) -> st.SearchStrategy[list[str]]:
    """The words of one argument, mostly as its table has it."""
    fitting = one.more.get("choices") or ["7", "word", "two words"]
    value = st.sampled_from(fitting) | st.sampled_from(fitting) | st.sampled_from(WORDS)
    if not one.names:
        return value.map(lambda word: [word])
    names = [*one.names, *one.names, *("--no-" + name.lstrip("-") for name in one.names), "--x"]
    ways = st.sampled_from(["alone", "apart", "apart", "joined", "short"])
    return st.builds(write_option, st.sampled_from(names), value, ways)


def write_option(name: str, value: str, way: str) -> list[str]:
    written = {"alone": [name], "apart": [name, value], "joined": [f"{name}={value}"]}
    return written.get(way, [name[:3] + value])


@given(draw_line())
def test_what_ours_reads_argparse_reads_alike(line: tuple[str, list[str]]) -> None:
    name, argv = line
    plain = read_arguments(load_command(name).list_arguments(), argv)
    if plain is None:
        return
    known = vars(parse(name, argv))
    assert plain == known
    assert [type(one) for one in plain.values()] == [type(known[key]) for key in plain]


@pytest.mark.parametrize("command", sorted(MODULES))
def test_ours_reads_every_example(command: str) -> None:
    found = load_command(command)
    lines = (line for line in found.examples if f"engrain {command}" in line)
    for example in lines:
        words = shlex.split(example.partition(f"engrain {command}")[2], comments=True)
        words = words[
            : min([words.index(stop) for stop in ("<", ">", "|") if stop in words] or [99])
        ]
        assert read_arguments(found.list_arguments(), words) is not None, example


@pytest.mark.parametrize(
    "argv",
    [["--limit"], ["--limit", "x"], ["--limit", "--all"], ["--tier", "T9"], ["--frob"], ["word"]],
)
def test_what_is_wrong_is_left_to_argparse_which_says_so(argv: list[str]) -> None:
    assert read_arguments(load_command("list").list_arguments(), argv) is None
    with pytest.raises(UsageError):
        parse("list", argv)


@pytest.mark.parametrize("argv", [["--title=My title", "A text."], ["A text.", "--title=My title"]])
def test_a_value_with_blanks_may_be_joined_to_its_option(argv: list[str]) -> None:
    plain = read_arguments(load_command("save").list_arguments(), argv)
    assert plain is not None and (plain["title"], plain["text"]) == ("My title", "A text.")
    assert vars(parse("save", argv)) == plain


@pytest.mark.parametrize("command", ["recall", "save", "show", "list", "edit", "evolve", "forget"])
def test_no_everyday_command_loads_argparse(command: str) -> None:
    code = (
        "import sys; from engrain.adapters.cli.main import run; run(sys.argv[1:]);"
        "sys.exit('argparse' in sys.modules)"
    )
    line = [sys.executable, "-c", code, command, "one", *(["two"] if command == "evolve" else [])]
    line = line[:4] if command == "list" else line
    assert subprocess.run(line, capture_output=True).returncode == 0


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
