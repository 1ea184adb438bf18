"""Which files of a living memory are read, and what they make."""

from __future__ import annotations

import pytest

from engrain.interchange.importing import Incoming
from engrain.interchange.living import LIVING_LAYOUT, folder_of, has_place
from engrain.interchange.table import read_file
from engrain.model.note.entry import Entry
from engrain.model.note.note import compose_note


@pytest.mark.parametrize(
    ("name", "folder"),
    [
        ("core/identity.md", "core"),
        ("active/2026/x.md", "active"),
        ("active/x.txt", ""),
        ("active/.md", ""),
        ("active/.git/x.md", ""),
        ("active/../x.md", ""),
        ("other/x.md", ""),
        ("core.md", ""),
        ("/core/x.md", ""),
    ],
)
def test_a_note_is_known_by_its_folder(name: str, folder: str) -> None:
    row = LIVING_LAYOUT.row_at(name)
    assert (row.pattern.partition("/")[0] if row else "") == folder


@pytest.mark.parametrize(
    ("kind", "path", "has"),
    [
        ("memory", "Memory/active/a.md", True),
        ("recipe", "Memory/recipe/a.md", True),
        ("preference", "preferences/a.md", True),
        ("preference", "_archive/preferences/a.md", True),
        ("memory", "notes/of/mine.md", False),
        ("plan", "projects/x/_harness/plan.md", False),
        ("pattern", "Memory/pattern/a.md", False),
        ("episode", "Memory/episodic/a.json", False),
        ("entity", "Memory/entities/a/items.json", False),
        ("daily", "Memory/daily/2026-01-01.md", False),
    ],
)
def test_kinds_of_other_layouts_and_the_operators_own_notes_have_no_place(
    kind: str, path: str, has: bool
) -> None:
    assert has_place(kind, path) is has


def entry(path: str, kind: str, status: str = "active") -> Entry:
    return Entry(path, compose_note({"kind": kind, "status": status}, "# A\n"), "")


def test_an_entry_goes_to_the_folder_of_what_it_is() -> None:
    assert folder_of(entry("Memory/core/a.md", "value")) == "core"
    assert folder_of(entry("Memory/fix/a.md", "fix")) == "active"
    assert folder_of(entry("Memory/procedural/a.md", "procedural")) == "procedural"
    assert folder_of(entry("Memory/_archive/core/a.md", "value")) == "archive"
    assert folder_of(entry("Memory/fix/a.md", "fix", "superseded")) == "archive"


def incoming(text: str, name: str = "active/a.md") -> Incoming:
    row = LIVING_LAYOUT.row_at(name)
    assert row
    [document] = read_file(row, text.encode())
    return Incoming(LIVING_LAYOUT, row, "tree", name, document)


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("core/identity.md", "identity"),
        ("core/Relationships.md", "relationship"),
        ("core/values.md", "value"),
        ("core/anything.md", "identity"),
        ("active/identity.md", "memory"),
        ("archive/x.md", "memory"),
        ("procedural/x.md", "procedural"),
    ],
)
def test_where_a_note_says_no_kind_its_place_does(name: str, kind: str) -> None:
    assert incoming("text", name).kind == kind


@pytest.mark.parametrize(
    ("said", "kind"), [("fix", "fix"), ("entity", "memory"), ("A/..", "memory"), ("5", "memory")]
)
def test_a_kind_that_can_be_one_here_is_believed(said: str, kind: str) -> None:
    assert incoming(f"---\nengrain: {{kind: {said}}}\n---\ntext").kind == kind


def test_an_id_keeps_its_digits_and_none_is_made_of_the_name() -> None:
    assert incoming("---\nid: 007\n---\ntext").given == "007"
    assert incoming("---\nid: [1]\n---\ntext").given == incoming("other text").given
    assert incoming("text").given != incoming("text", "core/a.md").given


def test_links_have_the_relations_that_are_told_beside_them() -> None:
    text = "links: [b, c]\nengrain: {relations: [{to: b, relation: contradicts}, {to: x}]}\n"
    assert incoming(f"---\n{text}---\n").links == [
        {"to": "b", "relation": "contradicts"},
        {"to": "c", "relation": "related_to"},
    ]
