"""`docs/architecture.md` says how the source tree is: floors, steps, and where to find things."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

from engrain.adapters.cli.commands import COMMANDS
from house.reading import SOURCE

TEXT = (Path(__file__).parents[2] / "docs" / "architecture.md").read_text("utf-8")

HEADS = re.findall(r"^### .*?: `([\w/.]+)` → `(\w+)`\n(.*?)(?=^##)", TEXT, re.M | re.S)
FLOORS = re.findall(
    r"^\| `(\w+)` \| [^|]* \|([^|]*)\|$",
    TEXT.partition("## Floors and rooms")[2].partition("\n## ")[0],
    re.M,
)
WAYS = re.findall(r"^\| `([\w-]+)` \| (Where [^|]*\?) \|([^|]*)\|$", TEXT, re.M)


def read_steps(path: str, name: str) -> list[str]:
    """The functions of a tuple, or the names that a function calls, in the order of the source."""
    tree = ast.parse((SOURCE / path).read_text("utf-8"))
    for node in ast.walk(tree):
        target = getattr(node, "target", None) or next(iter(getattr(node, "targets", ())), None)
        if isinstance(target, ast.Name) and target.id == name:
            return [ast.unparse(step) for step in node.value.elts]  # type: ignore[attr-defined]
        if isinstance(node, ast.FunctionDef) and node.name == name:
            calls = [inside for inside in ast.walk(node) if isinstance(inside, ast.Call)]
            calls.sort(key=lambda call: (call.func.end_lineno or 0, call.func.end_col_offset or 0))
            return [ast.unparse(call.func).rpartition(".")[2] for call in calls]
    raise AssertionError(f"{path} has no {name}")


def follows(steps: list[str], called: list[str]) -> bool:
    """Whether all steps are called, in their order."""
    rest = iter(called)
    return all(step in rest for step in steps)


def test_save_recall_fold_and_import_have_their_steps() -> None:
    verbs = {path.rpartition("/")[2] for path, _, _ in HEADS}
    assert {"save.py", "answering.py", "folding.py", "importing.py"} <= verbs


@pytest.mark.parametrize(("path", "name", "text"), HEADS, ids=[head[1] for head in HEADS])
def test_the_steps_are_those_of_the_code(path: str, name: str, text: str) -> None:
    steps = re.findall(r"^\d+\. `(\w+)`", text, re.M)
    called = read_steps(path, name)
    assert steps
    assert steps == called if name.isupper() else follows(steps, called), called


def test_steps_in_another_order_would_be_caught() -> None:
    assert follows(["a", "c"], ["a", "b", "c"])
    assert not follows(["c", "a"], ["a", "b", "c"])
    assert not follows(["a", "d"], ["a", "b", "c"])


def test_every_floor_and_room_is_named() -> None:
    there = {path.name for path in SOURCE.iterdir() if (path / "__init__.py").exists()}
    modules = {"wiring"}
    assert {name for name, _ in FLOORS} - modules == there - {"sample"}
    for floor, rooms in FLOORS:
        folders = {path.parent.name for path in (SOURCE / floor).glob("[a-z]*/[_a-z]*.*")}
        assert set(re.findall(r"`(\w+)`", rooms)) == folders, floor


def test_at_least_twenty_commands_are_found_by_three_files_each() -> None:
    assert len({command for command, _, _ in WAYS}) == len(WAYS) >= 20
    for command, _, cell in WAYS:
        files = re.findall(r"`([^`]+)`", cell)
        assert command in COMMANDS
        assert 1 <= len(files) <= 3, command
        assert [file for file in files if not (SOURCE / file).is_file()] == [], command
