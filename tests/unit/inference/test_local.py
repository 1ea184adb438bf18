"""A sentence model on this machine; skipped where the extra `local` is not installed."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from engrain.inference import local
from engrain.inference.local import LocalLink
from engrain.model.errors import EmbeddingError
from engrain.model.note.vectors import check_vector, dot
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
def test_texts_that_mean_alike_lie_close(embedder: Embedder) -> None:
    query, answer, other = embedder.embed(
        ["Where does she work?", "Her job is at the city hospital.", "The cat slept all day."]
    )
    assert dot(query, answer) > dot(query, other) + 0.1
    assert (embedder.link, embedder.size, embedder.cheap) == ("local", 384, False)
    assert embedder.model == "all-MiniLM-L6-v2-onnx-int8@8199be6f"


@needs_model
def test_a_text_s_vector_does_not_depend_on_its_company(embedder: Embedder) -> None:
    texts = [
        "short",
        "a somewhat longer text about nothing " * 20,
        "",
        "\ud800",
        "中文",
        "x" * 10**6,
    ]
    together = embedder.embed(texts)
    for text, vector in zip(texts, together, strict=True):
        check_vector(vector, 384)
        assert dot(vector, embedder.embed([text])[0]) > 0.999


@needs_model
def test_no_texts_have_no_vectors(embedder: Embedder) -> None:
    assert embedder.embed([]) == []


@needs_model
def test_a_deadline_is_kept_between_batches(embedder: Embedder) -> None:
    begun = time.monotonic()
    with pytest.raises(EmbeddingError, match="over"):
        embedder.embed(["a text of some length " * 40] * 2000, deadline=begun + 0.2)
    assert time.monotonic() - begun < 10


@needs_model
def test_a_folder_gives_the_same_vectors_under_a_name_of_its_own(
    folder: Path, embedder: Embedder, stamps: str
) -> None:
    own = LocalLink(str(folder), stamps, open_here).open()
    assert own.model == "mine@8199be6f"
    assert own.embed(["hello"]) == embedder.embed(["hello"])


@needs_model
def test_a_packaged_file_that_was_changed_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    weights = local.find_weights()
    assert weights is not None
    copy = tmp_path / "model.onnx"
    copy.write_bytes(Path(weights).read_bytes()[:-1])
    monkeypatch.setattr(local, "find_weights", lambda: str(copy))
    with pytest.raises(EmbeddingError, match="checksum"):
        open_here(None, None)


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
def test_what_a_folder_lacks_is_told(folder: Path, gone: str) -> None:
    (folder / gone).unlink()
    link = LocalLink(str(folder), None, open_here)
    assert gone in (link.missing() or "")
    with pytest.raises(EmbeddingError, match=gone):
        link.open()


def test_a_missing_package_is_told_with_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("importlib.machinery.PathFinder.find_spec", lambda name: None)
    link = LocalLink(None, None, open_here)
    assert link.missing() == "onnxruntime is not installed (install engrain[local])"
    with pytest.raises(EmbeddingError, match="not installed"):
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
