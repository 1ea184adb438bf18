"""The temporal index: made from the episodes alone, written only where it would change (S2.2)."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from engrain import Memory
from engrain.engine.indexes import write_episode_index
from support.vaults import make_memory
from unit.model.experience.test_reading import SEED


def file_three(memory: Memory) -> None:
    for id_, day, outcome in (
        ("a", "2026-01-06T10:30:00Z", "success"),
        ("b", "2026-01-06T09:00:00Z", "failure"),
        ("c", "2026-01-08T00:00:00Z", "success"),
    ):
        memory.episodes.save({**SEED, "id": id_, "timestamp": day, "outcome": outcome})


def read(vault: Path, *folders: str) -> dict[str, Any]:
    value = json.loads(vault.joinpath("Memory", "episodic", *folders, "index.json").read_text())
    assert isinstance(value, dict)
    return value


def test_the_file_of_all_days_counts_and_that_of_a_day_names_its_episodes(
    memory: Memory, vault: Path
) -> None:
    file_three(memory)
    assert memory.episodes.write_index() == 3
    whole = read(vault)
    assert next(iter(whole)) == "_generated"
    assert whole["episodes"] == 3
    assert whole["days"] == {
        "2026-01-06": {
            "episodes": 2,
            "outcomes": {"failure": 1, "success": 1},
            "first": "2026-01-06T09:00:00Z",
            "last": "2026-01-06T10:30:00Z",
        },
        "2026-01-08": {
            "episodes": 1,
            "outcomes": {"success": 1},
            "first": "2026-01-08T00:00:00Z",
            "last": "2026-01-08T00:00:00Z",
        },
    }
    day = read(vault, "2026-01-06")
    assert next(iter(day)) == "_generated"
    assert [entry["id"] for entry in day["episodes"]] == ["b", "a"]
    assert day["episodes"][1] == {
        "id": "a",
        "timestamp": "2026-01-06T10:30:00Z",
        "goal": "Implement POST /api/todos endpoint",
        "outcome": "success",
        "agent": "eng-001-backend",
        "file": "a.json",
    }


def test_what_would_not_change_is_not_written(memory: Memory) -> None:
    file_three(memory)
    memory.episodes.write_index()
    changes = len(memory.history())
    assert memory.episodes.write_index() == 0
    assert len(memory.history()) == changes


def test_only_the_days_that_are_named_are_written_and_the_file_of_all_days(
    memory: Memory, vault: Path
) -> None:
    file_three(memory)
    assert write_episode_index(memory._ready(scan=True), ["2026-01-08"]) == 2
    assert read(vault)["episodes"] == 3
    assert not (vault / "Memory/episodic/2026-01-06/index.json").exists()


@pytest.mark.parametrize("raw", [None, b"", b"{", b"[]", b'{"episodes": [3]}', b"\xff"])
def test_deleted_or_spoilt_it_is_made_again_the_same(
    memory: Memory, vault: Path, raw: bytes | None
) -> None:
    file_three(memory)
    memory.episodes.write_index()
    files = sorted(vault.rglob("index.json"))
    before = [path.read_bytes() for path in files]
    for path in files:
        if raw is None:
            path.unlink()
        else:
            path.write_bytes(raw)
    assert memory.episodes.write_index() == 3
    assert [path.read_bytes() for path in files] == before


def test_a_line_that_another_program_changed_is_put_right(memory: Memory, vault: Path) -> None:
    file_three(memory)
    memory.episodes.write_index()
    path = vault / "Memory/episodic/2026-01-08/index.json"
    before = path.read_bytes()
    path.write_bytes(before.replace(b"eng-001-backend", b"somebody-else"))
    assert memory.episodes.write_index() == 1
    assert path.read_bytes() == before


def test_what_is_forgotten_leaves_the_index_and_an_empty_day_its_file(
    memory: Memory, vault: Path
) -> None:
    file_three(memory)
    memory.episodes.write_index()
    memory.forget("c")
    memory.forget("a")
    assert memory.episodes.write_index() == 3
    assert list(read(vault)["days"]) == ["2026-01-06"]
    assert [entry["id"] for entry in read(vault, "2026-01-06")["episodes"]] == ["b"]
    assert not (vault / "Memory/episodic/2026-01-08/index.json").exists()
    memory.forget("b")
    assert memory.episodes.write_index() == 2
    assert not list(vault.rglob("index.json"))


def test_where_there_are_no_episodes_nothing_is_written(memory: Memory, vault: Path) -> None:
    assert memory.episodes.write_index() == 0
    assert not (vault / "Memory").exists()


def test_its_files_are_no_entries_on_this_device_or_another(tmp_path: Path) -> None:
    with make_memory(tmp_path) as memory:
        file_three(memory)
        memory.episodes.write_index()
        assert sorted(row.id for row in memory.episodes.list().rows) == ["a", "b", "c"]
        memory.scan()
        assert sorted(row.id for row in memory.episodes.list().rows) == ["a", "b", "c"]
        assert memory.check().found == []
    with make_memory(tmp_path, device="other") as memory:
        assert sorted(row.id for row in memory.episodes.list().rows) == ["a", "b", "c"]


def test_an_episode_that_was_broken_since_does_not_stop_the_others(
    memory: Memory, vault: Path
) -> None:
    file_three(memory)
    (vault / "Memory/episodic/2026-01-06/a.json").write_text("{")
    memory.episodes.write_index()
    assert [entry["id"] for entry in read(vault, "2026-01-06")["episodes"]] == ["b"]
