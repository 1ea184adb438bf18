"""Run a sentence model in ONNX: the mean of its token vectors (Reimers & Gurevych 2019)."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence

import numpy
import onnxruntime

from engrain.inference import model_files
from engrain.inference.embedders import readable, remaining
from engrain.inference.local import MINILM, VOCABULARY, WEIGHTS, find_packaged, name_model
from engrain.inference.model_files import WordPiece, read_vocabulary
from engrain.model.errors import EmbeddingError
from engrain.model.note.vectors import FLOAT_BYTES, pack_unit
from engrain.seam.embedder import Embedder

_TOKENS = 256
"""Tokens of a text that are read, markers included: what MiniLM was trained on."""
_BATCH_TOKENS = 512
"""The most tokens of one run, padding included. With 512 the peak of the process is that of loading
(255 MB), with 1,024 it is 420 MB and with 4,096 780 MB; 512 are also the quickest per token."""


def open_model(folder: str | None, stamps: str | None) -> OnnxEmbedder:
    """Load the model in `folder`, None for the packaged one, into this process. Raises
    EmbeddingError."""
    if folder is None:
        return open_packaged(stamps)
    weights = os.path.join(folder, WEIGHTS)
    vocabulary = read_vocabulary(os.path.join(folder, model_files.VOCABULARY))
    return OnnxEmbedder(name_model(folder, stamps), weights, vocabulary)


def open_packaged(stamps: str | None) -> OnnxEmbedder:
    """Open the packaged MiniLM. Raises EmbeddingError if it is missing or has other bytes."""
    return OnnxEmbedder(MINILM.model, find_packaged(stamps), read_vocabulary(VOCABULARY))


class OnnxEmbedder(Embedder):
    """A loaded model."""

    link = "local"
    cheap = False

    def __init__(self, model: str, weights: str, tokenizer: WordPiece) -> None:
        """Load the file. Raises EmbeddingError when it is no such model."""
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
