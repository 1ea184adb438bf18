"""Files are put only over what is expected, even if another program writes at the last moment."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from engrain.backends.placing import place_new, place_over
from engrain.model.note import hash_bytes


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[int]:
    (tmp_path / "temp").write_bytes(b"ours")
    descriptor = os.open(tmp_path, os.O_RDONLY)
    yield descriptor
    os.close(descriptor)


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def test_a_new_file_is_put_where_nothing_is(tmp_path: Path, folder: int) -> None:
    assert place_new(folder, "temp", "note.md")
    assert (tmp_path / "note.md").read_bytes() == b"ours"
    assert names(tmp_path) == ["note.md"]


def test_a_file_that_has_come_meanwhile_is_not_replaced(tmp_path: Path, folder: int) -> None:
    (tmp_path / "note.md").write_bytes(b"theirs")
    assert not place_new(folder, "temp", "note.md")
    assert (tmp_path / "note.md").read_bytes() == b"theirs"
    assert names(tmp_path) == ["note.md"]


def test_a_file_is_put_over_the_bytes_that_were_expected(tmp_path: Path, folder: int) -> None:
    (tmp_path / "note.md").write_bytes(b"old")
    assert place_over(folder, "temp", "note.md", hash_bytes(b"old"))
    assert (tmp_path / "note.md").read_bytes() == b"ours"
    assert names(tmp_path) == ["note.md"]


def test_bytes_that_another_program_wrote_meanwhile_are_put_back(
    tmp_path: Path, folder: int
) -> None:
    (tmp_path / "note.md").write_bytes(b"theirs")
    assert not place_over(folder, "temp", "note.md", hash_bytes(b"old"))
    assert (tmp_path / "note.md").read_bytes() == b"theirs"
    assert names(tmp_path) == ["note.md"]
