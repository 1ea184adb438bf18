"""Token vectors made from the packaged model; skipped where the extra `local` is not installed."""

from __future__ import annotations

from pathlib import Path

import pytest

from engrain.inference.distill import distill
from engrain.inference.local import LocalLink
from engrain.inference.static import StaticLink
from engrain.model.errors import EmbeddingError
from engrain.model.note.vectors import check_vector, dot

needs_model = pytest.mark.skipif(
    LocalLink(None, None).missing() is not None, reason="engrain[local] is not installed"
)


@needs_model
@pytest.mark.long
def test_the_vectors_made_tell_what_texts_are_about(tmp_path: Path) -> None:
    folder = tmp_path / "made"
    steps: list[tuple[int, int | None]] = []
    distill(str(folder), None, lambda done, of: steps.append((done, of)))
    assert steps[-1] == (30522, 30522)
    assert sorted(file.name for file in folder.iterdir()) == ["model.safetensors", "vocab.txt"]
    embedder = StaticLink(str(folder), None).open()
    query, answer, other = embedder.embed(
        ["Where does she work?", "her job is at the hospital", "the cat slept all day"]
    )
    check_vector(query, 384)
    assert dot(query, answer) > dot(query, other)


@needs_model
def test_a_folder_that_can_not_be_written_is_told(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(EmbeddingError, match="can't write token vectors"):
        distill(str(tmp_path / "file" / "made"), None)


def test_without_the_package_it_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("importlib.machinery.PathFinder.find_spec", lambda name: None)
    with pytest.raises(EmbeddingError, match="not installed"):
        distill(str(tmp_path / "made"), None)
    assert not (tmp_path / "made").exists()
