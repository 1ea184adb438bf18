"""extract at the command line."""

from __future__ import annotations

import json

from unit.adapters.shell import CommandLine


def write_talk(cli: CommandLine, *said: str) -> str:
    path = cli.folder / "talk.json"
    path.write_text(json.dumps([{"speaker": "Iris", "text": text} for text in said]))
    return str(path)


def test_a_person_is_told_what_was_added(cli: CommandLine) -> None:
    path = write_talk(cli, "I live in Berlin.", "I don't eat meat\x1b[31m at all.")
    done = cli("learn", "extract", path)
    assert done.code == 0
    lines = done.out.splitlines()
    assert lines[0] == "facts: 2 created"
    assert lines[1] == "  read 2 turns of 1 conversation"
    assert lines[3].split(maxsplit=2) == ["created", "Iris", "Iris lives in Berlin."]
    assert "\x1b" not in done.out
    again = cli("learn", "extract", path)
    assert again.out.splitlines()[0] == "facts: 2 unchanged"
    assert len(again.out.splitlines()) == 2


def test_a_dry_run_shows_each_fact(cli: CommandLine) -> None:
    done = cli("learn", "extract", write_talk(cli, "I live in Berlin."), "--dry-run")
    assert done.out.splitlines()[0] == "facts: 1 found"
    assert "Iris lives in Berlin." in done.out
    assert cli("entity", "show", "Iris").code == 3


def test_a_program_is_told_every_fact_with_what_came_of_it(cli: CommandLine) -> None:
    path = write_talk(cli, "I live in Berlin.", "How are you?")
    answer = cli("learn", "extract", path, "--json").answer["data"]
    (fact,) = answer["facts"]
    assert fact["outcome"] == "created"
    assert fact["edge"] == ["lives_in", "Berlin"]
    assert (fact["slug"], fact["source"]) == ("iris", "conversation")
    assert (answer["turns"], answer["files"]) == (2, 1)
    assert (answer["outcomes"], answer["problems"]) == ({"created": 1}, [])


def test_what_does_not_go_together_is_a_usage_error(cli: CommandLine) -> None:
    path = write_talk(cli, "I live in Berlin.")
    assert cli("learn", "extract", path, "--source", "talks").code == 2
    assert cli("learn", "extract", "--trust", "operator").code == 2
    assert cli("learn", "extract", str(cli.folder / "nowhere")).code == 2
    assert cli("learn", "extract", "--source", "nowhere").code == 3


def test_without_sources_there_is_nothing_new(cli: CommandLine) -> None:
    done = cli("learn", "extract")
    assert (done.code, done.out.splitlines()[0]) == (0, "facts: nothing new")
