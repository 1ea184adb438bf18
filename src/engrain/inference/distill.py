"""Static token vectors made from the packaged MiniLM, so that a cold process has a model too.

Every piece of the vocabulary goes through the model alone (model2vec, Minish Lab 2024) and is
weighted by how rare it is, a / (a + p) with a = 0.001 (Arora et al. 2017). The vocabulary is in
order of frequency, so Zipf's law gives p. Measured on LoCoMo's four development conversations,
turn recall@10: .58, where MiniLM itself has .49, potion-base-8M .48 and WordLlama .42.
"""

from __future__ import annotations

import os
import struct

from engrain.inference import packaged
from engrain.inference.local import open_packaged
from engrain.inference.static import MATRIX
from engrain.inference.tokens import VOCABULARY
from engrain.model.errors import EmbeddingError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from engrain.inference.local import OnnxEmbedder
    from engrain.seam.embedder import Progress

_BATCH = 1024
_RARITY = 1e-3
_FIRST_WORD = "the"
"""Before it the vocabulary has marks and single characters, in no order of frequency."""
_CHARACTER_WEIGHT = 0.1


def distill(folder: str, stamps: str | None, progress: Progress | None = None) -> None:
    """Write token vectors into `folder`: 25 s on two cores, 23 MB.

    `stamps`: where verified checksums are remembered. Raises EmbeddingError when the packaged model
    can't be had or the files can't be written; then no half of them is left.
    """
    embedder = open_packaged(stamps)
    try:
        with open(packaged.VOCABULARY, "rb") as file:  # noqa: PTH123
            vocabulary = file.read()
        pieces = vocabulary.decode().split("\n")[:-1]
        os.makedirs(folder, mode=0o700, exist_ok=True)
        _write(folder, VOCABULARY, [vocabulary])
        _write(folder, MATRIX, _matrix(embedder, pieces, progress))
    except OSError as error:
        raise EmbeddingError(f"can't write token vectors: {error.strerror}", path=folder) from error


def _matrix(
    embedder: OnnxEmbedder, pieces: Sequence[str], progress: Progress | None
) -> Iterator[bytes]:
    """The bytes of a safetensors file of one table."""
    size = embedder.size
    row = struct.Struct(f"<{size}e")
    header = (
        f'{{"embeddings":{{"dtype":"F16","shape":[{len(pieces)},{size}],'
        f'"data_offsets":[0,{len(pieces) * row.size}]}}}}'
    ).encode()
    yield struct.pack("<Q", len(header)) + header
    weights = _weights(pieces)
    begin, end = pieces.index("[CLS]"), pieces.index("[SEP]")
    for start in range(0, len(pieces), _BATCH):
        tokens = range(start, min(start + _BATCH, len(pieces)))
        for token, values in zip(
            tokens, embedder.pool([[begin, token, end] for token in tokens]), strict=True
        ):
            yield row.pack(*[value * weights[token] for value in values])
        if progress:
            progress(tokens.stop, len(pieces))


def _weights(pieces: Sequence[str]) -> list[float]:
    """How much each piece counts: the rarer the more, up to 1."""
    first = pieces.index(_FIRST_WORD)
    harmonic = sum(1 / rank for rank in range(1, len(pieces) - first + 1))
    words = [
        _RARITY / (_RARITY + 1 / (rank * harmonic)) for rank in range(1, len(pieces) - first + 1)
    ]
    return [_CHARACTER_WEIGHT] * first + words


def _write(folder: str, name: str, parts: Sequence[bytes] | Iterator[bytes]) -> None:
    path = os.path.join(folder, name)
    passing = f"{path}.{os.getpid()}"
    try:
        with open(passing, "wb") as file:  # noqa: PTH123
            file.writelines(parts)
            file.flush()
            os.fsync(file.fileno())
        os.replace(passing, path)
    finally:
        if os.path.exists(passing):
            os.unlink(passing)
