"""A device has one id, whoever asks first."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from engrain.model.errors import StorageError
from engrain.resolution.device import DeviceFile


def load_device(state: str, entropy: Callable[[int], bytes]) -> str:
    kept = DeviceFile(state, entropy)
    return kept.read() or kept.renew("")


# Waits for the starting gun, so that all ask at the same moment.
RACER = """
import os, sys, time
from engrain.resolution.device import DeviceFile
for state in sys.argv[1:]:
    print("ready", flush=True)
    while not os.path.exists(f"{state}-gun"):
        pass
    kept = DeviceFile(state, os.urandom)
    print(kept.read() or kept.renew(""), flush=True)
"""


def test_an_id_is_made_once_and_kept(tmp_path: Path) -> None:
    state = tmp_path / "not" / "there"
    device = load_device(str(state), os.urandom)
    assert len(device) == 8
    assert device.isalnum()
    assert load_device(str(state), os.urandom) == device
    assert sorted(path.name for path in state.iterdir()) == ["device"]
    assert state.stat().st_mode & 0o077 == 0


def test_the_id_comes_from_the_random_source(tmp_path: Path) -> None:
    ids = {load_device(str(tmp_path / name), os.urandom) for name in "abcdef"}
    assert len(ids) == 6
    assert load_device(str(tmp_path / "x"), bytes) == "00000000"
    assert load_device(str(tmp_path / "y"), lambda size: b"\xff" * size) == "zzzzzzzz"


def test_processes_that_are_first_at_once_get_one_id(tmp_path: Path) -> None:
    states = [tmp_path / f"state{turn}" for turn in range(4)]
    command = [sys.executable, "-c", RACER, *map(str, states)]
    racers = [subprocess.Popen(command, stdout=subprocess.PIPE, text=True) for _ in range(4)]

    def hear() -> list[str]:
        return [racer.stdout.readline().strip() if racer.stdout else "" for racer in racers]

    for state in states:
        assert hear() == ["ready"] * 4
        Path(f"{state}-gun").touch()
        ids = set(hear())
        assert len(ids) == 1
        assert ids == {load_device(str(state), os.urandom)}
        assert sorted(path.name for path in state.iterdir()) == ["device"]
    for racer in racers:
        racer.communicate(timeout=30)


@pytest.mark.parametrize("raw", [b"", b"\n", b"\xff" * 8, b"../../..", b"toolongtobeone", b"abc"])
def test_a_file_that_holds_no_id_is_replaced(tmp_path: Path, raw: bytes) -> None:
    (tmp_path / "device").write_bytes(raw)
    device = load_device(str(tmp_path), os.urandom)
    assert len(device) == 8
    assert load_device(str(tmp_path), os.urandom) == device
    assert sorted(path.name for path in tmp_path.iterdir()) == ["device"]


def test_a_state_folder_that_can_not_be_made_is_told(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(StorageError) as caught:
        load_device(str(tmp_path / "file" / "state"), os.urandom)
    assert caught.value.path == str(tmp_path / "file" / "state")
    assert "ENGRAIN_STATE_DIR" in (caught.value.remedy or "")


def test_a_new_id_is_taken_once(tmp_path: Path) -> None:
    former = load_device(str(tmp_path), os.urandom)
    kept = DeviceFile(str(tmp_path), os.urandom)
    taken = kept.renew(former)
    assert taken != former
    assert kept.renew(former) == taken  # by a process that knows only the former one
    assert (tmp_path / "device").read_text() == f"{taken}\n"  # as older versions read it
