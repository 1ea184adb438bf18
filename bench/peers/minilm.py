"""Run MiniLM-L6 (int8, the weights that Engrain's extra `local` uses) for peers that take a
function."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import Any

FOLDER = ".cache/chroma/onnx_models/all-MiniLM-L6-v2/onnx"
"""Where the model's files are below the home folder of a peer; Chroma looks for them here."""


class MiniLM:
    """A sentence model that turns texts into vectors of 384 numbers."""

    def __init__(self, home: Path) -> None:
        self._numpy: Any = import_module("numpy")
        folder = home / FOLDER
        self._session = import_module("onnxruntime").InferenceSession(str(folder / "model.onnx"))
        self._tokenizer = import_module("tokenizers").Tokenizer.from_file(
            str(folder / "tokenizer.json")
        )
        self._tokenizer.enable_truncation(256)
        self._tokenizer.enable_padding()

    def embed(self, texts: list[str]) -> list[list[float]]:
        """Return a vector of length 1 for each text."""
        return [
            vector for at in range(0, len(texts), 16) for vector in self._run(texts[at : at + 16])
        ]

    def _run(self, texts: list[str]) -> list[list[float]]:
        numpy = self._numpy
        encoded = self._tokenizer.encode_batch(texts)
        ids = numpy.array([one.ids for one in encoded], dtype=numpy.int64)
        mask = numpy.array([one.attention_mask for one in encoded], dtype=numpy.int64)
        given = {"input_ids": ids, "attention_mask": mask, "token_type_ids": numpy.zeros_like(ids)}
        hidden = self._session.run(None, given)[0]
        weights = mask[:, :, None]
        pooled = (hidden * weights).sum(1) / weights.sum(1)
        rows: list[list[float]] = (pooled / numpy.linalg.norm(pooled, axis=1)[:, None]).tolist()
        return rows
