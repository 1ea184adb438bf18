"""`engrain fact` and `engrain entity`, and what a person is told of them (S4.1, S4.2)."""

from __future__ import annotations

from typing import Any

import pytest

from unit.adapters.shell import CommandLine
from unit.adapters.shell import read_data as data


def add(cli: CommandLine, entity: str, text: str, *more: str) -> dict[str, Any]:
    return data(cli("fact", "add", "--entity", entity, text, *more, "--json"))


@pytest.fixture
def moved(cli: CommandLine) -> CommandLine:
    """Somebody who moved."""
    add(cli, "Ada Byron", "Ada Byron lives in Rome.", "--type", "person", "--date", "2020-01-01")
    add(cli, "Ada Byron", "Ada Byron lives in Oslo.", "--date", "2024-05-01", "--ref", "call-7")
    return cli


def test_a_fact_is_added_once_and_met_again(cli: CommandLine) -> None:
    first = add(cli, "Ada", "Ada keeps the light.", "--ref", "s1")
    assert (first["outcome"], first["entity"]) == ("created", "ada")
    assert add(cli, "Ada", "Ada keeps the light.", "--ref", "s1")["outcome"] == "unchanged"
    assert add(cli, "Ada", "Ada keeps the light.", "--ref", "s2")["outcome"] == "reinforced"


def test_a_relation_is_given_as_predicate_and_object(cli: CommandLine) -> None:
    add(cli, "Ada", "Ada works at Acme Corp.", "--edge", "employer: Acme Corp")
    (item,) = data(cli("fact", "list", "ada", "--json"))["items"]
    assert item["edge"] == {"subject": "ada", "predicate": "works_at", "object": "acme-corp"}


def test_a_fact_is_read_from_standard_input(cli: CommandLine) -> None:
    done = cli("fact", "add", "--entity", "Ada", "-", "--json", stdin=b"Ada counts.\n")
    assert data(done)["outcome"] == "created"


@pytest.mark.parametrize(
    "argv",
    [
        ["add", "--entity", "Ada", "Ada sings.", "--edge", "sings"],
        ["add", "--entity", "Ada", "Ada sings.", "--date", "soon"],
    ],
)
def test_what_a_fact_needs_is_reported(cli: CommandLine, argv: list[str]) -> None:
    assert cli("fact", *argv).code == 2


def test_what_replaced_what_is_reported(moved: CommandLine) -> None:
    out = moved("entity", "show", "ada").out
    assert out.startswith("Ada Byron\n")
    assert "• Ada Byron lives in Oslo." in out
    assert "replaced: Ada Byron lives in Rome." in out
    assert "– Ada Byron lives in Rome." not in out
    whole = moved("entity", "show", "ada", "--all").out
    assert "– Ada Byron lives in Rome." in whole
    assert "2020-01-01 to 2024-05-01" in whole


def test_what_is_still_to_begin_is_reported_with_what_holds_until_then(moved: CommandLine) -> None:
    soon = ("fact", "add", "--entity", "ada", "Ada Byron lives in Bonn.", "--since", "2199-01-01")
    assert "  holds until 2199-01-01: Ada Byron lives in Oslo." in moved(*soon).out
    assert "• Ada Byron lives in Oslo." in moved("fact", "list", "ada").out
    now = moved("recall", "--profile", "tiered", "where does Ada Byron live now").out
    assert "Ada Byron lives in Oslo. (until 2199-01-01)" in now.splitlines()[2]


def test_what_held_on_a_date_is_reported(moved: CommandLine) -> None:
    for command in ("entity", "fact"):
        action = "show" if command == "entity" else "list"
        done = moved(command, action, "ada", "--as-of", "2022-01-01", "--json")
        assert [item["content"] for item in data(done)["items"]] == ["Ada Byron lives in Rome."]
    assert data(moved("entity", "list", "--as-of", "2019-01-01", "--json"))["total"] == 0
    assert data(moved("entity", "list", "--as-of", "2022-01-01", "--json"))["total"] == 1


def test_the_whole_document_is_told_to_a_program(moved: CommandLine) -> None:
    told = data(moved("entity", "show", "ada-byron", "--json"))
    assert (told["slug"], told["type"], told["facts"], told["active"]) == (
        "ada-byron",
        "person",
        2,
        1,
    )
    old, new = told["items"]
    assert (old["status"], new["supersedes"]) == ("historical", old["id"])
    assert new["engrain"] == {"trust": "agent"}
    assert "Oslo" in told["summary"]


def test_two_that_can_not_both_be_so_are_marked_and_settled(cli: CommandLine) -> None:
    day = ("--date", "2024-05-01", "--source", "meeting")
    add(cli, "Ada", "Ada lives in Rome.", *day, "--ref", "a")
    second = add(cli, "Ada", "Ada lives in Oslo.", *day, "--ref", "b")
    assert second["outcome"] == "disputed"
    assert "? Ada lives in Rome." in cli("entity", "show", "ada").out
    assert "disputed" in cli("entity", "list", "--disputed").out
    assert "disputed" in cli("check").out
    settled = data(cli("fact", "settle", "ada", second["id"], "--json"))
    assert settled["status"] == "active"
    assert data(cli("entity", "list", "--disputed", "--json"))["total"] == 0
    assert "Ada lives in Rome." in cli("fact", "show", "ada", second["id"]).out


def test_a_fact_is_forgotten_and_comes_back_by_undo(cli: CommandLine) -> None:
    id_ = add(cli, "Ada", "Ada sings.")["id"]
    assert "Ada sings." in cli("fact", "forget", "ada", id_, "--reason", "a joke").out
    assert data(cli("fact", "list", "ada", "--json"))["items"] == []
    assert cli("undo").code == 0
    assert len(data(cli("fact", "list", "ada", "--json"))["items"]) == 1


def test_entities_are_merged_and_named(cli: CommandLine) -> None:
    add(cli, "Bob", "Bob sings.")
    add(cli, "Robert Lee", "Robert Lee dances.")
    merged = data(cli("entity", "merge", "robert-lee", "bob", "--json"))
    assert (merged["slug"], merged["facts"], merged["aliases"]) == ("robert-lee", 2, ["Bob"])
    assert cli("entity", "list").out.splitlines()[1].endswith("Bob")
    assert cli("undo").code == 0
    assert data(cli("entity", "list", "--json"))["total"] == 2
    assert data(cli("entity", "alias", "bob", "Bobby", "--json"))["aliases"] == ["Bobby"]
    assert data(cli("entity", "rename", "bob", "Bob Ray", "--json"))["name"] == "Bob Ray"
    assert data(cli("entity", "reindex", "--json")) == {"written": True}
    assert data(cli("entity", "reindex", "--json")) == {"written": False}


def test_an_entity_is_an_entry_like_any_other(moved: CommandLine) -> None:
    assert moved("show", "ada-byron").out.startswith("Ada Byron\n")
    assert "Ada Byron" in moved("list", "--kind", "entity").out
    assert data(moved("forget", "ada-byron", "--json"))["outcome"] == "deleted"
    assert data(moved("entity", "list", "--json"))["total"] == 0
    assert "It is deleted: `engrain restore" in moved("entity", "show", "ada-byron").out
    assert data(moved("restore", "ada-byron", "--json"))["outcome"] == "restored"
    assert data(moved("entity", "list", "--json"))["total"] == 1


def test_an_entity_is_reported_and_not_loaded_in_every_session(moved: CommandLine) -> None:
    done = moved("edit", "ada-byron", "--pin")
    assert done.code == 2
    assert "is a record of kind entity" in done.err


def test_who_is_not_there_is_told(cli: CommandLine) -> None:
    done = cli("entity", "show", "nobody")
    assert done.code == 3
    assert "entity list" in done.err
