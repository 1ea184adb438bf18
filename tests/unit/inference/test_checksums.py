"""Checksums, remembered."""

from __future__ import annotations

import os
from hashlib import sha256
from pathlib import Path

import pytest

from engrain.inference.checksums import checksum
from engrain.model.errors import EmbeddingError


def test_a_checksum_is_remembered_until_the_file_changes(tmp_path: Path) -> None:
    path, stamps = tmp_path / "model", tmp_path / "stamps"
    path.write_bytes(b"one")
    assert checksum(str(path), str(stamps)) == sha256(b"one").hexdigest()
    (stamp,) = stamps.iterdir()
    stamp.write_text(stamp.read_text().split("\n")[0] + "\nremembered\n")
    assert checksum(str(path), str(stamps)) == "remembered"
    os.utime(path, ns=(0, 5))
    assert checksum(str(path), str(stamps)) == sha256(b"one").hexdigest()
    path.write_bytes(b"two, longer")
    assert checksum(str(path), str(stamps)) == sha256(b"two, longer").hexdigest()


@pytest.mark.parametrize("damage", [b"", b"\xff\xfe", b"half a line", b"a\nb\nc\nd\n"])
def test_a_damaged_stamp_is_made_anew(tmp_path: Path, damage: bytes) -> None:
    path, stamps = tmp_path / "model", tmp_path / "stamps"
    path.write_bytes(b"one")
    checksum(str(path), str(stamps))
    (stamp,) = stamps.iterdir()
    stamp.write_bytes(damage)
    assert checksum(str(path), str(stamps)) == sha256(b"one").hexdigest()


def test_where_nothing_can_be_remembered_it_is_hashed_again(tmp_path: Path) -> None:
    path = tmp_path / "model"
    path.write_bytes(b"one")
    in_the_way = tmp_path / "stamps"
    in_the_way.write_text("a file")
    for stamps in (None, str(in_the_way)):
        assert checksum(str(path), stamps) == sha256(b"one").hexdigest()


def test_a_file_that_can_not_be_read_is_told(tmp_path: Path) -> None:
    with pytest.raises(EmbeddingError, match="can't read the model"):
        checksum(str(tmp_path / "none"), None)
    with pytest.raises(EmbeddingError, match="can't read the model"):
        checksum(str(tmp_path), None)
