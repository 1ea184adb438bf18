"""A sentence model on this machine; skipped where the extra `local` is not installed."""

from __future__ import annotations

from pathlib import Path

import pytest

from engrain.inference import local
from engrain.inference.local import LocalLink
from engrain.model.errors import EmbeddingError
from engrain.seam.embedder import Embedder
from support.models import open_here

needs_model = pytest.mark.skipif(
    LocalLink(None, None, open_here).missing() is not None, reason="engrain[local] is not installed"
)


@pytest.fixture(scope="module")
def stamps(tmp_path_factory: pytest.TempPathFactory) -> str:
    return str(tmp_path_factory.mktemp("models"))


@pytest.fixture(scope="module")
def embedder(stamps: str) -> Embedder:
    return LocalLink(None, stamps, open_here).open()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A user's own model: the packaged one, under another name."""
    weights = local.find_weights()
    assert weights is not None
    made = tmp_path / "mine"
    made.mkdir()
    (made / "model.onnx").symlink_to(weights)
    (made / "vocab.txt").symlink_to(local.VOCABULARY)
    return made


@needs_model
def test_a_folder_gives_the_same_vectors_under_a_name_of_its_own(
    folder: Path, embedder: Embedder, stamps: str
) -> None:
    own = LocalLink(str(folder), stamps, open_here).open()
    assert own.model == "mine@8199be6f"
    assert own.embed(["hello"]) == embedder.embed(["hello"])


@needs_model
@pytest.mark.parametrize("kept", [0, 1000, 1_000_000])
def test_a_model_cut_short_is_refused(folder: Path, kept: int) -> None:
    weights = folder / "model.onnx"
    whole = weights.read_bytes()
    weights.unlink()
    weights.write_bytes(whole[:kept])
    with pytest.raises(EmbeddingError, match="can't load the model"):
        LocalLink(str(folder), None, open_here).open()


@needs_model
@pytest.mark.parametrize("gone", ["model.onnx", "vocab.txt"])
def test_what_a_folder_lacks_is_reported(folder: Path, gone: str) -> None:
    (folder / gone).unlink()
    link = LocalLink(str(folder), None, open_here)
    assert gone in (link.missing() or "")
    with pytest.raises(EmbeddingError, match=gone):
        link.open()


@needs_model
def test_a_model_that_is_loaded_is_not_looked_for_again(
    embedder: Embedder, stamps: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    link = LocalLink(None, stamps, open_here)
    link.open()
    monkeypatch.setattr("importlib.machinery.PathFinder.find_spec", lambda name: None)
    assert link.missing() is None
    assert link.open().model == embedder.model
