"""The tokenizer of a model's folder: our WordPiece where that is what it is, else `tokenizers`."""

from __future__ import annotations

import os

from engrain.inference.wordpiece import UNKNOWN, Encoder, WordPiece
from engrain.model.errors import EmbeddingError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from tokenizers import Tokenizer

VOCABULARY = "vocab.txt"
TOKENIZER = "tokenizer.json"
_BERT = {"BertNormalizer", "BertPreTokenizer", "WordPiece"}


def find_lacking(folder: str, weights: str) -> str | None:
    """What a model's folder is without, in words: the file of its weights, or of its tokens."""
    if not os.path.exists(os.path.join(folder, weights)):
        return f"there is no {weights} in {folder}"
    if not any(os.path.exists(os.path.join(folder, name)) for name in (VOCABULARY, TOKENIZER)):
        return f"there is no {VOCABULARY} and no {TOKENIZER} in {folder}"
    return None


def read_tokenizer(folder: str) -> Encoder:
    """From `vocab.txt`, one piece a line, or from `tokenizer.json`. Raises EmbeddingError."""
    path = os.path.join(folder, VOCABULARY)
    try:
        if os.path.exists(path):
            return read_vocabulary(path)
        path = os.path.join(folder, TOKENIZER)
        with open(path, encoding="utf-8") as file:  # noqa: PTH123
            text = file.read()
        return _from_json(text, path)
    except (OSError, ValueError) as error:
        raise EmbeddingError(f"can't read the tokenizer: {error}", path=path) from error


def read_vocabulary(path: str) -> WordPiece:
    """WordPiece over a file of one piece a line. Raises OSError and EmbeddingError."""
    with open(path, encoding="utf-8") as file:  # noqa: PTH123
        pieces = file.read().split("\n")
    return WordPiece({piece: number for number, piece in enumerate(pieces) if piece})


def _from_json(text: str, path: str) -> Encoder:
    import json

    described = json.loads(text)
    vocabulary = _uncased_vocabulary(described)
    if vocabulary is not None:
        return WordPiece(vocabulary)
    try:
        from tokenizers import Tokenizer
    except ImportError:
        raise EmbeddingError(
            "this tokenizer is no uncased WordPiece",
            path=path,
            remedy="install the package tokenizers",
        ) from None
    try:
        return _Foreign(Tokenizer.from_str(text))
    except Exception as error:  # it raises nothing narrower
        raise EmbeddingError(f"can't read the tokenizer: {error}", path=path) from error


def _uncased_vocabulary(described: object) -> Mapping[str, int] | None:
    """The vocabulary, if the tokenizer does what `WordPiece` does."""
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
