"""The same day of work on every file system that can be mounted here, each with its own ideas of
names, links, flushes and renames."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path

import pytest

from engrain import Memory
from engrain.engine.core.scope import Scope
from engrain.model.errors import StorageError
from engrain.model.note.tiers import STATUSES
from support.vaults import make_memory

MEGABYTES = 320
"""An image of this size is the least that every mkfs here accepts; it is sparse."""

IMAGES: dict[str, list[str]] = {
    "ext2": ["mkfs.ext2", "-q", "-F"],
    "ext4": ["mkfs.ext4", "-q", "-F"],
    "ext4 that folds case": ["mkfs.ext4", "-q", "-F", "-O", "casefold", "-E", "encoding=utf8"],
    "vfat": ["mkfs.vfat"],
    "xfs": ["mkfs.xfs", "-q"],
    "btrfs": ["mkfs.btrfs", "-q"],
}


def run_quietly(*words: object) -> None:
    """Run a program; one that fails, or is not there, skips the test."""
    try:
        subprocess.run([str(word) for word in words], check=True, capture_output=True, text=True)
    except (OSError, subprocess.CalledProcessError) as error:
        said = getattr(error, "stderr", "") or str(error)
        pytest.skip(f"can't be mounted here: {said.strip().splitlines()[0][:120]}")


@contextmanager
def mounted(folder: Path, *words: object) -> Iterator[Path]:
    folder.mkdir()
    run_quietly("mount", *words, folder)
    try:
        yield folder
    finally:
        subprocess.run(["umount", "--lazy", str(folder)], check=True)


@contextmanager
def image_of(name: str, tmp: Path) -> Iterator[Path]:
    image = tmp / "image"
    with image.open("wb") as file:
        file.truncate(MEGABYTES * 1024 * 1024)
    run_quietly(*IMAGES[name], image)
    with mounted(tmp / "disk", "-o", "loop", image) as disk:
        place = disk / "place"
        place.mkdir()
        if "folds case" in name:
            run_quietly("chattr", "+F", place)
        yield place


@contextmanager
def overlay(tmp: Path) -> Iterator[Path]:
    for name in ("lower", "upper", "work"):
        (tmp / name).mkdir()
    (tmp / "lower/place").mkdir()
    layers = f"lowerdir={tmp / 'lower'},upperdir={tmp / 'upper'},workdir={tmp / 'work'}"
    with mounted(tmp / "merged", "-t", "overlay", "-o", layers, "overlay") as merged:
        yield merged / "place"


@contextmanager
def tmpfs(tmp: Path) -> Iterator[Path]:
    with mounted(tmp / "ram", "-t", "tmpfs", "-o", "size=64m", "tmpfs") as folder:
        yield folder


PLACES: dict[str, Callable[[Path], AbstractContextManager[Path]]] = {
    "overlay": overlay,
    "tmpfs": tmpfs,
}


@pytest.mark.parametrize("name", [*IMAGES, *PLACES])
def test_a_day_of_work_leaves_what_it_acknowledged(tmp_path: Path, name: str) -> None:
    place = image_of(name, tmp_path) if name in IMAGES else PLACES[name](tmp_path)
    with place as folder:
        expected = work(folder)
        with make_memory(folder, trust="operator") as memory:
            assert read_titles(memory) == expected
            assert memory.recall("the pooler drops statements").results[0].row.title == "Pooler"
            assert memory.check(deep=True).sound
            memory.reindex()
            assert len(memory.list().rows) == sum(status == "active" for _, status in expected)
        assert not list(folder.rglob(".~engrain-*"))


def read_titles(memory: Memory) -> list[tuple[str, str]]:
    """Return title and status of every entry."""
    rows = memory.list(scope=Scope(statuses=STATUSES, all_projects=True)).rows
    return sorted((str(row.title), str(row.status)) for row in rows)


def work(folder: Path) -> list[tuple[str, str]]:
    """Use every verb that moves a file, with titles that differ by case, accents and length."""
    with make_memory(folder, trust="operator") as memory:
        memory.save("The pooler drops prepared statements.", title="Pooler", kind="fix")
        memory.save("A second one by the same letters.", title="pOOLER", kind="fix")
        memory.save("Combining.", title="Cafe\u0301 rules", kind="fix")
        memory.save("Composed.", title="Caf\u00e9 rules", kind="decision")
        memory.save("Reserved elsewhere.", title="con: aux?", kind="fix")
        memory.save("Long.", title="A title of many words " * 9, kind="fix")
        gone = memory.save("To be forgotten.", title="Gone", kind="fix")
        changed = memory.save("First words.", title="Changed", kind="decision")
        memory.edit(changed.id, expect=changed.hash, text="Second words.")
        memory.rename(changed.id, "Changed its name")
        memory.evolve(memory.save("Old.", title="Older", kind="fix").id, "New.")
        memory.forget(gone.id)
        memory.archive(memory.save("Stored away.", title="Away", kind="fix").id)
        memory.save("A slip.", title="Slip", kind="fix")
        memory.undo()
        return read_titles(memory)


def test_a_disk_that_turns_read_only_refuses_and_goes_on_once_it_is_writable(
    tmp_path: Path,
) -> None:
    if shutil.which("mkfs.ext4") is None:
        pytest.skip("there is no mkfs.ext4 here")
    with image_of("ext4", tmp_path) as place, make_memory(place, device="../../state") as memory:
        kept = {memory.save(f"Words {n}.", title=f"Note {n}").id for n in range(5)}
        for turn in range(5):
            run_quietly("mount", "-o", "remount,ro", place.parent)
            with pytest.raises(StorageError, match="read-only"):
                memory.save("Words.", title=f"Refused {turn}")
            assert {row.id for row in memory.list().rows} == kept
            run_quietly("mount", "-o", "remount,rw", place.parent)
            kept.add(memory.save("Words.", title=f"Kept {turn}").id)
        assert {row.id for row in memory.list().rows} == kept
        assert all(report.wrong is None for report in memory.trust.survey().chains)
