"""import --dry-run: the figures are those of the import, and nothing is written."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from support.layouts import LIVING, WORKSPACE
from support.loki import TREE, write_tree
from support.transcripts import ClaudeCode, fix_the_port
from unit.adapters.shell import CommandLine, Done

PARTS = ("added", "changed", "unchanged", "skipped", "refused")


def data_of(done: Done) -> dict[str, Any]:
    data = done.answer["data"]
    assert isinstance(data, dict), done.err
    return data


def files_below(folder: Path) -> dict[str, bytes]:
    return {str(path): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


@pytest.fixture
def sources(cli: CommandLine) -> dict[str, Path]:
    """A source of each format that holds something which can't be taken in, or a duplicate."""
    notes = cli.folder / "notes"
    notes.mkdir()
    (notes / "a.md").write_text("# A\n\nThe first.\n")
    (notes / "c.md").write_text("# C\n\n![[pic.png]] and [[a]] and [[nobody]].\n")
    (notes / "pic.png").write_bytes(b"\x89PNG")
    (notes / "broken.md").write_text("---\nnever closed\n")
    memory = cli.folder / "memory"
    memory.mkdir()
    (memory / "one.md").write_text("Nightly builds run on the old machine.\n")
    (memory / "two.md").write_text("Nightly builds run on the old machine.\n")
    (memory / "broken.md").write_text("---\nnever closed\n")
    return {
        "markdown": notes,
        "claude-memory": memory,
        "loki": write_tree(cli.folder / "loki", TREE),
        "three-layer": write_tree(cli.folder / "work", WORKSPACE),
        "living": write_tree(cli.folder / "agent" / "memory", LIVING),
    }


@pytest.mark.parametrize("form", ["markdown", "claude-memory", "loki", "three-layer", "living"])
def test_a_dry_run_says_what_the_import_does_and_writes_nothing(
    cli: CommandLine, sources: dict[str, Path], form: str
) -> None:
    cli.save("What is here already.", "--title", "Here")
    argv = ("import", "--format", form, str(sources[form]), "--json")
    before = files_below(cli.vault), sorted(files_below(cli.state))
    rehearsed = cli(*argv, "--dry-run")
    assert (files_below(cli.vault), sorted(files_below(cli.state))) == before
    done = cli(*argv)
    assert rehearsed.code == done.code, rehearsed.err
    told, did = data_of(rehearsed), data_of(done)
    assert (told.pop("dry_run"), did.pop("dry_run")) == (True, False)
    assert told == did
    assert did["read"] == sum(did[part] for part in PARTS) == did["documents"] > 0
    assert did["added"] > 0
    again = data_of(cli(*argv))
    assert again["added"] == 0
    assert again["read"] == sum(again[part] for part in PARTS)


def test_a_dry_run_of_transcripts_writes_nothing(cli: CommandLine) -> None:
    (cli.folder / "odd.jsonl").write_text("{}\n")
    (cli.folder / "s.jsonl").write_bytes(fix_the_port(ClaudeCode()))
    before = files_below(cli.vault)
    files = (str(cli.folder / name) for name in ("s.jsonl", "odd.jsonl"))
    argv = ("import", "transcripts", *files, "--json")
    rehearsed = data_of(cli(*argv, "--dry-run"))
    assert files_below(cli.vault) == before
    done = data_of(cli(*argv))
    assert (done["read"], done["taken_in"], done["refused"]) == (2, 1, 1)
    assert {**rehearsed, "dry_run": False} == done


def test_a_dry_run_refuses_what_the_import_refuses(cli: CommandLine) -> None:
    inside = cli.vault / "ideas"
    inside.mkdir()
    assert cli("import", str(inside)).code == cli("import", str(inside), "--dry-run").code == 2


def test_what_a_killed_dry_run_left_is_removed_by_the_next(
    cli: CommandLine, sources: dict[str, Path]
) -> None:
    left = cli.state / "rehearsal-killed"
    (left / "vault").mkdir(parents=True)
    told = cli("import", str(sources["markdown"]), "--dry-run")
    assert told.out.startswith("nothing is written; this is what it would do:\n3 read: 3 added,")
    assert not left.exists()
