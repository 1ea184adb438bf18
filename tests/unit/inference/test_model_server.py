"""The process with the model: it is started once, shared, restarted, and ends by itself."""

from __future__ import annotations

import os
import shutil
import signal
import tempfile
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from engrain.inference import local
from engrain.inference.chain import EmbedderSettings, make_chain
from engrain.model.errors import EmbeddingError
from engrain.seam.embedder import Embedder, EmbedderLink
from support.models import beside

pytestmark = pytest.mark.skipif(
    local.find_missing(None) is not None, reason="engrain[local] is not installed"
)


@pytest.fixture
def place() -> Iterator[Path]:
    """The socket's path, in a folder short enough for one."""
    folder = Path(tempfile.mkdtemp(prefix="model-"))
    yield folder / "model.sock"
    shutil.rmtree(folder)  # and the process ends


def find_processes(place: Path) -> list[int]:
    found = []
    for one in Path("/proc").glob("[0-9]*"):
        try:
            words = (one / "cmdline").read_bytes().split(b"\0")
        except OSError:
            continue
        if os.fsencode(place) in words:
            found.append(int(one.name))
    return found


def wait_for(there: int, place: Path, seconds: float = 30.0) -> list[int]:
    until = time.monotonic() + seconds
    while len(found := find_processes(place)) != there and time.monotonic() < until:
        time.sleep(0.05)
    return found


def open_link(place: Path, folder: Path | None = None) -> EmbedderLink:
    settings = EmbedderSettings(
        "local", models=str(place.parent), folder=None if folder is None else str(folder)
    )
    [link] = make_chain(settings, {}, beside(lambda: str(place)))
    return link


def test_all_who_ask_at_once_share_one_process(place: Path) -> None:
    embedders: list[Embedder] = [open_link(place).open() for _ in range(6)]
    with ThreadPoolExecutor(6) as pool:
        done = list(pool.map(lambda one: one.embed(["a", "b"]), embedders))
    assert all(one == done[0] for one in done)
    assert len(wait_for(1, place)) == 1


def test_a_process_that_was_killed_is_started_again(place: Path) -> None:
    embedder = open_link(place).open()
    before = embedder.embed(["x"])
    [process] = wait_for(1, place)
    os.kill(process, signal.SIGKILL)
    wait_for(0, place)
    assert embedder.embed(["x"]) == before


def test_the_process_ends_when_nobody_is_connected(place: Path) -> None:
    embedder = open_link(place).open()
    embedder.embed(["x"])
    assert len(wait_for(1, place)) == 1
    del embedder
    assert wait_for(0, place) == []
    assert not place.exists()


def test_the_process_ends_when_its_socket_was_removed(place: Path) -> None:
    embedder = open_link(place).open()
    embedder.embed(["x"])
    place.unlink()
    assert wait_for(0, place) == []
    assert embedder.embed(["x"])


def test_a_first_question_under_way_does_not_wait_for_the_model(place: Path) -> None:
    link = open_link(place)
    began = time.thread_time()
    assert link.begin() is None
    assert time.thread_time() - began < 0.2
    until = time.monotonic() + 60
    while (ready := link.begin()) is None and time.monotonic() < until:
        time.sleep(0.02)
    assert ready is not None and len(ready.embed(["x"])) == 1


def test_a_model_file_that_disappears_is_reported_once_the_process_has_ended(
    place: Path, tmp_path: Path
) -> None:
    folder = tmp_path / "mine"
    folder.mkdir()
    weights = local.find_weights()
    assert weights is not None
    shutil.copy(weights, folder / "model.onnx")
    shutil.copy(local.VOCABULARY, folder / "vocab.txt")
    embedder = open_link(place, folder).open()
    (folder / "model.onnx").unlink()
    assert len(embedder.embed(["still loaded"])) == 1
    [process] = wait_for(1, place)
    os.kill(process, signal.SIGKILL)
    wait_for(0, place)
    with pytest.raises(EmbeddingError, match="can't read the model"):
        embedder.embed(["x"])


def test_a_model_that_was_exchanged_gives_no_vectors_under_the_old_name(
    place: Path, tmp_path: Path
) -> None:
    folder = tmp_path / "mine"
    folder.mkdir()
    weights = local.find_weights()
    assert weights is not None
    shutil.copy(weights, folder / "model.onnx")
    shutil.copy(local.VOCABULARY, folder / "vocab.txt")
    embedder = open_link(place, folder).open()
    with (folder / "model.onnx").open("ab") as file:
        file.write(b"\x0a\x00")
    assert open_link(place, folder).open().model != embedder.model
    with pytest.raises(EmbeddingError, match="changed"):
        embedder.embed(["x"])


def test_a_packaged_file_that_was_changed_starts_no_process(
    place: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    weights = local.find_weights()
    assert weights is not None
    copy = tmp_path / "model.onnx"
    copy.write_bytes(Path(weights).read_bytes()[:-1])
    monkeypatch.setattr(local, "find_package", lambda _: str(tmp_path))
    link = open_link(place)
    assert link.missing() is None
    with pytest.raises(EmbeddingError, match="checksum"):
        link.open()
    assert find_processes(place) == []


def test_a_deadline_ends_the_waiting(place: Path) -> None:
    embedder = open_link(place).open()
    embedder.embed(["x"])
    began = time.monotonic()
    with pytest.raises(EmbeddingError, match=r"in time|over"):
        embedder.embed(["a text of some length " * 60] * 500, deadline=time.monotonic() + 0.3)
    assert time.monotonic() - began < 10
    assert len(embedder.embed(["x"])) == 1
