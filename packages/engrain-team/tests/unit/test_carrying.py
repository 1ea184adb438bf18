"""What a device knows of a store goes with it."""

from __future__ import annotations

from pathlib import Path

import pytest

from engrain.model.errors import StorageError
from engrain.state.journals import SessionJournal
from engrain.state.local_state import LocalState
from engrain_team.carrying import carry_state


def test_counters_and_sessions_are_carried_and_derived_data_is_not(tmp_path: Path) -> None:
    old, new = tmp_path / "old", tmp_path / "new"
    state = LocalState(str(old))
    state.write_note("weather", ["rain"])
    (old / "sessions").mkdir()
    (old / "sessions" / "s1.jsonl").write_text("{}\n")
    (old / "index").mkdir()
    (old / "index" / "index.sqlite").write_bytes(b"derived")
    (old / "tail.json").write_text("{}")
    assert carry_state(str(old), str(new)) == 2, "while the old one is open"
    state.close()
    assert LocalState(str(new)).read_note("weather") == ["rain"]
    assert sorted(path.name for path in new.rglob("*.jsonl")) == ["s1.jsonl"]
    assert not (new / "index").exists()
    assert not (new / "tail.json").exists()
    assert SessionJournal(str(new / "sessions")).read("nobody") == []


def test_what_the_new_store_has_already_stays(tmp_path: Path) -> None:
    for name in ("old", "new"):
        state = LocalState(str(tmp_path / name))
        state.write_note("name", name)
        state.close()
    assert carry_state(str(tmp_path / "old"), str(tmp_path / "new")) == 0
    assert LocalState(str(tmp_path / "new")).read_note("name") == "new"


def test_a_copy_that_was_cut_off_is_made_again(tmp_path: Path) -> None:
    state = LocalState(str(tmp_path / "old"))
    state.write_note("weather", "rain")
    state.close()
    (tmp_path / "new").mkdir()
    (tmp_path / "new" / "state.sqlite.carried").write_bytes(b"half")
    carry_state(str(tmp_path / "old"), str(tmp_path / "new"))
    assert LocalState(str(tmp_path / "new")).read_note("weather") == "rain"


def test_a_device_that_knew_nothing_has_nothing_to_carry(tmp_path: Path) -> None:
    assert carry_state(str(tmp_path / "old"), str(tmp_path / "new")) == 0


def test_a_database_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    (tmp_path / "old").mkdir()
    (tmp_path / "old" / "state.sqlite").write_bytes(b"no database" * 1000)
    with pytest.raises(StorageError, match="the vault has moved, but not what"):
        carry_state(str(tmp_path / "old"), str(tmp_path / "new"))
