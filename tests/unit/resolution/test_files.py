"""Small files are replaced in one step, and nothing is written through a link. The operator's own
notes are no vault, and are not imported."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from engrain.model.errors import ConfigError, ForbiddenPathError
from engrain.resolution.files import check_source, check_vault, replace_file


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


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """The operator's notes, with a vault and something hidden among them, and others beside."""
    for name in ("notes/Journal", "notes/Agent/Memory", "notes/.host/memory", "notes-beside"):
        (tmp_path / name).mkdir(parents=True)
    return tmp_path / "notes"


@pytest.mark.parametrize("vault", ["notes", ".", "notes/", "link"])
def test_a_vault_does_not_hold_the_operators_notes(root: Path, vault: str) -> None:
    (root.parent / "link").symlink_to(root)
    with pytest.raises(ConfigError):
        check_vault(str(root.parent / vault), str(root))


@pytest.mark.parametrize("vault", ["notes/Agent", "notes-beside", "notes/new", "none"])
def test_a_vault_may_lie_among_them_or_elsewhere(root: Path, vault: str) -> None:
    check_vault(str(root.parent / vault), str(root))
    check_vault(str(root.parent / vault), None)


@pytest.mark.parametrize(
    "source", ["notes", ".", "notes/Journal", "link", "link/Journal", "linked", "/"]
)
def test_a_source_that_holds_them_or_lies_among_them_is_refused(root: Path, source: str) -> None:
    (root.parent / "link").symlink_to(root)
    (root.parent / "linked").symlink_to(root / "Journal")
    with pytest.raises(ForbiddenPathError):
        check_source(str(root.parent / source), str(root), str(root / "Agent"))


@pytest.mark.parametrize(
    "source", ["notes-beside", "notes/Agent", "notes/Agent/Memory", "notes/.host/memory", "none"]
)
def test_any_other_source_is_taken(root: Path, source: str) -> None:
    check_source(str(root.parent / source), str(root), str(root / "Agent"))
    check_source(str(root), None, str(root / "Agent"))
