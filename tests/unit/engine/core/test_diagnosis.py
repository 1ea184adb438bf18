"""`diagnose`: the store, its index and its key on this device."""

from __future__ import annotations

from pathlib import Path

import pytest

from engrain import Memory
from engrain.engine.core import upkeep
from unit.engine.core.vault_files import delete_index


def test_a_sound_vault_has_nothing_but_good_news(memory: Memory, vault: Path) -> None:
    assert {found.level for found in memory.diagnose()} == {"ok"}
    memory.save("x", title="One", kind="fix")
    findings = memory.diagnose()
    assert {found.level for found in findings} == {"ok"}
    assert [found.subject for found in findings] == ["vault", "index", "recall", "key"]
    assert str(vault) in findings[0].message
    assert "1 entries" in findings[1].message


def test_an_index_that_can_not_be_rebuilt_now_is_reported(
    memory: Memory, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    memory.save("x", title="One", kind="fix")
    monkeypatch.setattr(upkeep, "REBUILD_FIRST", 0)
    delete_index(tmp_path / "state")
    (found,) = [one for one in memory.diagnose() if one.subject == "index"]
    assert (found.level, "reindex" in (found.remedy or "")) == ("warning", True)
