"""What is known before a task, and links that contradict, at the command line (S2.9, S2.10)."""

from __future__ import annotations

import json
from typing import Any

import pytest

from unit.adapters.shell import CommandLine

TASK = "Add the endpoint that deletes todos"


@pytest.fixture
def experienced(cli: CommandLine) -> CommandLine:
    def save(text: str, title: str, kind: str) -> None:
        cli.save(text, "--title", title, "--kind", kind, "--confidence", "0.9")

    save("Declare what the endpoint returns.", "Todos endpoints return void", "pattern")
    save(
        "1. Read the spec.\n2. Add the endpoint that todos need.",
        "Endpoint implementation",
        "procedural",
    )
    save("## Prevention\nRun it first.", "The todos endpoint does not compile", "anti-pattern")
    folder = cli.vault / "Memory" / "episodic" / "2026-09-20"
    folder.mkdir(parents=True)
    episode = {
        "id": "ep-1", "timestamp": "2026-09-20T10:00:00Z", "outcome": "success",
        "context": {"goal": "Add the endpoint that lists todos \x1b[31m"},
    }  # fmt: skip
    (folder / "ep-1.json").write_text(json.dumps(episode))
    anti = cli.vault / "Memory" / "anti-pattern" / "port.md"
    anti.write_text("---\nid: 01port\nactions: [serve]\n---\n# The port is taken\nStop it.\n")
    return cli


def recall(cli: CommandLine, *argv: str) -> Any:
    done = cli("recall", *argv, "--json")
    assert done.code == 0, done.err or done.out
    return done.answer["data"]


def summaries(data: dict[str, Any], part: str) -> list[str]:
    assert all(set(one) == {"id", "kind", "summary"} for one in data[part])
    return [one["summary"] for one in data[part]]


def test_the_parts_stand_beside_the_results(experienced: CommandLine) -> None:
    data = recall(experienced, TASK, "--profile", "task", "--action", "serve")
    assert [one["kind"] for one in data["results"]] == ["pattern", "episode", "procedural"]
    assert [one["id"] for one in data["relevant_patterns"]] == [
        one["id"] for one in data["results"]
    ]
    assert summaries(data, "avoid_these") == [
        "The todos endpoint does not compile: Run it first.", "The port is taken",
    ]  # fmt: skip
    assert summaries(data, "applicable_skills") == ["Endpoint implementation"]


def test_a_plain_recall_has_no_such_parts(experienced: CommandLine) -> None:
    assert "avoid_these" not in recall(experienced, TASK)


def test_in_text_each_part_stands_under_its_heading(experienced: CommandLine) -> None:
    done = experienced("recall", TASK, "--profile", "task", "--phase", "work", "--explain")
    assert done.code == 0
    lines = done.out.splitlines()
    places = [lines.index(name) for name in ("Relevant", "Mistakes to avoid", "Applicable skills")]
    assert places == sorted(places)
    assert "   Endpoint implementation: see 3" in lines
    assert "Why" in lines
    assert "\x1b" not in done.out


def test_a_task_that_nothing_is_known_of_is_answered_in_words(experienced: CommandLine) -> None:
    done = experienced("recall", "--profile", "task", "Which vineyard did Marguerite visit?")
    assert (done.code, "Relevant" in done.out) == (0, False)
    assert done.out.startswith("Nothing in memory")


def test_a_contradiction_is_reported_until_it_is_taken_away(cli: CommandLine) -> None:
    one = cli.save("The crane is red.", "--title", "Red", "--kind", "fix")["id"]
    two = cli.save("The crane is blue.", "--title", "Blue", "--kind", "fix")["id"]
    assert isinstance(one, str)
    assert isinstance(two, str)
    assert cli("link", one, two, "--relation", "contradicts").code == 0
    found = {one["id"]: one["contradicts"] for one in recall(cli, "crane")["results"]}
    assert found == {one: [two], two: [one]}
    assert f"contradicted by {two}" in cli("recall", "crane").out
    assert f"contradicted by {two} Blue: unresolved" in cli("show", one).out
    shown = cli("show", two, "--json").answer["data"]
    assert shown["contradicts"] == [one]
    removed = cli("link", two, one, "--relation", "contradicts", "--remove", "--json")
    assert removed.answer["data"]["outcome"] == "updated"
    assert "contradicted" not in cli("recall", "crane").out
