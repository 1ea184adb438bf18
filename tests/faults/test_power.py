"""The power is cut on a real ext4: what was acknowledged is there when the disk is mounted again.

The file system lies on a loop device. A copy of the backing file, taken while a process saves, is
the disk at the moment of the cut: what was not flushed is not in it.
"""

from __future__ import annotations

import os
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
from engrain.engine.core.scope import Scope
from engrain.model.note.tiers import STATUSES

SAVER = """
import itertools, os, stat, sys
from engrain import open_memory
import engrain.backends.applying as applying
import engrain.backends.confined as confined

flush = confined.sync

def flush_files_only(descriptor):
    if not stat.S_ISDIR(os.fstat(descriptor).st_mode):
        flush(descriptor)

if sys.argv[3] == "without folders":
    confined.sync = flush_files_only
if sys.argv[3] == "as with a journal":
    applying.keeps_named = lambda folder: True
with open_memory(
    sys.argv[1], state_dir=sys.argv[2], backend="device-local", create=True, trust="operator"
) as memory:
    for number in itertools.count():
        text = f"Step {number}."
        if number % 5 < 2:
            outcome = memory.save(text, title=f"Step {number}", kind="fix")
        elif number % 5 == 2:
            outcome = memory.evolve(outcome.id, text)
        elif number % 5 == 3:
            expect = memory.show(outcome.id).entry.hash
            outcome = memory.edit(outcome.id, expect=expect, text=text)
        else:
            outcome, text = memory.pin(outcome.id), ""
        os.write(1, f"{outcome.id} {text}\\n".encode())
"""
# Threads whose saves share flushes; each tells what was acknowledged to it.
CROWD = """
import itertools, os, sys
from concurrent.futures import ThreadPoolExecutor
from engrain import open_memory

def save(writer):
    for number in itertools.count():
        outcome = memory.save(f"Step {number} of {writer}.", title=f"Step {writer} {number}")
        os.write(1, f"{outcome.id} \\n".encode())

with (
    open_memory(sys.argv[1], state_dir=sys.argv[2], backend="device-local", create=True) as memory,
    ThreadPoolExecutor(6) as pool,
):
    list(pool.map(save, range(6)))
"""
# Imports of many notes, whose changes share one flush of the file system; it tells what the store
# acknowledged.
IMPORTER = """
import itertools, os, sys, tempfile
from pathlib import Path
import engrain.backends.applying as applying
from engrain import open_memory
from engrain.backends.folder import FolderBackend

find, commit_all = applying.find_flush, FolderBackend.commit_all

def find_none(folder):
    assert find(folder)
    return lambda: None

def tell(backend, changes):
    records = commit_all(backend, changes)
    for record in records:
        os.write(1, "".join(f"{id_} \\n" for id_ in record.entries).encode())
    return records

if sys.argv[3] == "import without flush":
    applying.find_flush = find_none
FolderBackend.commit_all = tell
with (
    tempfile.TemporaryDirectory() as notes,
    open_memory(sys.argv[1], state_dir=sys.argv[2], backend="device-local", create=True) as memory,
):
    for number in range(600):
        Path(notes, f"n{number}.md").write_text(f"# Note {number}\\n\\nIt says {number}.\\n" * 9)
    for turn in itertools.count():
        memory.import_folder(notes, name=f"turn {turn}")
"""
SAVERS = {
    "safe": SAVER, "without folders": SAVER, "as with a journal": SAVER, "threads": CROWD,
    "import": IMPORTER, "import without flush": IMPORTER,
}  # fmt: skip
FLOODING = frozenset(("threads", "import", "import without flush"))
"""Those that would fill the disk while a copy of it is looked at."""
DISK_BYTES = 256 * 1024 * 1024  # of which next to nothing is written
CUTS = int(os.environ.get("ENGRAIN_TEST_CUTS", "500"))
IN_ONE_RUN = 50
LATEST = 10
"""So many of the last acknowledged changes are read; of the others it is looked whether they are
there."""


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


def make_image(image: Path, journal: bool = True) -> None:
    with open(image, "wb") as file:
        file.truncate(DISK_BYTES)
    features = [] if journal else ["-O", "^has_journal"]
    subprocess.run(["mkfs.ext4", "-q", "-F", *features, str(image)], check=True)


def count_losses(
    tmp: Path,
    mode: str,
    cuts: int,
    chance: random.Random,
    *,
    together: bool = False,
    journal: bool = True,
) -> Iterator[str]:
    """Save, and cut the power again and again; for each cut what was lost or is unsound, "" if
    nothing is. This device's state lies on the same disk if both are to be cut `together`, else on
    one that was not cut. Without a `journal` the file system is checked after each cut."""
    image, disk = tmp / "disk.img", tmp / "disk"
    make_image(image, journal)
    state = disk / "state" if together else tmp / "state"
    with mounted(image, disk):
        saver = subprocess.Popen(
            [sys.executable, "-c", SAVERS[mode], str(disk / "vault"), str(state), mode],
            stdout=subprocess.PIPE,
        )
        try:
            assert saver.stdout is not None
            told = saver.stdout.readline()
            os.set_blocking(saver.stdout.fileno(), False)
            for number in range(cuts):
                time.sleep(chance.uniform(0.002, 0.06))
                # Stopped, so that the copies are all of one moment.
                saver.send_signal(signal.SIGSTOP)
                os.waitpid(saver.pid, os.WUNTRACED)
                folder = tmp / f"cut-{number}"
                folder.mkdir()
                shutil.copyfile(image, folder / "copy.img")
                if not journal:
                    check = ["e2fsck", "-fy", str(folder / "copy.img")]
                    subprocess.run(check, capture_output=True, check=False)  # it tells of repairs
                if not together:
                    shutil.copytree(state, folder / "state")
                told += saver.stdout.read() or b""
                if mode not in FLOODING:
                    saver.send_signal(signal.SIGCONT)
                yield look_at(folder, told.decode().splitlines())
                saver.send_signal(signal.SIGCONT)
                shutil.rmtree(folder, ignore_errors=True)
        finally:
            saver.kill()
            saver.communicate()


def look_at(folder: Path, told: list[str]) -> str:
    """What is wrong with a disk as it was at the moment of a cut."""
    with mounted(folder / "copy.img", folder / "disk"):
        vault, state = folder / "disk/vault", folder / "state"
        if not state.exists():
            state = folder / "disk/state"
        if not (vault / ".engrain/vault.json").exists():
            return "the vault itself is gone"
        # A disk that is mounted again is the same disk; a copy of it is another.
        found = vault.stat()
        for kept in (state / "vaults").glob("*"):
            name = kept.name.partition("-")[0]
            kept.rename(kept.with_name(f"{name}-{found.st_dev:x}-{found.st_ino:x}"))
        with open_memory(vault, state_dir=state, backend="device-local") as memory:
            rows = memory.list(scope=Scope(statuses=STATUSES, all_projects=True)).rows
            lost = {line.partition(" ")[0] for line in told} - {row.id for row in rows}
            texts = dict(line.split(" ", 1) for line in told[-LATEST:] if not line.endswith(" "))
            # What the saver was at when the power went may be there, or not.
            lost |= {
                id_
                for id_, text in texts.items()
                if id_ not in lost and step_of(memory.show(id_).entry.text) < step_of(text)
            }
            unsound = [report.wrong for report in memory.trust.survey().chains if report.wrong]
    return " ".join([*(f"lost {id_}" for id_ in sorted(lost)), *map(str, unsound)])


def step_of(text: str) -> int:
    """The number of the step that wrote a text."""
    return int(text.strip().removeprefix("Step ").removesuffix("."))


@pytest.mark.long
def test_what_was_acknowledged_survives_five_hundred_power_cuts(tmp_path: Path) -> None:
    if not can_mount(tmp_path):
        pytest.skip("a loop device with ext4 can't be mounted here")
    chance = random.Random(11)
    for run in range(CUTS // IN_ONE_RUN):
        folder = tmp_path / str(run)
        folder.mkdir()
        cuts = count_losses(folder, "safe", IN_ONE_RUN, chance, together=run % 2 == 1)
        for cut, wrong in enumerate(cuts):
            assert not wrong, f"cut {cut} of run {run}: {wrong}"
        shutil.rmtree(folder, ignore_errors=True)


@pytest.mark.long
def test_what_was_acknowledged_to_threads_that_share_flushes_survives(tmp_path: Path) -> None:
    if not can_mount(tmp_path):
        pytest.skip("a loop device with ext4 can't be mounted here")
    for cut, wrong in enumerate(count_losses(tmp_path, "threads", 30, random.Random(12))):
        assert not wrong, f"cut {cut}: {wrong}"


@pytest.mark.long
def test_what_an_import_acknowledged_survives_thirty_power_cuts(tmp_path: Path) -> None:
    if not can_mount(tmp_path):
        pytest.skip("a loop device with ext4 can't be mounted here")
    for run in range(2):
        folder = tmp_path / str(run)
        folder.mkdir()
        cuts = count_losses(folder, "import", 15, random.Random(13 + run), together=run == 1)
        for cut, wrong in enumerate(cuts):
            assert not wrong, f"cut {cut} of run {run}: {wrong}"


@pytest.mark.long
def test_without_the_flush_of_the_file_system_the_same_cuts_lose_what_was_imported(
    tmp_path: Path,
) -> None:
    """The control of the bulk path."""
    if not can_mount(tmp_path):
        pytest.skip("a loop device with ext4 can't be mounted here")
    for run in range(2):
        folder = tmp_path / str(run)
        folder.mkdir()
        chance = random.Random(13 + run)
        if any(count_losses(folder, "import without flush", 15, chance, together=run == 1)):
            return
    pytest.fail("nothing was lost")


@pytest.mark.long
def test_without_a_journal_a_file_has_a_name_when_it_is_flushed_and_so_none_is_lost(
    tmp_path: Path,
) -> None:
    if not can_mount(tmp_path) or shutil.which("e2fsck") is None:
        pytest.skip("a loop device with ext4 can't be mounted or checked here")
    wrong = {}
    for mode in ("safe", "as with a journal"):
        folder = tmp_path / mode
        folder.mkdir()
        cuts = count_losses(folder, mode, 20, random.Random(5), journal=False)
        wrong[mode] = [cut for cut in cuts if cut]
    assert not wrong["safe"]
    assert wrong["as with a journal"]


@pytest.mark.long
def test_without_flushes_of_folders_the_same_cuts_lose_entries(tmp_path: Path) -> None:
    """The control: an experiment that can't lose anything shows nothing."""
    if not can_mount(tmp_path):
        pytest.skip("a loop device with ext4 can't be mounted here")
    chance = random.Random(11)
    for run in range(4):
        folder = tmp_path / str(run)
        folder.mkdir()
        if any(count_losses(folder, "without folders", IN_ONE_RUN, chance)):
            return
    pytest.fail("nothing was lost")
