"""plan, feature and progress on the command line."""

from __future__ import annotations

from pathlib import Path

import pytest

from unit.adapters.shell import CommandLine
from unit.adapters.shell import read_data as data


@pytest.fixture(autouse=True)
def project(away: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ENGRAIN_PROJECT", "harbour")


def test_a_plan_is_set_from_words_or_input_and_shown(cli: CommandLine) -> None:
    assert "no plan yet" in cli("project", "plan").out
    assert data(cli("project", "plan", "--json"))["found"] is False
    for word, stdin, said in (
        ("In words.", b"", "In words."),
        ("-", b"# The plan\nFrom input.\n", "# The plan\nFrom input."),
    ):
        assert cli("project", "plan", word, stdin=stdin).code == 0
        assert said in cli("project", "plan").out
    found = data(cli("project", "plan", "--json"))
    assert found["text"] == "# The plan\nFrom input.\n"
    assert found["path"] == "projects/harbour/_harness/plan.md"


def test_features_are_set_and_listed(cli: CommandLine) -> None:
    assert "no features" in cli("project", "features").out
    cli("project", "feature", "Quay wall", "--status", "doing", "--note", "concrete")
    found = data(cli("project", "feature", "Crane", "--json"))
    assert found["feature"] == {"id": "crane", "name": "Crane", "status": "todo", "notes": ""}
    assert [one["name"] for one in data(cli("project", "features", "--json"))["features"]] == [
        "Quay wall", "Crane",
    ]  # fmt: skip
    done = cli("project", "features", "--status", "doing")
    assert "Quay wall" in done.out
    assert "Crane" not in done.out


def test_progress_is_added_and_shown_the_newest_last(cli: CommandLine) -> None:
    for number in range(25):
        assert cli("project", "progress", f"Piece {number}.").code == 0
    cli("project", "progress", "-", stdin=b"From input.")
    lines = cli("project", "progress").out.splitlines()
    assert lines[-1] == "  From input."
    assert len(lines) == 40, "the last twenty"
    found = data(cli("project", "progress", "-n", "2", "--json"))
    assert [one["text"] for one in found["progress"]] == ["Piece 24.", "From input."]
    assert found["total"] == 26


@pytest.mark.parametrize(
    "argv",
    [
        ["project", "progress", "-n", "0"],
        ["project", "progress", "x", "-n", "3"],
        ["project", "progress", ""],
    ],
    ids=" ".join,
)
def test_what_makes_no_sense_is_a_usage_error(cli: CommandLine, argv: list[str]) -> None:
    done = cli(*argv)
    assert (done.code, done.out) == (2, "")
    assert done.err.count("\n") == 1
