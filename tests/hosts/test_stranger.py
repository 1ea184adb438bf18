"""The way of a stranger: install the package far from the checkout, connect Claude Code, have two
sessions, and remove everything again. The vault alone is left."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest
from packages.build import ROOT, TOOLS, build, make_environment

from engrain import open_memory
from hosts.clients import CLIENTS, Client, Home, Session
from hosts.model import Call, Model, serving
from hosts.terminal import Terminal

LEARNED = "The tenant had no VAT id: pass an empty string."
STATED = "From now on run sh check.sh before you commit."
GOAL = f"Add an export of invoices. {STATED}"
FOLLOWED = "How do I export an invoice?"
NEWER = (".pyenv/versions/3.{}.*/bin/python", ".local/share/uv/python/cpython-3.{}.*/bin/python")
"""Where Pythons lie that are not on the path, below the home of who runs the tests."""
OF_THE_CLIENT = (".claude.json", ".claude/", ".cache/claude-cli-nodejs/")


def find_newest() -> Path | None:
    """The newest Python from 3.12 to 3.14 that is on this machine and runs."""
    for minor in (14, 13, 12):
        on_path = shutil.which(f"python3.{minor}")
        places = [place for form in NEWER for place in Path.home().glob(form.format(minor))]
        for one in [*([Path(on_path)] if on_path else []), *places]:
            done = subprocess.run([one, "-c", "import venv"], capture_output=True, check=False)
            if not done.returncode:
                return one
    return None


class Stranger(Home):
    """A home that knows of no checkout, with the programs of an environment on its path."""

    def __init__(self, folder: Path, client: Client, model: Model, programs: Path) -> None:
        super().__init__(folder, client, model)
        elsewhere = [
            one for one in os.environ["PATH"].split(os.pathsep) if not one.startswith(str(ROOT))
        ]
        self.environ["PATH"] = os.pathsep.join([str(programs), *elsewhere])
        for name in ("PYTHONPATH", "ENGRAIN_EMBEDDER"):
            del self.environ[name]

    def engrain(self, *argv: str, stdin: str = "", check: bool = True) -> str:
        return self.run("engrain", *argv, stdin=stdin, check=check)

    def list_files(self) -> list[str]:
        files = (path for path in self.path.rglob("*") if not path.is_dir())
        return sorted(str(path.relative_to(self.path)) for path in files)


@dataclass
class Visit:
    """What was installed, what two sessions had, what the removal said, and what it left."""

    home: Home
    wheels: list[str]
    first: Session
    second: Session
    removal: str
    processes: list[str]
    packages: list[str]
    files: list[str]


def write_tree(index: Path) -> str:
    """The name of a tree with the present files that git knows; its own index is left alone."""
    told = ""
    for words in (["read-tree", "HEAD"], ["add", "--update"], ["write-tree"]):
        environ = {**os.environ, "GIT_INDEX_FILE": str(index)}
        told = subprocess.check_output(["git", *words], cwd=ROOT, env=environ, text=True)
    return told.strip()


@pytest.fixture(scope="module")
def wheels(tmp_path_factory: pytest.TempPathFactory) -> Sequence[Path]:
    """Both packages, built from what git knows of the present files."""
    place = tmp_path_factory.mktemp("packages")
    try:
        tools = make_environment(place / "tools", *TOOLS[:2])
    except subprocess.CalledProcessError:
        pytest.skip("no registry of packages can be reached")
    build(tools, place / "copy", place / "dist", write_tree(place / "index"))
    return sorted((place / "dist").glob("*.whl"))


@pytest.fixture(scope="module", params=["same-python", "newest-python"])
def visit(
    request: pytest.FixtureRequest, wheels: Sequence[Path], tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Visit]:
    found = Path(sys.executable) if request.param == "same-python" else find_newest()
    if found is None:
        pytest.skip("no Python from 3.12 to 3.14 is here")
    place = tmp_path_factory.mktemp("stranger")
    core = next(wheel for wheel in wheels if wheel.name.startswith("engrain-"))
    python = make_environment(place / "environment", str(core), of=found)
    with serving() as model:
        home = Stranger(place, CLIENTS["claude-code"], model, python.parent)
        with Terminal(["engrain", "setup", "claude-code"], home.project, home.environ) as terminal:
            terminal.wait_for("Learn from sessions?")
            terminal.type("rules\r")
            terminal.wait_for("Hold them until you accept them?")
            terminal.type("n\r")
            terminal.wait_for("runs every hook and shows how long each takes")
        saved = {"title": "Invoice export fails", "text": LEARNED, "kind": "fix"}
        first = home.ask(GOAL, Call("memory_append", saved), "Done.")
        second = home.ask_in_time(FOLLOWED, "Done.")
        processes = home.wait_for_end(10)
        removal = home.engrain("setup", "claude-code", "--remove")
        (command,) = re.findall("^rm -r .*", (ROOT / "docs/hosts.md").read_text(), re.MULTILINE)
        home.run("sh", "-c", command)
        pip = [sys.executable, "-m", "pip", "--python", str(python)]
        subprocess.run([*pip, "uninstall", "--quiet", "--yes", "engrain"], check=True)
        installed = (place / "environment").rglob("*engrain*")
        yield Visit(
            home, [wheel.name for wheel in wheels], first, second, removal, processes,
            [str(path) for path in installed], home.list_files(),
        )  # fmt: skip


def test_the_second_session_gets_what_the_first_one_saved_and_stated(visit: Visit) -> None:
    assert [name.partition("-")[0] for name in visit.wheels] == ["engrain", "engrain_team"]
    for session in (visit.first, visit.second):
        assert (session.code, session.missing) == (0, []), session.err
    assert LEARNED not in visit.first.turns[0].text
    assert LEARNED in visit.second.turns[0].text
    notes = [path.read_text() for path in visit.home.vault.glob("Memory/feedback/*.md")]
    assert any(STATED.removesuffix(".") in text for text in notes)


def test_the_removal_names_every_folder_that_stays(visit: Visit) -> None:
    for folder in (".config/engrain", ".local/state/engrain"):
        assert str(visit.home.path / folder) in visit.removal


def test_the_vault_alone_is_left_beside_what_the_client_writes(visit: Visit) -> None:
    own = [name for name in visit.files if name.startswith("engrain/")]
    others = [name for name in visit.files if not name.startswith(("engrain/", "work/shop/.git/"))]
    assert "engrain/Memory/fix/invoice-export-fails.md" in own
    assert [name for name in others if not name.startswith(OF_THE_CLIENT)] == []
    assert not [name for name in others if name.startswith((".claude/settings", ".claude/skills"))]
    assert "mcpServers" not in json.loads((visit.home.path / ".claude.json").read_text())
    assert visit.packages == []
    assert visit.processes == []


def test_the_vault_that_is_left_opens_on_another_device(visit: Visit, tmp_path: Path) -> None:
    state, keys = tmp_path / "state", tmp_path / "keys"
    with open_memory(visit.home.vault, project="shop", state_dir=state, keys_dir=keys) as memory:
        found = memory.recall("why does the invoice export fail?")
        assert LEARNED in found.results[0].text
