"""session at the command line: begun and ended by hand, where no host does it."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from unit.adapters.shell import CommandLine, ask


def counted(cli: CommandLine, id_: str) -> int:
    raw = cli("show", id_, "--raw").out
    return sum(
        int(line.split()[1]) for line in raw.splitlines() if line.startswith("recall_count:")
    )


@pytest.fixture
def saved(cli: CommandLine) -> str:
    return cli.save("The nightly job takes advisory locks.", "--title", "Lock")["id"]


def test_what_is_recalled_between_begin_and_end_is_strengthened(
    cli: CommandLine, saved: str
) -> None:
    begun = ask(cli, "agent", "begin")["session"]
    cli("recall", "advisory locks")
    assert counted(cli, saved) == 0
    ended = ask(cli, "agent", "end")
    assert ended == {"session": begun, "strengthened": [saved]}
    assert counted(cli, saved) == 1


def test_a_person_is_told_in_a_line(cli: CommandLine, saved: str) -> None:
    begun = cli("agent", "begin").out
    assert begun.startswith("session 01")
    assert begun.endswith(" has begun\n")
    cli("recall", "advisory locks")
    id_ = begun.split()[1]
    assert cli("agent", "end").out == f"session {id_} has ended; 1 entry recalled in it\n"
    cli("agent", "begin", "ci-1")
    assert cli("agent", "end", "ci-1").out == "session ci-1 has ended; 0 entries recalled in it\n"


@pytest.mark.parametrize("how", ["flag", "variable"])
def test_a_session_of_ones_own_name_is_named_where_it_is_meant(
    cli: CommandLine, saved: str, monkeypatch: pytest.MonkeyPatch, how: str
) -> None:
    assert ask(cli, "agent", "begin", "ci-4711")["session"] == "ci-4711"
    if how == "flag":
        cli("recall", "advisory locks", "--session", "ci-4711")
    else:
        monkeypatch.setenv("ENGRAIN_SESSION", "ci-4711")
        cli("recall", "advisory locks")
        monkeypatch.delenv("ENGRAIN_SESSION")
    assert ask(cli, "agent", "end", "ci-4711")["strengthened"] == [saved]


def test_a_session_of_ones_own_name_does_not_become_the_one_that_was_begun(
    cli: CommandLine, saved: str
) -> None:
    begun = ask(cli, "agent", "begin")["session"]
    ask(cli, "agent", "begin", "ci-4711")
    assert ask(cli, "agent", "end")["session"] == begun
    assert ask(cli, "agent", "end", "ci-4711")["session"] == "ci-4711"


def test_what_was_read_by_its_id_gains_more(cli: CommandLine) -> None:
    ids = [cli.save(text, "--title", text)["id"] for text in ("Zebras wander.", "Ships come.")]
    ask(cli, "agent", "begin")
    cli("recall", "zebras wander")
    cli("recall", "ships come")
    cli("show", ids[0])
    ask(cli, "agent", "end")

    def weight(id_: str) -> float:
        lines = cli("show", id_, "--raw").out.splitlines()
        return next(float(line.split()[1]) for line in lines if line.startswith("weight:"))

    assert weight(ids[0]) > weight(ids[1])


@pytest.mark.parametrize("argv", [(), ("no-such",)])
def test_what_never_began_does_not_end(cli: CommandLine, argv: tuple[str, ...]) -> None:
    done = cli("agent", "end", *argv)
    assert done.code != 0
    assert "begun" in done.err
    assert "engrain agent begin" in done.err
    assert len(done.err.splitlines()) <= 2


def test_an_ended_session_is_not_the_current_one(cli: CommandLine, saved: str) -> None:
    ask(cli, "agent", "begin")
    ask(cli, "agent", "end")
    assert cli("agent", "end").code != 0
    assert ask(cli, "recall", "advisory locks")["results"]
    assert counted(cli, saved) == 0


def test_what_is_saved_in_the_current_session_refers_to_it(cli: CommandLine) -> None:
    session = ask(cli, "agent", "begin")["session"]
    within = ask(cli, "save", "The lock is taken first.")["id"]
    named = ask(cli, "save", "The lock is released last.", "--ref", "meeting-7")["id"]
    ask(cli, "agent", "end")
    after = ask(cli, "save", "The lock has a timeout.")["id"]
    raw = [cli("show", id_, "--raw").out for id_ in (within, named, after)]
    refs = [found and found[1] for one in raw for found in [re.search(r"\bref: ([^,}]+)", one)]]
    assert refs == [session, "meeting-7", None]


def test_an_action_there_is_not_is_reported(cli: CommandLine) -> None:
    done = cli("agent", "pause")
    assert done.code == 2
    assert "pause" in done.err


def test_the_help_has_examples(cli: CommandLine) -> None:
    done = cli("agent", "--help")
    assert done.code == 0
    assert "engrain agent begin" in done.out
    assert "engrain agent end" in done.out


def test_nothing_of_a_session_lies_in_the_vault(cli: CommandLine, saved: str) -> None:
    before = sorted(str(path) for path in cli.vault.rglob("*"))
    ask(cli, "agent", "begin", "ci-4711")
    cli("recall", "advisory locks", "--session", "ci-4711")
    assert sorted(str(path) for path in cli.vault.rglob("*")) == before
    assert [path.name for path in Path(cli.state).rglob("ci-4711.jsonl")] == ["ci-4711.jsonl"]


def test_sessions_since_the_recall_are_counted_where_entries_are_reported(cli: CommandLine) -> None:
    saved = ask(cli, "save", "--title", "Pooler", "The pooler listens on 6432.")["id"]
    for number, query in enumerate(("where does the pooler listen?", "", "")):
        cli("agent", "begin", f"s{number}")
        if query:
            assert ask(cli, "recall", query, "--session", f"s{number}")["results"]
        cli("agent", "end", f"s{number}")
    [listed] = ask(cli, "list")["results"]
    assert listed["sessions_since_recall"] == 2
    shown = ask(cli, "show", saved)
    assert shown["sessions_since_recall"] == shown["fields"]["sessions_since_recall"] == 2
    assert shown["recall_count"] == 1
    assert "recalled   1 time, 2 sessions ago\n" in cli("show", saved).out
    cli("export", "--format", "living", "out")
    [written] = Path("out").rglob("pooler.md")
    assert "sessions_since_recall: 2\n" in written.read_text()
