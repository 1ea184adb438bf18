"""continuity and phase on the command line."""

from __future__ import annotations

from pathlib import Path

import pytest

from unit.adapters.shell import CommandLine
from unit.adapters.shell import read_data as data
from unit.engine.core.test_redaction import everything


@pytest.fixture(autouse=True)
def project(away: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ENGRAIN_PROJECT", "harbour")


class TestContinuity:
    def test_is_set_by_options_and_shown_without(self, cli: CommandLine) -> None:
        shown = cli("agent", "continuity")
        assert (shown.code, shown.out.count("engrain agent continuity --goal")) == (0, 1)
        done = cli(
            "agent", "continuity", "--goal", "Build it.", "--next", "Pour.", "--phase", "work"
        )
        assert "## Goal\nBuild it.\n" in done.out
        assert cli("agent", "continuity").out == done.out
        found = data(cli("agent", "continuity", "--json"))
        assert found["goal"] == "Build it."
        assert found["next_step"] == "Pour."
        assert found["phase"] == "work"
        assert found["path"] == "projects/harbour/_harness/CONTINUITY.md"
        assert found["outcome"] is None

    def test_tells_what_writing_came_to(self, cli: CommandLine) -> None:
        lines = [["--goal", "A."], ["--goal", "A."], ["--state", "B."], ["--refresh"]]
        outcomes = [data(cli("agent", "continuity", *line, "--json"))["outcome"] for line in lines]
        assert outcomes == ["created", "unchanged", "updated", "unchanged"]

    def test_reads_the_state_from_standard_input(self, cli: CommandLine) -> None:
        cli("agent", "continuity", "--state", "-", stdin="half\ndone — nearly\n".encode())
        assert data(cli("agent", "continuity", "--json"))["state"] == "half\ndone — nearly"

    def test_of_a_project_that_is_none_is_a_usage_error(
        self, cli: CommandLine, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.delenv("ENGRAIN_PROJECT")
        done = cli("agent", "continuity", "--goal", "x")
        assert done.code == 2
        assert "--project" in done.err


class TestPhase:
    def test_begins_is_shown_and_ends(self, cli: CommandLine) -> None:
        assert "no phase is on" in cli("project", "show").out
        begun = cli("project", "begin", "work", "--goal", "Build it.", "--agent", "eng-1")
        assert begun.out.startswith("phase work since ")
        assert "begun by eng-1" in begun.out
        assert data(cli("project", "show", "--json"))["phase"] == "work"
        done = cli("project", "end", "work", "--summary", "-", stdin=b"It stands.")
        assert done.out.split()[:2] == ["ended", "work"]
        assert "consolidate is asked for" in done.out
        assert "It stands." in cli("project", "progress").out
        assert "no phase is on" in cli("project", "show").out

    def test_end_tells_a_program_what_was_done_and_asked_for(self, cli: CommandLine) -> None:
        cli("project", "begin", "work")
        cli("project", "feature", "Crane", "--status", "done")
        found = data(cli("project", "end", "work", "--json"))
        assert found["features"] == ["Crane: done, new"]
        assert found["episodes"] == {}
        assert [one["job"] for one in found["queued"]] == ["consolidate", "crystallize"]

    def test_jobs_tells_what_is_asked_for(self, cli: CommandLine) -> None:
        cli("project", "begin", "work")
        queued = data(cli("project", "end", "work", "--json"))["queued"]
        for action in ("list", "status"):
            found = data(cli("jobs", action, "--json"))["jobs"]
            assert [one["job"] for one in found if one["asked"]] == [one["job"] for one in queued]
            assert cli("jobs", action).out.count(" is asked for, and ") == 2

    @pytest.mark.parametrize(("argv", "code"), [(["begin", "party"], 2), (["end", "review"], 4)])
    def test_what_makes_no_sense_is_reported(
        self, cli: CommandLine, argv: list[str], code: int
    ) -> None:
        cli("project", "begin", "plan")
        done = cli("project", *argv)
        assert (done.code, done.out) == (code, "")
        assert done.err.count("\n") == 1

    def test_the_end_of_one_that_never_began_is_not_found(self, cli: CommandLine) -> None:
        assert cli("project", "end", "work").code == 3


def test_without_a_vault_nothing_is_kept(bare: CommandLine) -> None:
    done = bare("agent", "continuity", "--goal", "Build it.")
    assert (done.code, done.out, done.err.count("\n")) == (5, "", 1)


def test_a_vault_that_is_gone_is_an_error(cli: CommandLine, tmp_path: Path) -> None:
    cli.vault.rename(tmp_path / "away")
    for argv in (["agent", "continuity"], ["project", "progress", "x"], ["project", "plan"]):
        assert cli(*argv).code == 5


def test_an_erased_entry_is_named_nowhere(cli: CommandLine) -> None:
    title = "Walrus of the northern lighthouse"
    id_ = cli.save("The quay needs drains.", "--title", title, "--kind", "domain-reference")["id"]
    assert title in cli("agent", "continuity", "--goal", "quay drains").out
    done = cli("erase", id_, "--yes")
    assert done.code == 0
    assert "mentions it" not in done.out
    for folder in (cli.vault, cli.state):
        assert title.encode() not in everything(folder)
