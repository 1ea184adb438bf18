"""Small files are replaced in one step, and nothing is written through a link."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from engrain.resolution.files import replace_file


def test_a_private_file_is_replaced_and_only_its_owner_can_read_it(tmp_path: Path) -> None:
    path = tmp_path / "place" / "token"
    for text in ("one", "two"):
        replace_file(str(path), text, private=True)
        assert path.read_text() == text
    assert path.stat().st_mode & 0o777 == 0o600
    assert list(path.parent.iterdir()) == [path]


def test_a_link_in_the_place_of_the_temporary_file_is_not_followed(tmp_path: Path) -> None:
    path, other = tmp_path / "token", tmp_path / "other"
    other.write_text("kept")
    Path(f"{path}.{os.getpid()}.tmp").symlink_to(other)
    with pytest.raises(OSError):
        replace_file(str(path), "secret", private=True)
    assert other.read_text() == "kept"
    assert not path.exists()


@pytest.mark.parametrize("durable", [True, False])
def test_a_file_is_on_the_disk_before_it_replaces_another(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, durable: bool
) -> None:
    place, flushed = tmp_path / "file", []
    place.write_text("old")
    monkeypatch.setattr(
        os, "fsync", lambda _: flushed.append((place.read_text(), len(list(tmp_path.iterdir()))))
    )
    replace_file(str(place), "new", durable=durable)
    assert place.read_text() == "new"
    assert flushed == [("old", 2)] * durable
