"""import and export of the loki layout: folders that are found, and written whole."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from support.loki import PATTERN, TREE, list_lost, read_folder, write_tree
from unit.adapters.shell import SOURCE, CommandLine
from unit.adapters.shell import ask as data_of

FORMAT = ("--format", "loki")
PATTERNS = "semantic/patterns.json"


@pytest.fixture
def tree(cli: CommandLine) -> Path:
    """The folder `.loki/memory` of a project."""
    return write_tree(cli.folder / "todos" / ".loki" / "memory")


def test_a_tree_comes_in_and_goes_out_the_same(cli: CommandLine, tree: Path) -> None:
    came = data_of(cli, "import", *FORMAT, str(tree))
    assert (came["outcomes"], came["problems"]) == ({"created": 17}, [])
    out = cli.folder / "out"
    went = data_of(cli, "export", *FORMAT, str(out))
    assert list_lost(TREE, read_folder(out)) == []
    assert (went["files"], went["left_out"]) == (len(read_folder(out)), [])
    assert went["counts"] == {
        "anti-pattern": 3, "domain-reference": 3, "episode": 2, "handoff": 1, "learning": 2,
        "ledger": 1, "link": 3, "pattern": 3, "procedural": 2,
    }  # fmt: skip
    index = json.loads((out / "episodic" / "index.json").read_text())
    assert list(index) == ["_generated", "days"]
    assert list(index["days"]) == ["2026-01-05", "2026-01-06"]


@pytest.mark.parametrize("below", ["", ".loki", ".loki/memory"])
def test_a_folder_that_the_memory_lies_in_will_do(cli: CommandLine, tree: Path, below: str) -> None:
    (tree.parent / "CONTINUITY.md").write_text("# Continuity\n")
    project = cli.folder / "todos"
    to = ("--project", "todos", "--trust", "external")
    came = data_of(cli, "import", "loki", str(project / below), *to)
    assert came["outcomes"] == {"left out": 1, "created": 17}
    assert [problem["path"] for problem in came["problems"]] == ["CONTINUITY.md"]
    shown = data_of(cli, "show", "sem-001", "--project", "todos")
    assert shown["source"]["ref"] == f"todos/{PATTERNS}#sem-001"
    again = cli("import", "loki", str(project / below), "--project", "todos")
    assert again.out.startswith("18 read: 0 added, 0 changed, 17 unchanged, 0 skipped, 1 refused\n")


@pytest.mark.parametrize("form", ["loki", "three-layer", "living"])
def test_what_is_no_such_folder_is_refused(cli: CommandLine, form: str) -> None:
    for path in ("/nowhere", str(cli.folder)):
        done = cli("import", form, path)
        assert (done.code, done.out) == (2, "")
        assert path in done.err


def test_files_that_are_no_files_are_not_read(cli: CommandLine, tree: Path) -> None:
    secret = cli.folder / "secret.json"
    secret.write_text(json.dumps([{**PATTERN, "id": "secret"}]))
    (tree / PATTERNS).unlink()
    (tree / PATTERNS).symlink_to(secret)
    os.mkfifo(tree / "handoffs" / "pipe.json")
    came = data_of(cli, "import", "loki", str(tree))
    assert {problem["path"] for problem in came["problems"]} >= {PATTERNS, "handoffs/pipe.json"}
    assert cli("show", "secret").code == 3


def test_working_memory_beside_the_tree_is_not_read_through_a_link(
    cli: CommandLine, tree: Path
) -> None:
    secret = cli.folder / "secret.md"
    secret.write_text("Nobody's business.")
    (tree / "CONTINUITY.md").unlink(missing_ok=True)
    beside = tree.parent / "CONTINUITY.md"
    beside.unlink(missing_ok=True)
    beside.symlink_to(secret)
    to = ("--trust", "operator", "--project", "todos")
    came = data_of(cli, "import", "loki", str(tree), *to)
    assert {problem["path"] for problem in came["problems"]} >= {"../CONTINUITY.md"}
    assert "business" not in cli("agent", "continuity", "--project", "todos").out


def test_an_export_goes_into_an_empty_folder_or_by_force(cli: CommandLine) -> None:
    cli.save("The API listens on port 8080.", "--kind", "domain-reference")
    out = cli.folder / "out"
    out.mkdir()
    assert cli("export", *FORMAT, str(out)).code == 0
    (out / "mine.txt").write_text("mine")
    (out / PATTERNS).write_text("broken")
    done = cli("export", *FORMAT, str(out))
    assert (done.code, done.out) == (4, "")
    assert (out / PATTERNS).read_text() == "broken"
    assert cli("export", *FORMAT, str(out), "--force").code == 0
    assert json.loads((out / PATTERNS).read_text()) == {"patterns": []}
    assert (out / "mine.txt").read_text() == "mine"
    assert not list(cli.folder.glob("*.engrain-part"))


def test_an_export_by_force_follows_no_link_out_of_its_folder(cli: CommandLine) -> None:
    cli.save("The API listens on port 8080.", "--kind", "domain-reference")
    out, elsewhere = cli.folder / "out", cli.folder / "elsewhere"
    out.mkdir()
    elsewhere.mkdir()
    (out / "semantic").symlink_to(elsewhere)
    done = cli("export", *FORMAT, str(out), "--force")
    assert (done.code, list(elsewhere.iterdir())) == (2, [])


def test_an_export_beside_or_in_the_vault_is_refused(cli: CommandLine) -> None:
    cli.save("A text.")
    vault = cli.folder / "vault"
    for path in (vault / "out", vault, cli.folder):
        assert cli("export", *FORMAT, str(path), "--force").code == 2
    assert not (vault / "out").exists()
    write_tree(vault / "Memory")
    assert cli("import", "loki", str(vault / "Memory")).code == 2


def test_a_project_is_exported_with_what_belongs_to_none(cli: CommandLine) -> None:
    for project in ("one", "two"):
        cli.save(f"Of {project}.", "--kind", "domain-reference", "--project", project)
    cli.save("Of none.", "--kind", "domain-reference")
    out = cli.folder / "out"
    assert cli("export", *FORMAT, str(out), "--project", "one").code == 0
    facts = json.loads((out / "semantic" / "facts.json").read_text())
    assert sorted(fact["fact"] for fact in facts) == ["Of none.", "Of one."]


def test_the_continuity_of_one_project_goes_out(cli: CommandLine) -> None:
    for project in ("one", "two"):
        cli("agent", "continuity", "--goal", f"Ship {project}.", "--project", project)
    out = cli.folder / "out"
    went = data_of(cli, "export", *FORMAT, str(out), "--project", "two")
    assert went["counts"]["continuity"] == 1
    assert "Ship two." in (out / "CONTINUITY.md").read_text()
    told = data_of(cli, "export", *FORMAT, str(cli.folder / "all"))
    assert len(told["left_out"]) == 2


def test_what_is_archived_as_a_summary_is_reported(cli: CommandLine, tree: Path) -> None:
    cli("import", "loki", str(tree))
    cli("archive", "sem-005")
    done = cli("export", *FORMAT, str(cli.folder / "out"))
    assert done.code == 0
    assert "left out: Memory/_archive/pattern/" in done.out
    assert "engrain restore sem-005" in done.out


HANDOFFS = {
    f"handoffs/h-{number}.json": {**TREE["handoffs/handoff-001.json"], "id": f"h-{number}"}
    for number in range(400)
}


def kill_when(path: Path, *argv: str) -> None:
    """Run a command in a process of its own, and kill it once a file is there."""
    process = subprocess.Popen(
        [sys.executable, "-m", "engrain", *argv], env={**os.environ, "PYTHONPATH": SOURCE}
    )
    while process.poll() is None and not path.exists():
        time.sleep(0.001)
    process.send_signal(signal.SIGKILL)
    assert process.wait() == -signal.SIGKILL


def test_an_export_that_is_killed_leaves_no_half_folder_and_can_be_run_again(
    cli: CommandLine,
) -> None:
    cli("import", "loki", str(write_tree(cli.folder / "memory", HANDOFFS)))
    out, part = cli.folder / "out", cli.folder / "out.engrain-part"
    kill_when(part / "handoffs" / "h-1.json", "export", *FORMAT, str(out))
    assert not out.exists()
    assert part.exists()
    assert cli("export", *FORMAT, str(out)).code == 0
    assert len(list((out / "handoffs").iterdir())) == 400
    assert not part.exists()


def test_an_import_that_is_killed_is_finished_by_the_next(cli: CommandLine) -> None:
    folder = write_tree(cli.folder / "memory", HANDOFFS)
    first = cli.vault / "Memory" / "handoffs" / "h-1.json"
    kill_when(first, "import", "loki", str(folder))
    came = data_of(cli, "import", "loki", str(folder))
    assert came["problems"] == []
    assert set(came["outcomes"]) == {"unchanged", "created"}
    assert sum(came["outcomes"].values()) == 400
    assert len(list(first.parent.iterdir())) == 400
