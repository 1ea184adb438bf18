"""The files of a vault folder that are no notes (S1.11)."""

from __future__ import annotations

from pathlib import Path

from engrain.backends.device_local import open_backend
from engrain.seam.storage import BackendRequest


def others(folder: Path) -> list[str]:
    request = BackendRequest(
        str(folder), state=None, device="dev", entropy=lambda n: b"\0" * n, read_only=True
    )
    return sorted(open_backend(request).others())


def test_attachments_and_generated_files_are_reported_and_notes_are_not(tmp_path: Path) -> None:
    for name in ("n.md", "a.png", "dir/deep/b.pdf", "_index.md", "dir/Board.canvas", "dir/m.md"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("x")
    assert others(tmp_path) == ["_index.md", "a.png", "dir/Board.canvas", "dir/deep/b.pdf"]


def test_nothing_hidden_and_nothing_behind_a_symbolic_link_is_reported(tmp_path: Path) -> None:
    vault, outside = tmp_path / "vault", tmp_path / "outside"
    for folder in (vault / ".obsidian", vault / ".trash", outside):
        folder.mkdir(parents=True)
        (folder / "x.png").write_text("x")
    (vault / ".hidden.png").write_text("x")
    (vault / "link.png").symlink_to(outside / "x.png")
    (vault / "folder").symlink_to(outside)
    (vault / "own.png").write_text("x")
    assert others(vault) == ["own.png"]
