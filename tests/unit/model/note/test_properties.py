"""The properties of a note: what is searched and shown of its frontmatter."""

from __future__ import annotations

import pytest

from engrain.model.note.entry import read_entry
from engrain.model.note.properties import MOST, describe_properties


@pytest.mark.parametrize(("fields", "text"), [
    ({"director": ["[[Mira Tollan]]"], "year": 1974}, "director: Mira Tollan\nyear: 1974"),
    ({"a": "[[People/Ada|the keeper]]"}, "a: Ada (the keeper)"),
    ({"size": {"height": "2 m", "parts": ["mast", 3]}}, "size: height: 2 m, parts: mast, 3"),
    ({"rating": 7.5, "seen": True, "none": None, "empty": ""}, "rating: 7.5"),
    ({"title": "T", "tags": ["x"], "status": "active", "kind": "fix"}, ""),
    ({"uuid": "7", "cssclass": "wide", "cssclasses": ["a"], "content-hash": "x"}, ""),
    ({"date created": "2024-01-05", "ctime": 1, "mtime": 2, "last modified": "x"}, ""),
    ({"ref": "9f86d081884c7d659a2feaa0c55ad015"}, ""),
    ({"ref": "3f2b8c1e-1111-2222-3333-444455556666"}, ""),
    ({"last name": "Tollan", "created by": "Ada"}, "last name: Tollan\ncreated by: Ada"),
    ({"position": "captain", "colour": "red"}, "position: captain\ncolour: red"),
    ({"imported": {"id": "7", "project": "lanterns", "created": 3}}, "project: lanterns"),
])  # fmt: skip
def test_values_are_reported_by_name_and_technical_ones_are_not(
    fields: dict[str, object], text: str
) -> None:
    assert describe_properties(fields) == text  # type: ignore[arg-type]


def test_what_an_import_put_aside_is_searched_and_not_shown() -> None:
    fields = {"author": "Ada", "imported": {"project": "lanterns"}}
    assert describe_properties(fields) == "author: Ada\nproject: lanterns"  # type: ignore[arg-type]
    assert describe_properties(fields, whole=False) == "author: Ada"  # type: ignore[arg-type]


def test_much_of_it_is_cut() -> None:
    text = describe_properties({f"key{n}": "word " * 20 for n in range(100)})
    assert 0 < len(text) <= MOST
    assert len(describe_properties({"key": "x " * MOST})) <= MOST


@pytest.mark.parametrize(("kind", "source", "told"), [
    ("memory", "", True),
    ("procedural", "", False),
    ("procedural", "source: {kind: import}\n", True),
])  # fmt: skip
def test_fields_of_engrains_own_kinds_are_no_properties(kind: str, source: str, told: bool) -> None:
    raw = f"---\nkind: {kind}\n{source}summary: two keys\n---\nText.\n".encode()
    assert bool(read_entry("Memory/x/a.md", raw).properties) is told


def test_tags_of_the_text_stand_behind_those_of_the_frontmatter() -> None:
    raw = (
        b"---\ntags: [home, Yearly]\n---\n# Kitchen\n"
        b"#chores/Kitchen #yearly #\xc3\xbcber #1984 #fff\n"
        b"`#code` https://x.org/#part [x](#y) ## no\n```\n#include\n```\n"
    )
    entry = read_entry("a.md", raw)
    assert entry.tags == ("home", "Yearly")
    assert entry.all_tags == ("home", "Yearly", "chores/kitchen", "\u00fcber")
