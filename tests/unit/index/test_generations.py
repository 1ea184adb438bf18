"""The index folder: one generation in use, and nothing left lying about."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

from engrain.index.generations import Generations

HOUR = 3600.0


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "state" / "index"


@pytest.fixture
def generations(folder: Path) -> Generations:
    return Generations(str(folder))


def publish(generations: Generations) -> str:
    name = generations.begin(1_790_000_000.0)
    replaced = generations.current()
    generations.seal(name)
    generations.point_to(name)
    generations.clean(name, replaced)
    return name


def test_nothing_is_made_by_looking(generations: Generations, folder: Path) -> None:
    assert generations.stamp() is None
    assert generations.current() is None
    assert not generations.is_bad("1-2-3")
    generations.discard("1-2-3")
    generations.mark_bad("1-2-3")
    assert not folder.exists()


def test_the_pointer_names_the_generation_in_use(generations: Generations) -> None:
    first = publish(generations)
    stamp = generations.stamp()
    assert generations.current() == first
    assert generations.stamp() == stamp
    second = publish(generations)
    assert generations.current() == second != first
    assert generations.stamp() != stamp


def test_generations_begun_at_one_moment_are_kept_apart(generations: Generations) -> None:
    assert len({generations.begin(5.0) for _ in range(20)}) == 20


def test_only_the_owner_may_look(generations: Generations, folder: Path) -> None:
    path = generations.path(publish(generations))
    assert stat.S_IMODE(os.stat(path).st_mode) == 0o600
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700


def test_a_generation_that_was_replaced_is_removed_with_all_its_files(
    generations: Generations, folder: Path
) -> None:
    first = publish(generations)
    generations.mark_bad(first)
    for suffix in ("-wal", "-shm", "-journal"):
        Path(generations.path(first) + suffix).touch()
    second = publish(generations)
    assert sorted(os.listdir(folder)) == ["current", f"index-{second}.sqlite"]


def test_builders_that_died_are_swept_and_those_at_work_are_not(
    generations: Generations, folder: Path
) -> None:
    dead, alive = generations.begin(1.0), generations.begin(2.0)
    stray = folder / f"current-{dead}"
    stray.touch()
    foreign = folder / "notes.txt"
    foreign.touch()
    for path in (generations.path(dead), stray, foreign):
        before = os.stat(path).st_mtime - HOUR - 60
        os.utime(path, (before, before))
    kept = publish(generations)
    assert sorted(os.listdir(folder)) == sorted(
        ["current", f"index-{alive}.sqlite", f"index-{kept}.sqlite", "notes.txt"]
    )


def test_damage_is_told_to_every_process(generations: Generations, folder: Path) -> None:
    name = publish(generations)
    assert not generations.is_bad(name)
    generations.mark_bad(name)
    assert Generations(str(folder)).is_bad(name)


@pytest.mark.parametrize("content", [b"", b"../../etc/passwd", b"a b", b"\xff\xfe", b"x" * 500])
def test_a_pointer_that_names_no_generation_points_nowhere(
    generations: Generations, folder: Path, content: bytes
) -> None:
    publish(generations)
    (folder / "current").write_bytes(content)
    assert generations.current() is None


def test_sweeping_removes_all_but_the_generation_in_use(
    generations: Generations, folder: Path
) -> None:
    first = publish(generations)
    unfinished = generations.begin(1_790_000_001.0)
    for name in (first, unfinished):
        for suffix in ("-wal", "-shm"):
            Path(generations.path(name) + suffix).write_bytes(b"pages")
    (folder / "current-left-behind").write_bytes(b"")
    (folder / "a-file-of-another").write_bytes(b"")
    generations.sweep()
    kept = Path(generations.path(first)).name
    assert {path.name for path in folder.iterdir()} == {
        "current", kept, f"{kept}-wal", f"{kept}-shm", "a-file-of-another",
    }  # fmt: skip


def test_cleaning_up_goes_on_where_another_process_removes_files_too(
    generations: Generations, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    publish(generations)
    gone, old = folder / "index-5-1-0.sqlite", folder / "index-5-2-0.sqlite"
    for path in (gone, old):
        path.touch()
        os.utime(path, (0, 0))
    read_time = os.path.getmtime

    def remove_first(path: str) -> float:
        if Path(path) == gone:
            gone.unlink()
        return read_time(path)

    monkeypatch.setattr(os.path, "getmtime", remove_first)
    kept = publish(generations)
    assert generations.current() == kept
    assert sorted(path.name for path in folder.iterdir()) == ["current", f"index-{kept}.sqlite"]
