"""Recall without an index: it reads every file, and says so (S1.18)."""

from __future__ import annotations

from pathlib import Path

import pytest

from engrain import Memory
from engrain.engine import upkeep
from engrain.model.errors import IndexUnavailableError
from unit.engine.vault_files import delete_index, find, put, titles


def test_without_an_index_a_large_vault_is_read_through_and_says_so(
    memory: Memory, vault: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    memory.save("Take the lock.", title="Lock", kind="fix")
    memory.save("Nothing.", title="Other", kind="fix")
    put(vault, "Memory/fix/broken.md", "---\nlock\n")
    monkeypatch.setattr(upkeep, "REBUILD_FIRST", 0)
    delete_index(tmp_path / "state")
    found = memory.recall("lock")
    assert titles(found) == ["Lock"]
    assert found.results[0].text == "Take the lock.\n"
    assert "missing" in (found.degraded or "")
    assert "engrain reindex" in (found.degraded or "")
    memory.reindex()
    found = memory.recall("lock")
    assert (titles(found), found.degraded) == (["Lock"], None)


@pytest.mark.parametrize("query", ["dendron", "Köln", "全文", "LOCK"])
def test_reading_through_finds_by_name_too(
    memory: Memory, vault: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, query: str
) -> None:
    put(vault, "Memory/fix/dendron.ref.md", "Die Brücke in Köln. 全文検索 and a lock.\n")
    memory.list()
    monkeypatch.setattr(upkeep, "REBUILD_FIRST", 0)
    delete_index(tmp_path / "state")
    assert find(memory, query) == ["dendron.ref"]


def test_reading_through_shows_one_of_two_copies(
    memory: Memory, vault: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    saved = memory.save("Take the lock.", title="Lock", kind="fix")
    raw = (vault / saved.locator).read_bytes()
    put(vault, "Memory/fix/lock (1).md", raw + b"The lock, the lock.\n")
    monkeypatch.setattr(upkeep, "REBUILD_FIRST", 0)
    delete_index(tmp_path / "state")
    assert [found.row.locator for found in memory.recall("lock").results] == [saved.locator]


def test_verbs_that_need_the_index_refuse_while_there_is_none(
    memory: Memory, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    saved = memory.save("Take the lock.", title="Lock", kind="fix")
    monkeypatch.setattr(upkeep, "REBUILD_FIRST", 0)
    delete_index(tmp_path / "state")
    for verb in (memory.list, lambda: memory.show(saved.id), memory.history, memory.undo):
        with pytest.raises(IndexUnavailableError) as caught:
            verb()
        assert "reindex" in (caught.value.remedy or "")


def test_a_save_is_kept_while_there_is_no_index(
    memory: Memory, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    memory.save("Take the lock.", title="First", kind="fix")
    monkeypatch.setattr(upkeep, "REBUILD_FIRST", 0)
    delete_index(tmp_path / "state")
    assert memory.save("Take the lock.", title="Second", kind="fix").outcome == "created"
    assert memory.save("Take the lock.", title="Second", kind="fix").outcome == "unchanged"
    assert set(find(memory, "lock")) == {"First", "Second"}
    memory.reindex()
    assert set(find(memory, "lock")) == {"First", "Second"}
