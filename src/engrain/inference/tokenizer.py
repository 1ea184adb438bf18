"""Read a model's tokenizer, which is our own WordPiece where the model uses that, else one of the
package `tokenizers`."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping

from engrain.inference.model_files import (
    TOKENIZER,
    UNKNOWN,
    VOCABULARY,
    Encoder,
    WordPiece,
    read_vocabulary,
)
from engrain.model.errors import EmbeddingError

try:
    from tokenizers import Tokenizer
except ImportError:
    Tokenizer = None  # type: ignore[assignment,misc]

_BERT = {"BertNormalizer", "BertPreTokenizer", "WordPiece"}


def read_tokenizer(folder: str) -> Encoder:
    """Read `vocab.txt`, which has one piece a line, or `tokenizer.json`. Raises EmbeddingError."""
    path = os.path.join(folder, VOCABULARY)
    try:
        if os.path.exists(path):
            return read_vocabulary(path)
        path = os.path.join(folder, TOKENIZER)
        with open(path, encoding="utf-8") as file:  # noqa: PTH123
            return _from_json(file.read(), path)
    except (OSError, ValueError) as error:
        raise EmbeddingError(f"can't read the tokenizer: {error}", path=path) from error


def _from_json(text: str, path: str) -> Encoder:
    vocabulary = _uncased_vocabulary(json.loads(text))
    if vocabulary is not None:
        return WordPiece(vocabulary)
    if Tokenizer is None:
        raise EmbeddingError(
            "this tokenizer is no uncased WordPiece",
            path=path,
            remedy="install the package tokenizers",
        )
    try:
        return _Foreign(Tokenizer.from_str(text))
    except Exception as error:  # it raises nothing narrower
        raise EmbeddingError(f"can't read the tokenizer: {error}", path=path) from error


def _uncased_vocabulary(described: object) -> Mapping[str, int] | None:
    """Return the vocabulary if the tokenizer does what `WordPiece` does, else None."""
    try:
        normalizer = described["normalizer"]  # type: ignore[index]  # checked by what follows
        model = described["model"]  # type: ignore[index]
        kinds = {normalizer["type"], described["pre_tokenizer"]["type"], model["type"]}  # type: ignore[index]
        plain = kinds == _BERT and normalizer["lowercase"] and normalizer["strip_accents"] is None
        vocabulary = model["vocab"]
    except (KeyError, TypeError):
        return None
    return vocabulary if plain and isinstance(vocabulary, dict) else None


class _Foreign(Encoder):
    """A tokenizer of the `tokenizers` library."""

    def __init__(self, tokenizer: Tokenizer) -> None:
        tokenizer.no_truncation()
        tokenizer.no_padding()
        self._tokenizer = tokenizer
        self.unknown = tokenizer.token_to_id(UNKNOWN)

    def encode(self, text: str, limit: int) -> list[int]:
        ids: list[int] = self._tokenizer.encode(text, add_special_tokens=False).ids
        return ids[:limit]

    def encode_marked(self, text: str, limit: int) -> list[int]:
        ids: list[int] = self._tokenizer.encode(text).ids
        return ids if len(ids) <= limit else [*ids[: limit - 1], ids[-1]]
