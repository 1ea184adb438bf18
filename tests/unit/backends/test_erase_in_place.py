"""How the file stores erase payloads: in place, for good, with everything else as it was."""

from __future__ import annotations

from pathlib import Path

import pytest

from contracts.backends import Opener
from contracts.storage_backend import LOCK, assert_sound, change, put
from engrain.model.history.line import is_blank
from engrain.model.note.note import hash_bytes
from engrain.seam.changes import Write


def open_folder(folder: Path) -> Opener:
    return Opener("engrain.backends.device_local", str(folder / "vault"), str(folder / "state"))


def test_a_segment_keeps_its_size_and_every_other_byte(tmp_path: Path) -> None:
    opener = open_folder(tmp_path)
    store = opener("laptop")
    put(store, LOCK, b"first")
    put(store, LOCK, b"second", hash_bytes(b"first"))
    (log,) = (tmp_path / "vault/.engrain/history/laptop").glob("*.log")
    before = log.read_bytes().split(b"\n")
    assert store.erase(["laptop-1"]) == ["laptop-1"]
    after = log.read_bytes().split(b"\n")
    assert [len(line) for line in after] == [len(line) for line in before]
    assert after[1].strip() == b"{}"
    assert after[:1] + after[2:] == before[:1] + before[2:]
    opener.close()


def test_the_newest_payload_may_be_erased_and_writing_goes_on(tmp_path: Path) -> None:
    opener = open_folder(tmp_path)
    store = opener("laptop")
    put(store, LOCK, b"first")
    store.erase(["laptop-1"])
    assert store.recover() == []
    store.commit(change(Write(LOCK, b"second", "e1", hash_bytes(b"first"))))
    assert len(assert_sound(store, "laptop", 2)) == 2
    opener.close()


@pytest.mark.parametrize("kept", [0, 1, 2, 40])
def test_an_erasure_cut_off_half_way_is_finished_by_the_next(tmp_path: Path, kept: int) -> None:
    opener = open_folder(tmp_path)
    store = opener("laptop")
    put(store, LOCK, b"first")
    put(store, LOCK, b"second", hash_bytes(b"first"))
    (log,) = (tmp_path / "vault/.engrain/history/laptop").glob("*.log")
    before = log.read_bytes()
    start = before.index(b"\n") + 1
    log.write_bytes(before[:start] + b"{}".ljust(kept)[:kept] + before[start + kept :])
    assert store.erase(["laptop-1"]) == ["laptop-1"]
    assert is_blank(store.find_change("laptop", 1).payload)
    assert store.erase(["laptop-1"]) == []
    opener.close()
