"""What `engrain` promises by name, and what asking for the name alone costs."""

from __future__ import annotations

import ast
import json
import subprocess
import sys
from importlib import resources
from pathlib import Path

import pytest

import engrain
from unit.adapters.shell import SOURCE

API = Path(__file__).with_name("api.py")


def modules_after(statement: str) -> set[str]:
    """The modules that a statement brings into a fresh interpreter."""
    done = subprocess.run(
        [
            sys.executable,
            "-c",
            f"import json, sys; before = set(sys.modules); {statement}; "
            "print(json.dumps(sorted(set(sys.modules) - before)))",
        ],
        capture_output=True,
        check=True,
        env={"PYTHONPATH": SOURCE, "HOME": "/nonexistent"},
    )
    return set(json.loads(done.stdout))


def own(modules: set[str]) -> set[str]:
    return {name for name in modules if name.partition(".")[0] == "engrain"}


def test_the_public_names_are_sorted_and_told_once() -> None:
    assert sorted(set(engrain.__all__)) == engrain.__all__


@pytest.mark.parametrize("name", engrain.__all__)
def test_every_public_name_can_be_imported(name: str) -> None:
    value = getattr(engrain, name)
    assert value.__name__ == name
    assert value.__doc__


def test_a_star_import_brings_the_public_names() -> None:
    names: dict[str, object] = {}
    exec("from engrain import *", names)  # noqa: S102
    assert set(engrain.__all__) <= set(names)


def test_a_name_that_is_not_public_is_no_attribute() -> None:
    name = "no_such_name"
    with pytest.raises(AttributeError, match=f"'{name}'"):
        getattr(engrain, name)


def test_the_typed_use_of_the_api_covers_every_public_name() -> None:
    tree = ast.parse(API.read_text())
    imported = {
        alias.name
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom) and node.module == "engrain"
        for alias in node.names
    }
    assert imported == set(engrain.__all__)


def test_the_package_says_that_it_is_typed() -> None:
    assert resources.files("engrain").joinpath("py.typed").is_file()


def test_importing_engrain_imports_nothing_else() -> None:
    assert own(modules_after("import engrain")) == {"engrain"}


@pytest.mark.parametrize("name", [name for name in engrain.__all__ if name.endswith("Error")])
def test_an_error_costs_one_small_module(name: str) -> None:
    loaded = own(modules_after(f"from engrain import {name}"))
    assert loaded == {"engrain", "engrain.model", "engrain.model.errors"}


@pytest.mark.parametrize(
    "statement",
    [
        "from engrain import Memory",
        "from engrain import open_memory",
        "import engrain.__main__",
        "import engrain.engine.recall",
    ],
)
def test_the_way_to_a_recall_takes_no_heavy_module(statement: str) -> None:
    heavy = {"asyncio", "numpy", "onnxruntime", "sqlite3", "urllib.request", "yaml"}
    assert not modules_after(statement) & heavy
