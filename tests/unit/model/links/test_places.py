"""The paths in links, against the places of notes (S1.11)."""

from __future__ import annotations

import pytest

from engrain.model.links.places import is_at, leads_to_file, resolve_path


@pytest.mark.parametrize("name", ["a.png", "dir/A.PDF", "Board.canvas", "x.excalidraw", "b.base"])
def test_what_ends_as_a_file_does_leads_to_one(name: str) -> None:
    assert leads_to_file(name)


@pytest.mark.parametrize(
    "name", ["note", "dendron.topic.links", "v1.2", "Mr. Smith", "n.md", ".png"]
)
def test_dots_in_a_name_make_no_file_of_it(name: str) -> None:
    assert not leads_to_file(name)


@pytest.mark.parametrize(
    "written", ["n", "b/n", "a/b/n", "/a/b/n", "A/B/N.md", "./n", "../b/n.md", "any/Title"]
)
def test_a_path_that_is_the_notes_is_its_place(written: str) -> None:
    assert is_at(written, "a/b/n.md", "any/Title", "a/b")


@pytest.mark.parametrize("written", ["c/n", "a/n", "b/n/n", "./b/n", "../n"])
def test_a_path_that_is_another_is_not(written: str) -> None:
    assert not is_at(written, "a/b/n.md", "N", "a/b")


def test_no_relative_path_leads_above_the_vault() -> None:
    assert resolve_path("../../../x", "a/b") == "x"
    assert resolve_path("./../c/x", "a/b") == "a/c/x"
