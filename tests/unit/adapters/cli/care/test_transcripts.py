"""import transcripts: files and folders of agents' sessions."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from support.transcripts import FAILING_TEST, PASSING_TEST, ClaudeCode, Codex, fix_the_port
from unit.adapters.shell import CommandLine
from unit.adapters.shell import read_data as data_of


@pytest.fixture
def sessions(cli: CommandLine) -> Path:
    """A folder with a transcript of each of two hosts, and one that is broken."""
    folder = cli.folder / "sessions"
    (folder / "codex/2026").mkdir(parents=True)
    (folder / "a.jsonl").write_bytes(fix_the_port(ClaudeCode()))
    (folder / "codex/2026/rollout-b.jsonl").write_bytes(fix_the_port(Codex()))
    (folder / "broken.jsonl").write_bytes(b"\x00\xff{\n" * 1000)
    (folder / "notes.md").write_text("# No transcript\n")
    return folder


def test_a_corrupt_file_among_good_ones_is_reported_and_the_others_go_on(
    cli: CommandLine, sessions: Path
) -> None:
    data = data_of(cli("import", "transcripts", str(sessions), "--json"))
    assert data == {
        "read": 3,
        "taken_in": 2,
        "refused": 1,
        "trust": "tool",
        "dry_run": False,
        "outcomes": {"created": 2},
        "transcripts": {"claude-code": 1, "codex": 1},
        "without_tools": 0,
        "lessons": 1,
        "passed_over": {},
        "problems": [
            {"path": str(sessions / "broken.jsonl"), "message": "not a transcript of a known host"}
        ],
    }


def test_what_was_made_is_told_to_a_person(cli: CommandLine, sessions: Path) -> None:
    with (sessions / "a.jsonl").open("ab") as file:
        file.write(b'a comment\n{"type": "assis')
    done = cli("import", "transcripts", str(sessions / "a.jsonl"), str(sessions / "codex"))
    assert done.out == (
        "2 transcripts read: 2 taken in, 0 refused\n"
        "episodes: 2 created\n"
        "lessons: 1; `engrain digest` shows them\n"
        "  transcripts of claude-code: 1\n"
        "  transcripts of codex: 1\n"
        "  passed over: 1 broken line, 1 unfinished last line\n"
    )
    again = cli("import", "--format", "transcripts", str(sessions)).out
    assert again.startswith("3 transcripts read: 2 taken in, 1 refused\nepisodes: 2 unchanged\n")
    assert "left out: " in again
    listed = cli("list", "--kind", "episode", "--all-projects").out
    assert listed.count("Add the port to the url") == 2


def test_a_folder_without_transcripts_makes_no_episodes(cli: CommandLine) -> None:
    assert (
        cli("import", "transcripts", str(cli.folder / "home")).out
        == "0 transcripts read: 0 taken in, 0 refused\nno episodes\n"
    )


def test_the_project_is_that_of_the_sessions_repository(cli: CommandLine) -> None:
    shop, gone = cli.folder / "shop", cli.folder / "gone"
    (shop / "src").mkdir(parents=True)
    subprocess.run(["git", "init", "-q", str(shop)], check=True)
    for name, folder in (("in", shop / "src"), ("out", gone)):
        file = cli.folder / f"{name}.jsonl"
        session = ClaudeCode(name, cwd=str(folder)).request(f"Work {name}").run("ls", "a")
        file.write_bytes(session.raw)
        assert cli("import", "transcripts", str(file)).code == 0
    data = data_of(cli("list", "--kind", "episode", "--all-projects", "--json"))
    results = data["results"]
    assert {row["title"]: row["project"] for row in results} == {
        "Work in": "shop",
        "Work out": "gone",
    }


def test_a_line_of_many_megabytes_is_passed_over(cli: CommandLine) -> None:
    session = ClaudeCode().request("Look").run("pytest", FAILING_TEST, 1)
    session.lines.append(b'{"type": "user", "x": "' + b"A" * (40 << 20) + b'"}\n')
    session.run("pytest", PASSING_TEST)
    file = cli.folder / "a.jsonl"
    file.write_bytes(session.raw)
    data = data_of(cli("import", "transcripts", str(file), "--json"))
    assert data["outcomes"] == {"created": 1}
    assert data["passed_over"] == {"long": 1}
    assert cli("list", "--tag", "success", "--all-projects").out.endswith("Look\n1 in all\n")


def test_a_file_that_can_not_be_opened_is_reported(cli: CommandLine, sessions: Path) -> None:
    os.symlink(sessions / "nowhere", sessions / "link.jsonl")
    os.mkfifo(sessions / "pipe.jsonl")
    data = data_of(cli("import", "transcripts", str(sessions), "--json"))
    assert data["outcomes"] == {"created": 2}


@pytest.mark.parametrize(
    "argv",
    [
        ["transcripts", "/nowhere"],
        ["--format", "transcripts"],
        ["transcripts", ".", "--kind", "fix"],
        ["transcripts", ".", "--name", "x"],
        ["--format", "odt", "."],
        ["--format", "markdown"],
        ["--format", "loki", "a", "b"],
    ],
)
def test_a_wrong_call_takes_in_nothing(cli: CommandLine, argv: list[str]) -> None:
    assert cli("import", *argv).code == 2
    assert cli("list", "--all-projects").out == "0 in all\n"


def test_the_format_may_be_said_as_an_option(cli: CommandLine) -> None:
    notes = cli.folder / "notes"
    notes.mkdir()
    (notes / "a.md").write_text("# A\n")
    assert data_of(cli("import", "--format", "markdown", str(notes), "--json"))["outcomes"] == {
        "created": 1
    }


def test_a_file_that_is_no_transcript_is_an_error(cli: CommandLine, tmp_path: Path) -> None:
    file = tmp_path / "letter.txt"
    file.write_text("Dear Ada,\n")
    done = cli("import", "transcripts", str(file))
    assert done.code == 1
    assert done.err.startswith("engrain: not a transcript of a known host")
