"""The operator's own notes are no vault, and are not imported."""

from __future__ import annotations

from pathlib import Path

import pytest

from engrain.model.errors import ConfigError, ForbiddenPathError
from engrain.resolution.files import check_source, check_vault


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
