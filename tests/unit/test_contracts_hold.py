"""The import contracts hold, and each of them catches a violation that is planted."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import engrain

SOURCE = Path(engrain.__file__).parent
PROJECT = Path(__file__).parents[2]

FLOORS = "Each floor stands only on the floors below it"
BACKENDS = "A backend is named by a string, never by an import"
DISK = "No disk and no database above the seam"

# What is planted: where, the lines, the contract that must name it, and how.
VIOLATIONS = {
    "a backend named inside a function": (
        "engine/recall.py",
        "def planted():\n    from engrain.backends.ram import RamBackend\n    return RamBackend\n",
        BACKENDS,
        "engrain.engine.recall -> engrain.backends.ram",
    ),
    "a backend named for its type only": (
        "resolution/selector.py",
        "if TYPE_CHECKING:\n    from engrain.backends.folder import FolderBackend\n",
        BACKENDS,
        "engrain.resolution.selector -> engrain.backends.folder",
    ),
    "the system below the model": (
        "language/text/folding.py",
        "import os\n",
        DISK,
        "engrain.language.text.folding -> os",
    ),
    "the database in the engine": (
        "engine/verbs/save.py",
        "def planted():\n    import apsw\n    return apsw\n",
        DISK,
        "engrain.engine.verbs.save -> apsw",
    ),
    "an upward import": (
        "seam/storage.py",
        "from engrain.engine.core.store import Store\n",
        FLOORS,
        "engrain.seam.storage -> engrain.engine.core.store",
    ),
    "a neighbour's name": (
        "resolution/files.py",
        "def planted():\n    from engrain.engine.core import store\n    return store\n",
        FLOORS,
        "engrain.resolution.files -> engrain.engine.core.store",
    ),
    "memory in the language": (
        "language/text/folding.py",
        "def planted():\n    from engrain.model import errors\n    return errors\n",
        FLOORS,
        "engrain.language.text.folding -> engrain.model.errors",
    ),
    "a neighbour of the other layouts": (
        "interchange/__init__.py",
        "from engrain.lifecycle import policy\n",
        FLOORS,
        "engrain.interchange -> engrain.lifecycle.policy",
    ),
    "a folder that nobody placed": (
        "utils/__init__.py",
        '"""Anything."""\n',
        FLOORS,
        "engrain.utils",
    ),
    "an index in a command": (
        "adapters/cli/main.py",
        "from engrain.index.sqlite_index import SearchIndex\n",
        "Index and journals are used by the engine and what stands on it",
        "engrain.adapters.cli.main -> engrain.index.sqlite_index",
    ),
    "the presentation knowing its caller": (
        "adapters/present/text.py",
        "from engrain.adapters.cli.console import Console\n",
        "The ways in do not know one another",
        "engrain.adapters.present.text -> engrain.adapters.cli.console",
    ),
    "a circle": (
        "model/note/note.py",
        "from engrain.model.note.entry import Entry\n",
        "No circles anywhere",
        ".note -> .entry",
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


@pytest.fixture(scope="module")
def told(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """What the linter says of each contract that a copy with all of them planted breaks."""
    folder = tmp_path_factory.mktemp("planted")
    shutil.copytree(SOURCE, folder / "engrain", ignore=shutil.ignore_patterns("__pycache__"))
    for place, lines, _, _ in VIOLATIONS.values():
        (folder / "engrain" / place).parent.mkdir(exist_ok=True)
        with open(folder / "engrain" / place, "a", encoding="utf-8") as file:
            file.write("\n" + lines)
    done = lint(folder)
    assert done.returncode == 1, done.stdout + done.stderr
    _, _, broken = done.stdout.partition("Broken contracts\n")
    _, *parts = re.split(r"^(\w.+)\n-+\n", broken, flags=re.MULTILINE)
    return dict(zip(parts[::2], parts[1::2], strict=True))


def test_the_contracts_hold() -> None:
    done = lint(SOURCE.parent)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "0 broken" in done.stdout


@pytest.mark.parametrize("name", list(VIOLATIONS))
def test_a_planted_violation_is_caught(name: str, told: dict[str, str]) -> None:
    _, _, contract, named = VIOLATIONS[name]
    assert re.search(rf"{re.escape(named)}\b", told[contract]), told


def test_a_contract_that_nothing_planted_breaks_is_kept(told: dict[str, str]) -> None:
    assert set(told) == {contract for _, _, contract, _ in VIOLATIONS.values()}
