"""graph on the command line."""

from __future__ import annotations

import json

import pytest

from unit.adapters.shell import CommandLine


@pytest.fixture
def linked(cli: CommandLine) -> CommandLine:
    cli.save("The quay. See [[Tides]].", "--title", "Quay")
    cli.save("High and low. See [[Moon]].", "--title", "Tides")
    cli.save("It pulls.", "--title", "Moon")
    return cli


def test_a_path_is_told_hop_by_hop(linked: CommandLine) -> None:
    done = linked("graph", "path", "Quay", "Moon")
    assert done.code == 0
    first, second, third = done.out.splitlines()
    assert first.startswith("Quay [")
    assert second.startswith("  ─ links_to →  Tides [")
    assert third.startswith("  ─ links_to →  Moon [")


def test_no_path_is_no_error(linked: CommandLine) -> None:
    linked.save("Nowhere near.", "--title", "Desert")
    done = linked("graph", "path", "Quay", "Desert", "--json")
    assert done.code == 0
    data = done.answer["data"]
    assert (data["found"], data["path"], data["edges"]) == (False, [], [])
    assert linked("graph", "path", "Quay", "Desert").out.startswith("no way of up to 6 hops joins")


def test_a_graph_is_exported_as_json(linked: CommandLine) -> None:
    told = json.loads(linked("graph", "export").out)
    assert (len(told["nodes"]), len(told["edges"])) == (3, 2)
    assert set(told) == {"directed", "multigraph", "graph", "nodes", "edges", "cut"}


@pytest.mark.parametrize(
    "argv", [["neighbors", "Quay", "--limit", "0"], ["path", "Quay", "Moon", "--as-of", "someday"]]
)
def test_a_question_that_makes_no_sense_is_refused_in_one_line(
    linked: CommandLine, argv: list[str]
) -> None:
    done = linked("graph", *argv)
    assert (done.code, done.out, done.err.count("\n")) == (2, "", 1)


def test_an_entry_that_is_not_there_is_reported(linked: CommandLine) -> None:
    assert linked("graph", "neighbors", "Nobody").code == 3
