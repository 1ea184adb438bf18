"""`engrain episode`: save, list and show, and what a wrong file is told (S2.2)."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest

from unit.adapters.shell import CommandLine, Done
from unit.model.experience.test_reading import SEED


def data(done: Done) -> Any:
    assert done.code in (0, 1), done.err or done.out
    return done.answer["data"]


def error(done: Done) -> Any:
    return done.answer["error"]


def save(cli: CommandLine, given: object, *more: str) -> Done:
    return cli("episode", "save", "-", "--json", *more, stdin=json.dumps(given).encode())


def test_an_episode_from_a_file_is_filed_once(cli: CommandLine) -> None:
    path = cli.folder / "trace.json"
    path.write_text(json.dumps(SEED))
    for outcome in ("created", "unchanged"):
        answer = data(cli("episode", "save", str(path), "--json"))
        assert answer["outcome"] == outcome
        assert answer["id"] == SEED["id"]
        assert answer["told"] == []


def test_what_was_wrong_in_it_is_reported(cli: CommandLine) -> None:
    given = {**SEED, "outcome": "splendid"}
    assert data(save(cli, given))["told"] == ["outcome 'splendid' is unknown"]
    done = cli("episode", "save", "-", stdin=json.dumps({**given, "id": "x"}).encode())
    assert "outcome 'splendid' is unknown" in done.out


def test_the_options_say_what_the_json_leaves_open(cli: CommandLine) -> None:
    answer = data(save(cli, {}, "--goal", "Fix it", "--outcome", "partial", "--commit", "abc"))
    shown = data(cli("episode", "show", answer["id"], "--json"))["episode"]
    assert shown["context"]["goal"] == "Fix it"
    assert (shown["outcome"], shown["git_commit"]) == ("partial", "abc")


def test_of_several_those_without_a_goal_are_reported_and_the_others_filed(
    cli: CommandLine,
) -> None:
    given = [SEED, {"outcome": "success"}, 3, {**SEED, "id": "second"}]
    done = save(cli, given)
    assert done.code == 1
    answer = data(done)
    assert [one["id"] for one in answer["episodes"]] == [SEED["id"], "second"]
    assert [problem["number"] for problem in answer["problems"]] == [2, 3]
    assert "needs a goal" in answer["problems"][0]["message"]
    assert (cli.vault / "Memory/episodic/index.json").exists()


@pytest.mark.parametrize(
    ("raw", "told"),
    [
        (b"{", "not JSON"),
        (b"", "not JSON"),
        (b"\xff", "not UTF-8"),
        (b"[" * 100_000, "nested too deeply"),
        (b"3", "JSON object"),
        (b"{}", "needs a goal"),
    ],
)
def test_what_is_no_episode_is_reported_in_one_line(
    cli: CommandLine, raw: bytes, told: str
) -> None:
    done = cli("episode", "save", "-", "--json", stdin=raw)
    assert done.code == 2
    assert told in error(done)["message"]
    assert not list(cli.vault.rglob("episodic/*"))


def test_a_file_that_is_not_there_is_reported(cli: CommandLine) -> None:
    done = cli("episode", "save", str(cli.folder / "none.json"), "--json")
    assert done.code == 3
    assert "none.json" in error(done)["path"]


def test_episodes_are_listed_by_outcome_and_time(cli: CommandLine) -> None:
    save(cli, SEED)
    save(cli, {**SEED, "id": "b", "outcome": "failure", "timestamp": "2026-02-01T00:00:00Z"})

    def ids(*more: str) -> list[str]:
        return [row["id"] for row in data(cli("episode", "list", "--json", *more))["results"]]

    assert ids() == ["b", SEED["id"]]
    assert ids("--outcome", "failure") == ["b"]
    assert ids("--until", "2026-01-15") == [SEED["id"]]
    assert ids("--limit", "1") == ["b"]
    rows = data(cli("list", "--kind", "episode", "--json"))["results"]
    assert [row["id"] for row in rows] == ["b", SEED["id"]]


def test_an_empty_list_names_how_many_episodes_other_projects_have(cli: CommandLine) -> None:
    save(cli, SEED, "--project", "shop")
    assert "In other projects there is 1" in cli("episode", "list", "--project", "other").out


def test_one_is_shown_whole_and_without_control_characters(cli: CommandLine) -> None:
    given = {**SEED, "context": {"goal": "Fix \x1b[31mit\u202e"}}
    save(cli, given)
    done = cli("episode", "show", SEED["id"])
    assert done.code == 0
    assert "\x1b" not in done.out
    assert "\u202e" not in done.out
    for said in ("Fix", "success", "342", "run_test", "missing return type", "abc123"):
        assert said in done.out
    beside = data(cli("episode", "show", SEED["id"], "--json"))["engrain"]
    assert beside["source"]["kind"] == "cli"


def test_what_is_no_episode_is_not_shown_as_one(cli: CommandLine) -> None:
    note = cli.save("A text.", "--title", "Note")
    assert cli("episode", "show", note["id"], "--json").code == 3


def test_the_index_is_written_when_asked_for(cli: CommandLine) -> None:
    save(cli, SEED)
    assert cli("jobs", "run", "episodes").code == 0


def test_an_episode_of_this_moment_has_the_commit_that_is_checked_out(
    cli: CommandLine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    repository = tmp_path / "repository"
    repository.mkdir()
    for argv in (
        ["init", "-q"],
        ["-c", "user.name=a", "-c", "user.email=a@b", "commit", "-q", "--allow-empty", "-m", "x"],
    ):
        subprocess.run(["git", *argv], cwd=repository, check=True)
    head = subprocess.run(
        ["git", "rev-parse", "HEAD"], cwd=repository, check=True, capture_output=True, text=True
    ).stdout.strip()
    monkeypatch.chdir(repository)
    now = data(save(cli, {"context": {"goal": "g"}}))
    then = data(save(cli, {"context": {"goal": "g"}, "timestamp": "2026-01-06T00:00:00Z"}))
    commits = [
        data(cli("episode", "show", one["id"], "--json"))["episode"]["git_commit"]
        for one in (now, then)
    ]
    assert head.startswith(commits[0])
    assert commits[1] is None
