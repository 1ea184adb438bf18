"""The generated index of entities."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from engrain import Memory
from engrain.engine import indexes
from engrain.model.facts.fact import Fact
from support.entities import file_entity


def read(vault: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((vault / "Memory/entities/index.json").read_text())
    return found


def test_it_tells_each_entity_and_is_written_only_where_it_changes(
    memory: Memory, vault: Path
) -> None:
    store = memory._open_store()
    file_entity(store, "ann", "Ann", [Fact("a", "Ann sings.")], aliases=["Annie"])
    file_entity(store, "acme", "Acme", [], type_="company")
    assert memory.facts.reindex()
    whole = read(vault)
    assert next(iter(whole)) == "_generated"
    assert (whole["types"], whole["omitted"]) == ({"company": 1, "person": 1}, 0)
    acme, ann = whole["entities"]
    assert (ann["slug"], ann["aliases"], ann["facts"]) == ("ann", ["Annie"], 1)
    assert acme["name"] == "Acme"
    assert not memory.facts.reindex()


def test_of_more_than_one_file_holds_the_latest_are_reported(
    memory: Memory, vault: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = memory._open_store()
    for name in ("a", "b", "c"):
        file_entity(store, name, name.upper(), [])
    monkeypatch.setattr(indexes, "MAX_NOTE_BYTES", indexes._HEAD_BYTES + 500)
    assert memory.facts.reindex()
    whole = read(vault)
    assert whole["types"] == {"person": 3}
    assert whole["omitted"] == 1
    assert not memory.facts.reindex()
