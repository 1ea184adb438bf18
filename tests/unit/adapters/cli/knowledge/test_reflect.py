"""reflect at the command line, and what recall says of what is less than sure (S1.20, S1.22)."""

from __future__ import annotations

import json

import pytest

from unit.adapters.shell import CommandLine, Shell
from unit.adapters.shell import ask as data
from unit.learn.reflection.sessions import write_session

TABS = "Always use tabs for indentation."
HATE = "I hate trailing summaries."
IDEA = "Idea for later: a dark mode for the console."


def test_each_candidate_is_reported_in_its_lane(cli: CommandLine) -> None:
    write_session(cli.folder / "logs", "s1", TABS, HATE, IDEA)
    found = data(cli, "learn", "reflect", str(cli.folder / "logs"))
    assert (found["sessions"], found["dry_run"]) == (1, False)
    told = {lane: [one["outcome"] for one in ones] for lane, ones in found["lanes"].items()}
    assert told == {"high": ["created"], "medium": ["created"], "low": ["created"]}
    (sure,) = found["lanes"]["high"]
    assert (sure["kind"], sure["session"]) == ("preference", "s1")
    assert sure["title"] == "Always use tabs for indentation"
    assert data(cli, "show", sure["id"])["status"] == "active"
    again = data(cli, "learn", "reflect", str(cli.folder / "logs"))
    assert again["lanes"] == {"high": [], "medium": [], "low": []}


def test_a_person_reads_what_was_kept_and_where_it_is(cli: CommandLine) -> None:
    write_session(cli.folder / "logs", "s1", TABS, HATE)
    told = cli("learn", "reflect", str(cli.folder / "logs"), "--dry-run").out
    assert told.startswith("would be: 2 created\n")
    out = cli("learn", "reflect", str(cli.folder / "logs")).out
    assert out.startswith("2 created\n  read 1 session\nlane ")
    assert "Always use tabs for indentation\n" in out
    assert cli("learn", "reflect", str(cli.folder / "logs")).out.startswith("nothing new\n")


def test_concurrent_reflections_save_each_statement_once(shell: Shell) -> None:
    write_session(shell.folder / "logs", "s1", TABS, HATE, IDEA, "Never push to main.")
    script = "for n in 1 2 3 4; do engrain learn reflect ../logs --json & done; wait"
    answers = [json.loads(line) for line in shell.sh(script).out.splitlines()]
    assert [answer["ok"] for answer in answers] == [True] * 4
    lanes = [answer["data"]["lanes"] for answer in answers]
    kept = [one["outcome"] for told in lanes for ones in told.values() for one in ones]
    assert kept == ["created"] * 4
    assert len(list((shell.vault / "Memory").rglob("*/*.md"))) == 4


def test_a_source_is_named_and_read_once(cli: CommandLine) -> None:
    write_session(cli.folder / "logs", "s1", TABS)
    logs = str(cli.folder / "logs")
    assert cli("learn", "add", logs, "--name", "logs", "--trust", "agent").code == 0
    assert len(data(cli, "learn", "reflect", "--source", "logs")["lanes"]["high"]) == 1
    assert data(cli, "learn", "reflect")["sessions"] == 0


@pytest.mark.parametrize(
    ("argv", "code"),
    [
        (["learn", "reflect", "nowhere"], 2),
        (["learn", "reflect", "--source", "nowhere"], 3),
        (["learn", "reflect", ".", "--source", "logs"], 2),
        (["learn", "reflect", "--trust", "agent"], 2),
        (["learn", "reflect", ".", "--trust", "operator"], 2),
    ],
)
def test_what_can_not_be_meant_is_refused(cli: CommandLine, argv: list[str], code: int) -> None:
    assert cli(*argv).code == code


def test_a_file_that_is_no_session_is_named_and_stops_no_other(cli: CommandLine) -> None:
    logs = cli.folder / "logs"
    write_session(logs, "s1", TABS)
    (logs / "bad.jsonl").write_bytes(b"\0\0\0")
    found = data(cli, "learn", "reflect", str(logs))
    assert len(found["lanes"]["high"]) == 1
    assert [problem["file"] for problem in found["problems"]] == ["bad.jsonl"]
    assert "left out: bad.jsonl" in cli("learn", "reflect", str(logs)).out


def test_triage_asks_for_what_three_sessions_had_and_review_files_it(cli: CommandLine) -> None:
    for number in range(3):
        write_session(cli.folder / "logs", f"s{number}", HATE, at=1_780_000_000.0 + 900 * number)
    data(cli, "learn", "reflect", str(cli.folder / "logs"))
    (rehearsed,) = data(cli, "jobs", "run", "triage", "--dry-run")["jobs"]
    assert rehearsed["counts"]["proposed"] == 1
    assert "1 proposed" in cli("jobs", "run", "triage").out
    (proposal,) = data(cli, "review", "list")["proposals"]
    assert data(cli, "review", "accept", proposal["id"])
    (entry,) = data(cli, "list", "--kind", "preference")["results"]
    assert (entry["title"], entry["status"]) == ("I hate trailing summaries", "active")
    assert "1 proposed" not in cli("jobs", "run", "triage").out


@pytest.mark.parametrize(
    ("confidence", "told"),
    [
        ("0.4", "unconfirmed: ask before relying on it"),
        ("0.5", "likely"),
        ("0.79", "likely"),
        ("0.8", ""),
        ("", ""),
    ],
)
def test_recall_tells_how_sure_an_entry_is(cli: CommandLine, confidence: str, told: str) -> None:
    given = ["--confidence", confidence] if confidence else []
    cli.save("The lighthouse keeper counts the waves.", "--title", "Lighthouse", *given)
    out = cli("recall", "lighthouse").out
    (result,) = data(cli, "recall", "lighthouse")["results"]
    assert result.get("asking", "") == told
    lines = [line.strip() for line in out.splitlines()]
    for words in ("unconfirmed: ask before relying on it", "likely"):
        assert (words in lines) == (words == told)
