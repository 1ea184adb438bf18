"""Which files of a workspace are read, and what they hold."""

from __future__ import annotations

import json
from typing import Any

import pytest

from engrain.interchange.table import day_in
from engrain.interchange.three_layer import (
    THREE_LAYER,
    read_foreign_fact,
    read_index,
    read_items,
    told_apart,
    type_of,
)
from engrain.model.errors import MalformedError
from engrain.model.facts.fact import Fact


@pytest.mark.parametrize(
    ("name", "part"),
    [
        ("MEMORY.md", "MEMORY.md"),
        ("memory/entities/index.json", "index"),
        ("memory/entities/alice/items.json", "entity"),
        ("memory/2026-01-28.md", "daily"),
        ("memory/entities/alice/summary.md", ""),
        ("memory/entities/a/b/items.json", ""),
        ("memory/entities/items.json", ""),
        ("memory/ARCHITECTURE.md", "kept-file"),
        ("memory/MEMORY.md", ""),
        ("memory/logs/2026-01-28.md", "kept-file"),
        ("memory/checkpoints/a/b.json", "checkpoint"),
        ("memory/metrics/.hidden", ""),
        ("memory/status.json", "kept-file"),
        ("memory/2026-13-28.md", ""),
        ("2026-01-28.md", ""),
        ("../MEMORY.md", ""),
        ("/MEMORY.md", ""),
    ],
)
def test_a_file_is_known_by_its_name_and_place(name: str, part: str) -> None:
    row = THREE_LAYER.row_at(name)
    assert (row.kind if row else "") == part


@pytest.mark.parametrize(
    "file",
    ["2026-13-01", "2026-00-01", "2026-01-32", "2026-1-1", "x2026-01-1", "٢٠٢٦-01-01",
     "-2026-01-1"],
)  # fmt: skip
def test_what_is_no_day_is_none(file: str) -> None:
    assert day_in(file) == ""


def test_names_come_before_facts_and_a_folder_of_its_own_name_before_those_alike() -> None:
    names = [
        "memory/2026-01-28.md", "MEMORY.md", "memory/entities/Bob/items.json",
        "memory/entities/bob/items.json", "memory/entities/index.json", "memory/other.md",
    ]  # fmt: skip
    assert THREE_LAYER.in_reading_order(names) == [
        "memory/entities/index.json", "memory/entities/bob/items.json",
        "memory/entities/Bob/items.json", "memory/2026-01-28.md", "MEMORY.md",
    ]  # fmt: skip


def test_a_byte_order_mark_is_no_part_of_it() -> None:
    assert read_items("\ufeff[1]".encode()) == ([1], {})


def test_a_file_of_more_than_any_entity_holds_is_not_even_read() -> None:
    with pytest.raises(MalformedError, match="an entity holds"):
        read_items(b"[" + b" " * (5 * 2**20) + b"]")
    assert read_items(b"[" + b" " * 2**20 + b"]") == ([], {})


def test_what_an_index_says_of_no_folder_is_left_out() -> None:
    said: dict[str, Any] = {"a": {"name": 5, "owner": "x"}, "b": None, "": {"name": "none"}}
    found = read_index(json.dumps(said).encode())
    assert found == {"a": {"slug": "a", "name": 5, "owner": "x"}, "b": {"slug": "b"}}


def test_an_edge_that_lacks_an_end_is_none() -> None:
    said = {"id": "1", "content": "x", "edge": {"subject": "a"}, "by": ["me"]}
    fact, unknown = read_foreign_fact(said, "external")
    assert fact.edge is None
    assert unknown == {"by": ["me"], "edge": {"subject": "a"}}


@pytest.mark.parametrize("item", ["text", None, 5, [], {"content": ""}, {"id": "x"}])
def test_what_says_nothing_is_no_fact(item: Any) -> None:
    with pytest.raises(MalformedError):
        read_foreign_fact(item, "external")


def test_facts_alike_are_one_and_those_of_one_id_are_told_apart() -> None:
    first, same, other = Fact("1", "a"), Fact("1", "a"), Fact("1", "b")
    found = [(fact.id, fact.content, id_) for fact, id_ in told_apart([first, same, other, other])]
    assert found[0] == ("1", "a", "1")
    assert len(found) == 2
    assert found[1][0].startswith("1-")
    assert found[1][1:] == ("b", "1")


def test_the_type_is_what_most_facts_say() -> None:
    said = ["person", "", "company", "company"]
    assert (
        type_of(Fact(str(n), "x", entity_type=type_) for n, type_ in enumerate(said)) == "company"
    )
    assert type_of([Fact("1", "x")]) == ""
