"""The store in a folder of this machine. The store in a synchronised folder."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest

from contracts.backends import Opener, open_device_local, open_obsidian_vault
from contracts.storage_backend import StorageBackendContract
from engrain.backends import confined, segments
from engrain.backends.lock import hold_lock


class TestDeviceLocal(StorageBackendContract):
    persistent = True

    @pytest.fixture
    def open_store(self, tmp_path: Path) -> Opener:
        return open_device_local(tmp_path)

    def test_it_is_busy_while_a_writer_holds_the_lock(self, tmp_path: Path) -> None:
        opener = open_device_local(tmp_path)
        store = opener("one", create=True)
        with hold_lock(store.describe(), str(tmp_path / "another's notes")):
            assert store.is_busy()
        assert not store.is_busy()


def test_the_segments_of_a_history_are_listed_again_only_when_one_came_or_went(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    listed = 0
    list_names = os.listdir

    def count(folder: int) -> list[str]:
        nonlocal listed
        listed += 1
        return list_names(folder)

    monkeypatch.setattr(os, "listdir", count)
    (tmp_path / "00000001.log").write_text("{}\n")
    folder = os.open(tmp_path, os.O_RDONLY)
    try:
        for wanted in ([1], [1, 7], [1]):
            second = tmp_path / "00000007.log"
            if 7 in wanted:
                second.write_text("{}\n")
            else:
                second.unlink(missing_ok=True)
            assert list(segments.list_segments(folder)) == wanted, "at once"
            time.sleep(2 * confined.FINE_NS / 1e9)
            assert list(segments.list_segments(folder)) == wanted
            before = listed
            assert list(segments.list_segments(folder)) == wanted
            assert (segments.list_branches(folder), list(segments.list_copies(folder))) == ([], [])
            assert listed == before
    finally:
        os.close(folder)


class TestObsidian(StorageBackendContract):
    persistent = True

    @pytest.fixture
    def open_store(self, tmp_path: Path) -> Opener:
        return open_obsidian_vault(tmp_path)
