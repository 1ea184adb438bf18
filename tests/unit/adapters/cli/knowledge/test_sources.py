"""sources: which files outside the vault facts are learned from."""

from __future__ import annotations

from pathlib import Path

import pytest

from engrain.adapters.cli.knowledge.sources import describe_passed
from support.transcripts import ClaudeCode
from unit.adapters.shell import CommandLine
from unit.adapters.shell import read_data as data_of


@pytest.fixture
def notes(cli: CommandLine) -> Path:
    """A folder of notes."""
    folder = cli.folder / "notes"
    folder.mkdir()
    (folder / "2026-03-01.md").write_text("- I moved to Berlin.\n")
    return folder


def test_a_source_is_added_listed_and_removed(cli: CommandLine, notes: Path) -> None:
    done = cli("learn", "add", str(notes), "--name", "journal", "--trust", "operator",
               "--match", "*.md", "--project", "apollo", "--json")  # fmt: skip
    source = {
        "name": "journal",
        "path": str(notes.resolve()),
        "format": None,
        "trust": "operator",
        "project": "apollo",
        "host": None,
        "match": ["*.md"],
    }
    assert data_of(done) == {"added": source}
    standing: dict[str, object] = {
        "files": 1,
        "new": 1,
        "read_at": None,
        "formats": {},
        "problems": [],
    }
    assert data_of(cli("learn", "list", "--json")) == {
        "sources": [{**source, **standing}],
        "approved": [],
    }
    line = cli("learn", "list").out.splitlines()[1].split()
    assert line == ["journal", "operator", "apollo", "*.md", "1", "1", str(notes.resolve())]
    assert data_of(cli("learn", "remove", "journal", "--json"))["removed"] == "journal"
    assert data_of(cli("learn", "list", "--json")) == {"sources": [], "approved": []}
    assert (notes / "2026-03-01.md").exists()


def test_the_sources_stand_beside_the_configuration_and_not_in_the_vault(
    cli: CommandLine, notes: Path
) -> None:
    cli("learn", "add", str(notes))
    assert (cli.folder / "home/.config/engrain/sources.toml").read_text().count("[[source]]") == 1
    assert "sources.toml" not in {file.name for file in cli.vault.rglob("*")}


def test_the_sessions_of_a_host_are_a_source_by_its_name(cli: CommandLine) -> None:
    assert cli("learn", "add").code == 2
    folder = cli.folder / "home/.claude/projects/-shop"
    folder.mkdir(parents=True)
    (folder / "s.jsonl").write_bytes(ClaudeCode().request("I moved.").raw)
    assert data_of(cli("learn", "list", "--json")) == {"sources": [], "approved": []}
    added = data_of(cli("learn", "add", "--host", "claude-code", "--json"))["added"]
    assert (added["name"], added["trust"], added["format"]) == (
        "claude-code",
        "agent",
        "claude-code",
    )


def test_problems_of_a_source_are_reported_and_cleaned_for_a_terminal(
    cli: CommandLine, notes: Path
) -> None:
    outside = cli.folder / "outside.md"
    outside.write_text("Secret.\n")
    (notes / "red\x1b[31m.md").symlink_to(outside)
    cli("learn", "add", str(notes))
    out = cli("learn", "list").out
    assert "red[31m.md: a link that leads elsewhere" in out
    notes.rename(cli.folder / "gone")
    assert "it is not there any more, or not just now" in cli("learn", "list").out


@pytest.mark.parametrize(
    ("words", "code", "told"),
    [
        (["add", "{folder}/nowhere"], 2, "is not there"),
        (["add", "{vault}"], 1, "inside the vault"),
        (["add", "{notes}", "--format", "docx"], 2, "no format 'docx'"),
        (["add", "{notes}", "--host", "codex"], 2, "--host takes no place"),
        (["add", "--trust", "operator"], 2, "name a place, or --host"),
        (["add", "--host", "codex"], 3, "no sessions of 'codex'"),
        (["add", "{notes}", "--name", "daily"], 2, "there is a source 'daily'"),
        (["remove", "x"], 3, "no source 'x'"),
    ],
)
def test_what_is_wrong_is_reported_in_a_line(
    cli: CommandLine, notes: Path, words: list[str], code: int, told: str
) -> None:
    places = {"folder": cli.folder, "vault": cli.vault, "notes": notes}
    done = cli("learn", *(word.format(**places) for word in words))
    assert (done.code, done.out) == (code, "")
    assert told in done.err
    assert done.err.count("\n") == 1


def test_what_was_passed_over_is_reported_in_words() -> None:
    assert describe_passed({"long": 2, "broken": 1, "future": 0}) == (
        "1 broken line, 2 lines that are too long"
    )
