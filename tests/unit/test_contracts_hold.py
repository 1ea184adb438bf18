"""The import contracts hold, and each of them catches a violation that is planted."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import engrain

SOURCE = Path(engrain.__file__).parent
PROJECT = Path(__file__).parents[2]

# What is planted: where, the lines, and the contract that must name it.
VIOLATIONS = {
    "a backend named inside a function": (
        "engine/recall.py",
        "def planted():\n    from engrain.backends.ram import RamBackend\n    return RamBackend\n",
        "A backend is named by a string, never by an import",
    ),
    "a backend named for its type only": (
        "resolution/selector.py",
        "if TYPE_CHECKING:\n    from engrain.backends.folder import FolderBackend\n",
        "A backend is named by a string, never by an import",
    ),
    "the system below the model": (
        "language/text/folding.py",
        "import os\n",
        "No disk and no database above the seam",
    ),
    "the database in the engine": (
        "engine/verbs/save.py",
        "def planted():\n    import apsw\n    return apsw\n",
        "No disk and no database above the seam",
    ),
    "an upward import": (
        "seam/storage.py",
        "from engrain.engine.core.store import Store\n",
        "Each floor stands only on the floors below it",
    ),
    "a neighbour's name": (
        "resolution/files.py",
        "def planted():\n    from engrain.engine.memory import Memory\n    return Memory\n",
        "Each floor stands only on the floors below it",
    ),
    "memory in the language": (
        "language/text/folding.py",
        "def planted():\n    from engrain.model import errors\n    return errors\n",
        "Each floor stands only on the floors below it",
    ),
    "a neighbour of the other layouts": (
        "interchange/__init__.py",
        "from engrain.lifecycle import policy\n",
        "Each floor stands only on the floors below it",
    ),
    "an index outside the wiring": (
        "adapters/cli/main.py",
        "from engrain.index.sqlite_index import open_index\n",
        "Only the wiring names a concrete index, embedder or journal",
    ),
    "the presentation knowing its caller": (
        "adapters/present/text.py",
        "from engrain.adapters.cli.console import Console\n",
        "The ways in do not know one another",
    ),
    "a circle": (
        "model/note/note.py",
        "from engrain.model.note.entry import Entry\n",
        "No circles anywhere",
    ),
}


def lint(source: Path) -> subprocess.CompletedProcess[str]:
    """Run the import contracts of the project on the package in this folder."""
    return subprocess.run(
        [
            str(Path(sys.executable).with_name("lint-imports")),
            "--config",
            str(PROJECT / "pyproject.toml"),
            "--no-cache",
        ],
        capture_output=True,
        text=True,
        check=False,
        cwd=source,
        env={**os.environ, "PYTHONPATH": str(source), "NO_COLOR": "1", "COLUMNS": "200"},
    )


def copy_source(folder: Path) -> Path:
    shutil.copytree(SOURCE, folder / "engrain", ignore=shutil.ignore_patterns("__pycache__"))
    return folder


def broken_contracts(output: str) -> set[str]:
    """The contracts that the linter calls broken."""
    return {
        line.removesuffix("BROKEN").strip()
        for line in output.splitlines()
        if line.strip().endswith("BROKEN")
    }


def test_the_contracts_hold() -> None:
    done = lint(SOURCE.parent)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "0 broken" in done.stdout


@pytest.mark.parametrize("name", list(VIOLATIONS))
def test_a_planted_violation_is_caught(name: str, tmp_path: Path) -> None:
    path, lines, contract = VIOLATIONS[name]
    copy = copy_source(tmp_path)
    with open(copy / "engrain" / path, "a", encoding="utf-8") as file:
        file.write("\n" + lines)
    done = lint(copy)
    assert done.returncode == 1, done.stdout + done.stderr
    assert contract in broken_contracts(done.stdout), done.stdout


def test_a_folder_that_nobody_placed_is_caught(tmp_path: Path) -> None:
    copy = copy_source(tmp_path)
    (copy / "engrain" / "utils").mkdir()
    (copy / "engrain" / "utils" / "__init__.py").write_text('"""Anything."""\n')
    done = lint(copy)
    assert done.returncode == 1
    assert "Each floor stands only on the floors below it" in broken_contracts(done.stdout)
    assert "utils" in done.stdout


def test_a_copy_without_a_violation_holds(tmp_path: Path) -> None:
    done = lint(copy_source(tmp_path))
    assert done.returncode == 0, done.stdout + done.stderr
