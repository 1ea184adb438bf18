"""import: a folder of notes, and Claude Code's own memory found where that keeps it."""

from __future__ import annotations

import json
import os
import re
from pathlib import Path

import pytest

from unit.adapters.shell import CommandLine
from unit.adapters.shell import read_data as data_of


def test_import_says_what_it_did(cli: CommandLine) -> None:
    notes = cli.folder / "notes"
    notes.mkdir()
    (notes / "a.md").write_text("# A\n\nSee [[b]] and [[nowhere]].\n")
    (notes / "b.md").write_text("# B\n")
    (notes / "broken.md").write_bytes(b"\0")
    (notes / "todo.md").write_text("---\nnever closed\n")
    (notes / "archive").mkdir()
    (notes / "archive" / "old.md").write_text("# Old\n")
    data = cli("import", str(notes), "--json").answer["data"]
    assert (data["outcomes"], data["documents"]) == ({"created": 4, "left out": 1}, 5)
    assert [problem["path"] for problem in data["problems"]] == ["broken.md"]
    assert (data["links"], data["links_broken"]) == (2, 1)
    assert [note["path"] for note in data["unread"]] == ["todo.md"]
    assert data["statuses"] == {"active": 3, "archived": 1}
    again = cli("import", str(notes)).out
    assert again.startswith("5 read: 0 added, 0 changed, 4 unchanged, 0 skipped, 1 refused\n")
    assert "left out: broken.md: file holds a NUL character (line 1)\n" in again
    assert "1 note came in with frontmatter as text: no field was read\n" in again
    assert "  todo.md: frontmatter is opened and never closed (line 1)\n" in again
    assert "1 note archived by folder or own vault, not active: " in again


def test_import_says_what_it_passed_over(cli: CommandLine) -> None:
    notes = cli.folder / "notes"
    for name in (
        "a.md", "b.txt", "c.txt", "LICENSE", "drafts/d.md", "node_modules/x/README.md",
        ".obsidian/e.md", "f.sync-conflict-20261121-101010-ABCDEFG.md", "f.md",
    ):  # fmt: skip
        (notes / name).parent.mkdir(parents=True, exist_ok=True)
        (notes / name).write_text(f"Text of {name}.\n")
    out = cli("import", "markdown", str(notes), "--exclude", "drafts", "--trust", "operator").out
    assert out.startswith("3 read: 2 added, 0 changed, 0 unchanged, 1 skipped, 0 refused\n")
    assert (
        "passed over: 1 file, --exclude drafts (drafts/); 1 file, hidden (.obsidian/); 3 files, no"
        " note (.txt 2, without an ending); 1 file, packages of other programs (node_modules/)\n"
    ) in out
    assert "left out: f.sync-conflict-20261121-101010-ABCDEFG.md: a conflict copy of f.md\n" in out
    data = cli("import", "markdown", str(notes), "--exclude", "drafts", "--json").answer["data"]
    assert {one["path"]: one["reason"] for one in data["passed_over"]} == {
        "drafts/": "--exclude drafts", ".obsidian/": "hidden", "b.txt": "no note",
        "c.txt": "no note", "LICENSE": "no note", "node_modules/": "packages of other programs",
    }  # fmt: skip


@pytest.mark.parametrize(
    "argv", [["/nowhere"], ["odt", "."], ["a", "b", "c"], [], [".", "--trust", "me"]]
)
def test_a_wrong_call_of_import_takes_in_nothing(cli: CommandLine, argv: list[str]) -> None:
    assert cli("import", *argv).code == 2
    assert cli("list", "--all").out == "0 in all\n"


def test_import_of_a_file_is_refused(cli: CommandLine) -> None:
    file = cli.folder / "note.md"
    file.write_text("# Note\n")
    done = cli("import", str(file))
    assert done.code == 2
    assert done.err == f"engrain: {file} is a file; give a folder of markdown\n"


# Claude Code's own memory

TESTING = """---
name: feedback_testing
description: Integration tests hit a real database
metadata:
  node_type: memory
  type: feedback
  modified: 2026-07-30T07:40:18.191Z
---

Mocked tests passed while the migration failed in production.
"""


def flatten(path: Path) -> str:
    """A path as Claude Code names a project's folder."""
    return re.sub("[^a-zA-Z0-9]", "-", str(path))


def remember(base: Path, repository: Path, name: str = "feedback_testing.md") -> Path:
    """A memory that Claude Code made in `repository`; its folder."""
    folder = base / "projects" / flatten(repository) / "memory"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / name).write_text(TESTING)
    return folder


@pytest.fixture
def repository(cli: CommandLine) -> Path:
    """A git repository whose path does not tell its dashes from its slashes."""
    folder = cli.folder / "src" / "billing-api"
    (folder / ".git").mkdir(parents=True)
    return folder


@pytest.fixture
def claude(cli: CommandLine) -> Path:
    """Claude Code's folder in the home."""
    return cli.folder / "home" / ".claude"


def test_claude_memory_is_found_in_the_home_and_its_project_by_the_folders_that_are_there(
    cli: CommandLine, claude: Path, repository: Path
) -> None:
    folder = remember(claude, repository)
    data = data_of(cli("import", "claude-memory", "--json"))
    assert data["outcomes"] == {"created": 1}
    assert data["folders"] == [
        {"path": str(folder), "name": flatten(repository), "project": "billing-api"}
    ]
    shown = data_of(cli("show", "feedback_testing", "--json"))
    assert (shown["status"], shown["kind"], shown["project"]) == (
        "inbox", "feedback", "billing-api",
    )  # fmt: skip
    assert shown["source"] == {
        "kind": "claude-memory",
        "ref": f"{flatten(repository)}/feedback_testing.md",
        "trust": "agent",
    }
    assert data_of(cli("import", "claude-memory", "--json"))["outcomes"] == {"unchanged": 1}


def test_a_person_is_told_the_folders_and_what_could_not_be_read(
    cli: CommandLine, claude: Path, repository: Path
) -> None:
    folder = remember(claude, repository)
    (folder / "broken.md").write_text("---\nnever closed\n")
    gone = remember(claude, cli.folder / "gone")
    (gone / "feedback_testing.md").write_text("Nightly builds run on the old machine.\n")
    out = cli("import", "claude-memory").out
    assert f"{folder}: project billing-api\n" in out
    assert f"{gone}: of no known project\n" in out
    assert "3 read: 2 added, 0 changed, 0 unchanged, 0 skipped, 1 refused\n" in out
    assert f"left out: {flatten(repository)}/broken.md: frontmatter is opened" in out
    assert "in the inbox: engrain list --status inbox --all-projects\n" in out
    assert "2 in all" in cli("list", "--status", "inbox", "--all-projects").out
    assert "in the inbox" not in cli("import", "claude-memory").out


def test_a_memory_folder_may_be_named_and_is_known_by_the_same_name(
    cli: CommandLine, claude: Path, repository: Path
) -> None:
    folder = remember(claude, repository)
    cli("import", "claude-memory")
    again = data_of(cli("import", "claude-memory", str(folder), "--json"))
    assert again["outcomes"] == {"unchanged": 1}
    assert again["folders"] == [
        {"path": str(folder), "name": flatten(repository), "project": "billing-api"}
    ]


def test_a_project_that_is_named_is_that_of_every_folder(
    cli: CommandLine, claude: Path, repository: Path
) -> None:
    remember(claude, repository)
    data_of(cli("import", "claude-memory", "--project", "ledger", "--json"))
    assert data_of(cli("show", "feedback_testing", "--json"))["project"] == "ledger"


def test_who_vouches_for_the_memories_may_be_said(
    cli: CommandLine, claude: Path, repository: Path
) -> None:
    remember(claude, repository)
    data_of(cli("import", "claude-memory", "--trust", "external", "--json"))
    source = data_of(cli("show", "feedback_testing", "--json"))["source"]
    assert source["trust"] == "external"


def test_a_folder_of_that_name_is_meant_by_its_path(cli: CommandLine) -> None:
    notes = Path("claude-memory")
    notes.mkdir()
    (notes / "a.md").write_text("# A\n")
    assert data_of(cli("import", "./claude-memory", "--json"))["outcomes"] == {"created": 1}
    assert "Memory/domain-reference/claude-memory/a.md" in cli("show", "a").out


def test_where_claude_code_has_no_memory_one_line_says_where_it_was_looked_for(
    cli: CommandLine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(cli.folder / "none"))
    done = cli("import", "claude-memory")
    assert done.code == 3
    assert done.err == (
        f"engrain: Claude Code has no memory here [{cli.folder / 'none' / 'projects'}]; "
        "name its folder: engrain import claude-memory FOLDER\n"
    )


@pytest.mark.parametrize(
    "argv", [["/nowhere"], ["a", "b"], ["--kind", "fix"], ["--tag", "x"], ["--name", "x"]]
)
def test_a_wrong_call_takes_in_no_memory(
    cli: CommandLine, claude: Path, repository: Path, argv: list[str]
) -> None:
    remember(claude, repository)
    assert cli("import", "claude-memory", *argv).code == 2
    assert cli("list", "--all").out == "0 in all\n"


@pytest.mark.parametrize("form", ["transcripts", "loki", "markdown"])
def test_a_format_without_a_path_is_no_folder(cli: CommandLine, form: str) -> None:
    done = cli("import", form)
    assert done.code == 2
    assert f"import {form} takes a path" in done.err


def folder_of_two(cli: CommandLine) -> str:
    notes = cli.folder / "notes"
    notes.mkdir()
    (notes / "a.md").write_text("# A\n\nThe first.\n")
    (notes / "b.md").write_text("# B\n\nThe second.\n")
    return str(notes)


def test_what_was_deleted_is_a_decision_that_the_exit_code_asks_for(cli: CommandLine) -> None:
    notes = folder_of_two(cli)
    assert cli("import", notes).code == 0
    assert cli("undo").code == 0
    left = cli("import", notes)
    assert left.code == 6
    assert left.out.startswith(
        "2 read: 0 added, 0 changed, 0 unchanged, 2 skipped, 0 refused\n  stays deleted: 2\n"
    )
    assert "\nstays deleted: a.md (" in left.out
    assert left.err == (
        "engrain: 2 documents were deleted here and left so; give --restore-deleted to bring back"
        " what was deleted, or --no-restore-deleted to leave it\n"
    )
    told = cli("import", notes, "--json")
    assert told.code == 6
    data = told.answer["data"]
    assert [one["path"] for one in data["deleted"]] == ["a.md", "b.md"]
    decided = cli("import", notes, "--no-restore-deleted")
    assert (decided.code, decided.err) == (0, "")
    back = cli("import", notes, "--restore-deleted")
    assert (back.code, back.out.splitlines()[1]) == (0, "  restored: 2")
    assert "2 in all" in cli("list", "--all").out
    assert cli("undo").code == 0
    assert "0 in all" in cli("list").out


def test_an_import_is_repaired_by_naming_the_trust(cli: CommandLine) -> None:
    notes = folder_of_two(cli)

    def origins() -> set[str]:
        listed = cli("list", "--json").answer["data"]
        return {row["source"] for row in listed["results"]}

    cli("import", notes)
    assert origins() == {"external"}
    trusted = cli("import", notes, "--trust", "operator")
    assert (trusted.code, trusted.out.splitlines()[1]) == (0, "  trust changed: 2")
    assert origins() == {"operator"}
    assert cli("import", notes).out.splitlines()[0] == (
        "2 read: 0 added, 0 changed, 2 unchanged, 0 skipped, 0 refused"
    )
    assert origins() == {"operator"}
    assert cli("import", notes, "--trust", "agent").out.splitlines()[1] == "  trust changed: 2"
    assert origins() == {"agent"}
    history = cli("history").out
    assert history.count(" import ") == 3
    assert "2 files" in history


def test_an_import_of_files_keeps_their_dates(cli: CommandLine) -> None:
    notes = folder_of_two(cli)
    os.utime(f"{notes}/a.md", (1_500_000_000, 1_500_000_000))
    cli("import", notes)
    shown = cli("show", "a", "--json").answer["data"]
    assert shown["created"] == "2017-07-14T02:40:00Z"


def test_images_come_along_and_what_lies_there_stays(cli: CommandLine) -> None:
    notes = cli.folder / "notes"
    (notes / "sub" / "img").mkdir(parents=True)
    (notes / "deep.png").write_bytes(b"deep")
    (notes / "sub" / "img" / "a b.png").write_bytes(b"image")
    (notes / "unused.png").write_bytes(b"unused")
    (notes / "sub" / "n.md").write_text(
        "# N\n\n![alt](img/a%20b.png 'title') ![[deep.png|300]] ![](https://x.y/z.png)\n"
        "![[gone.png]]\n"
    )
    done = cli("import", str(notes))
    assert "images and other files that notes show: 2 copied, 1 not found\n" in done.out
    assert "2 links, 1 resolve, 1 do not\n" in done.out
    there = cli.vault / "Memory" / "domain-reference" / "notes"
    assert {path.name for path in there.rglob("*.png")} == {"a b.png", "deep.png"}
    assert (there / "sub" / "img" / "a b.png").read_bytes() == b"image"
    (there / "deep.png").write_bytes(b"mine")
    again = cli("import", str(notes))
    assert "left out: deep.png: another file lies there, which stays\n" in again.out
    assert (there / "deep.png").read_bytes() == b"mine"
    assert cli("doctor").code == 0


def test_aliases_are_matched_whole(cli: CommandLine) -> None:
    notes = cli.folder / "notes"
    notes.mkdir()
    (notes / "a.md").write_text("---\naliases: Nightly Lock, CI\n---\n# A\n\nText.\n")
    (notes / "c.md").write_text('---\naliases: ["Smith, John"]\n---\n# C\n\nText.\n')
    (notes / "b.md").write_text("# B\n\nSee [[Nightly Lock]], [[Smith, John]] and [[Lock]].\n")
    assert "3 links, 2 resolve, 1 do not\n" in cli("import", str(notes)).out
    found = cli("recall", "nightly lock", "--json").answer["data"]
    assert "A" in [one["title"] for one in found["results"]]


def test_auto_says_what_a_path_may_be_and_imports_nothing(cli: CommandLine) -> None:
    shop = cli.folder / "shop"
    shop.mkdir()
    (shop / "CLAUDE.md").write_text("## Tests\nRun them with `make test`.\n")
    said = cli("import", "auto", str(shop), "--json").answer["data"]
    assert said["ways"] == [{"format": "rules", "files": 1}]
    assert f"engrain import rules {shop} --dry-run\n" in cli("import", "auto", str(shop)).out
    assert "0 in all" in cli("list", "--all-projects").out or not cli("list").out


def test_auto_names_the_ways_in_that_read_more_than_one_folder(cli: CommandLine) -> None:
    memory = cli.folder / "all" / "-home-ann-shop" / "memory"
    memory.mkdir(parents=True)
    (memory / "MEMORY.md").write_text("- [Pooler](pooler.md)\n")
    (memory / "pooler.md").write_text("---\nname: pooler\n---\nIt drops statements.\n")
    said = {"sessionId": "a1", "message": {"content": "Add a route"}, "type": "user"}
    (memory.parent / "a1.jsonl").write_text(json.dumps(said) + "\n")
    (cli.folder / "all" / "entities").mkdir()
    answer = cli("import", "auto", str(cli.folder / "all"), "--json").answer["data"]
    ways = {way["format"]: way["files"] for way in answer["ways"]}
    assert (ways["claude-memory"], ways["transcripts"]) == (1, 1)
    assert "three-layer" in ways
    assert f"import claude-memory {memory} " in cli("import", "auto", str(cli.folder / "all")).out


def test_another_tools_memory_comes_in_by_its_name(cli: CommandLine) -> None:
    shop = cli.folder / "shop"
    shop.mkdir()
    (shop / "AGENTS.md").write_text("## Tests of the shop\nRun them with `make test`.\n")
    dry = cli("import", "rules", str(shop), "--dry-run").out
    assert dry.startswith("nothing is written; this is what it would do:\n1 read: 1 added, ")
    assert "1 added" in cli("import", "rules", str(shop), "--trust", "operator").out
    assert "Tests of the shop" in cli("list", "--all-projects").out
    refused = cli("import", "rules", str(shop), "--kind", "fix")
    assert (refused.code, "takes no --kind" in refused.err) == (2, True)


def test_a_file_without_a_format_is_recognised(cli: CommandLine) -> None:
    (cli.folder / "CLAUDE.md").write_text("## Branches of the shop\nName them after tickets.\n")
    assert "1 added" in cli("import", str(cli.folder / "CLAUDE.md")).out
    assert "Branches of the shop" in cli("list", "--all-projects").out
