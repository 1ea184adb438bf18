"""The power is cut on a real ext4: what was acknowledged is there when the disk is mounted again.

The file system lies on a loop device. A copy of the backing file, taken while a process saves, is
the disk at the moment of the cut: what was not flushed is not in it.
"""

from __future__ import annotations

import random
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from engrain import open_memory
from engrain.engine.scope import Scope
from engrain.model.tiers import STATUSES

SAVER = """
import itertools, os, sys
from engrain import open_memory
import engrain.backends.confined as confined

if sys.argv[3] == "unsafe":
    confined.sync = lambda descriptor: None
with open_memory(sys.argv[1], state_dir=sys.argv[2], backend="device-local", create=True) as memory:
    for number in itertools.count():
        if number % 5 == 4:
            outcome = memory.evolve(outcome.id, f"Evolved in step {number}.")
        else:
            outcome = memory.save(f"Step {number}.", title=f"Step {number}", kind="fix")
        os.write(1, f"{outcome.id}\\n".encode())
"""


# Threads whose saves share flushes; each tells what was acknowledged to it.
CROWD = """
import itertools, os, sys
from concurrent.futures import ThreadPoolExecutor
from engrain import open_memory

def save(writer):
    for number in itertools.count():
        outcome = memory.save(f"Step {number} of {writer}.", title=f"Step {writer} {number}")
        os.write(1, f"{outcome.id}\\n".encode())

with (
    open_memory(sys.argv[1], state_dir=sys.argv[2], backend="device-local", create=True) as memory,
    ThreadPoolExecutor(6) as pool,
):
    list(pool.map(save, range(6)))
"""


SAVERS = {"safe": SAVER, "unsafe": SAVER, "threads": CROWD}


@contextmanager
def mounted(image: Path, folder: Path) -> Iterator[None]:
    folder.mkdir(exist_ok=True)
    subprocess.run(["mount", "-o", "loop", str(image), str(folder)], check=True)
    try:
        yield
    finally:
        subprocess.run(["umount", "-l", str(folder)], check=True)


def can_mount(tmp: Path) -> bool:
    if shutil.which("mkfs.ext4") is None or shutil.which("mount") is None:
        return False
    image = tmp / "probe.img"
    make_image(image)
    try:
        with mounted(image, tmp / "probe"):
            return True
    except subprocess.CalledProcessError:
        return False


def make_image(image: Path) -> None:
    with open(image, "wb") as file:
        file.truncate(32 * 1024 * 1024)
    subprocess.run(["mkfs.ext4", "-q", "-F", str(image)], check=True)


def cut_power(tmp: Path, mode: str, seconds: float) -> tuple[set[str], set[str], list[str]]:
    """Save until the power goes; (acknowledged ids, ids found afterwards, what is unsound)."""
    disk, copy = tmp / "disk.img", tmp / "copy.img"
    make_image(disk)
    with mounted(disk, tmp / "disk"):
        saver = subprocess.Popen(
            [sys.executable, "-c", SAVERS[mode], str(tmp / "disk/vault"), str(tmp / "state"), mode],
            stdout=subprocess.PIPE,
        )
        assert saver.stdout is not None
        acknowledged = [saver.stdout.readline()]
        until = time.monotonic() + seconds
        while time.monotonic() < until:
            acknowledged.append(saver.stdout.readline())
        # Stopped, so that this device's state, which is on another disk, is of the same moment.
        saver.send_signal(signal.SIGSTOP)
        time.sleep(0.02)
        shutil.copyfile(disk, copy)
        saver.kill()
        acknowledged += saver.communicate()[0].splitlines()
    with (
        mounted(copy, tmp / "copy"),
        open_memory(tmp / "copy/vault", state_dir=tmp / "state", backend="device-local") as memory,
    ):
        rows = memory.list(scope=Scope(statuses=STATUSES, all_projects=True)).rows
        unsound = [report.wrong for report in memory.verify() if report.wrong]
    told = {line.decode().strip() for line in acknowledged if line.strip()}
    return told, {row.id for row in rows}, unsound


@pytest.mark.long
@pytest.mark.parametrize("mode", ["safe", "threads"])
def test_what_was_acknowledged_survives_a_power_cut(tmp_path: Path, mode: str) -> None:
    if not can_mount(tmp_path):
        pytest.skip("a loop device with ext4 can't be mounted here")
    chance = random.Random(11)
    for trial in range(30):
        folder = tmp_path / str(trial)
        folder.mkdir()
        acknowledged, found, unsound = cut_power(folder, mode, chance.uniform(0.05, 0.6))
        assert acknowledged <= found, f"trial {trial} lost {len(acknowledged - found)}"
        assert not unsound
        shutil.rmtree(folder, ignore_errors=True)


@pytest.mark.long
def test_without_flushes_the_same_cut_loses_entries(tmp_path: Path) -> None:
    """The control: an experiment that can't lose anything shows nothing."""
    if not can_mount(tmp_path):
        pytest.skip("a loop device with ext4 can't be mounted here")
    lost = 0
    for trial in range(3):
        folder = tmp_path / str(trial)
        folder.mkdir()
        try:
            acknowledged, found, _ = cut_power(folder, "unsafe", 0.3)
            lost += len(acknowledged - found)
        except Exception:
            lost += 1  # not even the vault is there
    assert lost
