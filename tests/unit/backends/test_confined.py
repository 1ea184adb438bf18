"""Reading below one folder: what is read, and which errors say something about a file."""

from __future__ import annotations

import errno
import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from engrain.backends import confined
from engrain.model.errors import ForbiddenPathError, MalformedError, NotFoundError
from engrain.model.note.note import MAX_NOTE_BYTES


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[int]:
    opened = os.open(tmp_path, os.O_RDONLY)
    yield opened
    os.close(opened)


def test_a_file_of_the_most_bytes_is_read_and_a_longer_one_is_not(
    tmp_path: Path, folder: int
) -> None:
    for more in (0, 1):
        (tmp_path / f"{more}").write_bytes(b"x" * (MAX_NOTE_BYTES + more))
    assert len(confined.read_file(folder, "0")[0]) == MAX_NOTE_BYTES
    with pytest.raises(MalformedError):
        confined.read_file(folder, "1")


def test_neither_a_link_nor_a_folder_behind_one_is_followed(tmp_path: Path, folder: int) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "secret").write_bytes(b"secret")
    (tmp_path / "link").symlink_to(outside / "secret")
    (tmp_path / "links").symlink_to(outside)
    with pytest.raises(ForbiddenPathError):
        confined.read_file(folder, "link")
    with pytest.raises(ForbiddenPathError):
        confined.open_folder(folder, ["links"])


@pytest.mark.parametrize("number", [errno.EIO, errno.EMFILE, errno.ENOMEM, errno.EACCES])
@pytest.mark.parametrize("name", ["there", "missing"])
def test_an_error_that_may_pass_is_not_taken_for_a_missing_or_closed_file(
    tmp_path: Path, folder: int, monkeypatch: pytest.MonkeyPatch, number: int, name: str
) -> None:
    (tmp_path / "there").write_bytes(b"here")

    def fail(*_: object, **__: object) -> int:
        raise OSError(number, os.strerror(number))

    with monkeypatch.context() as patch:
        patch.setattr(os, "open", fail)
        for read in (
            lambda: confined.read_file(folder, name),
            lambda: confined.open_folder(folder, [name]),
        ):
            with pytest.raises(OSError, match=os.strerror(number)):
                read()
    with pytest.raises(NotFoundError):
        confined.read_file(folder, "missing")


def test_what_is_set_aside_has_a_name_that_readers_ignore(tmp_path: Path, folder: int) -> None:
    (tmp_path / "00000001.log").write_bytes(b"damaged")
    confined.set_aside(folder, "00000001.log")
    confined.set_aside(folder, "missing")
    (aside,) = tmp_path.iterdir()
    assert aside.name.startswith(f"{confined.ASIDE}00000001.log-")
    assert aside.read_bytes() == b"damaged"
