"""WordPiece as BERT's uncased models use it, in plain Python (Devlin et al. 2019; Wu et al. 2016).

Text is cleaned, stripped of accents, lower-cased and split at space, punctuation and CJK
characters; each word is split into the longest pieces in the vocabulary. Ids are those of the
`tokenizers` library, except that markers such as `[MASK]` in the text are words here.
"""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping
from unicodedata import category, normalize

from engrain.model.errors import EmbeddingError

UNKNOWN = "[UNK]"
MARKERS = _BEGIN, _END = "[CLS]", "[SEP]"
_WORD_CHARS = 100
"""A longer word is unknown as a whole."""
_PIECE = "##"
_ASCII_CONTROL = dict.fromkeys([*range(9), 11, 12, *range(14, 32), 127])
_ASCII_WORD = re.compile(r"[a-z0-9]+|[^\sa-z0-9]")
_DROPPED = ("Cc", "Cf", "Co", "Mn")
"""Categories of control characters, formats, private characters and accents."""
_CJK = (
    (0x4E00, 0x9FFF), (0x3400, 0x4DBF), (0x20000, 0x2A6DF), (0x2A700, 0x2B73F),
    (0x2B740, 0x2B81F), (0x2B820, 0x2CEAF), (0xF900, 0xFAFF), (0x2F800, 0x2FA1F),
)  # fmt: skip


class Encoder(ABC):
    """Turns texts into ids."""

    unknown: int | None
    """The id of unknown words, None if there is none."""

    @abstractmethod
    def encode(self, text: str, limit: int) -> list[int]:
        """Return the first `limit` ids, without the markers of beginning and end."""

    @abstractmethod
    def encode_marked(self, text: str, limit: int) -> list[int]:
        """Return at most `limit` ids, with the markers that the model was trained with."""


class WordPiece(Encoder):
    """The ids of a text's pieces under one vocabulary."""

    unknown: int

    def __init__(self, vocabulary: Mapping[str, int]) -> None:
        """Take the id of each piece. Raises EmbeddingError if a marker is missing."""
        for piece in (UNKNOWN, _BEGIN, _END):
            if piece not in vocabulary:
                raise EmbeddingError(f"the vocabulary has no {piece}")
        self._vocabulary = vocabulary
        self.unknown = vocabulary[UNKNOWN]

    def encode(self, text: str, limit: int) -> list[int]:
        ids: list[int] = []
        for word in _words(text):
            ids += self._pieces(word)
            if len(ids) >= limit:
                break
        return ids[:limit]

    def encode_marked(self, text: str, limit: int) -> list[int]:
        begin, end = self._vocabulary[_BEGIN], self._vocabulary[_END]
        return [begin, *self.encode(text, limit - 2), end]

    def _pieces(self, word: str) -> list[int]:
        known = self._vocabulary.get(word)
        if known is not None:
            return [known]
        if len(word) > _WORD_CHARS:
            return [self.unknown]
        ids = []
        start = 0
        while start < len(word):
            mark = _PIECE if start else ""
            for end in range(len(word), start, -1):
                found = self._vocabulary.get(mark + word[start:end])
                if found is not None:
                    ids.append(found)
                    start = end
                    break
            else:
                return [self.unknown]
        return ids


def _words(text: str) -> Iterator[str]:
    if text.isascii():
        for found in _ASCII_WORD.finditer(text.translate(_ASCII_CONTROL).lower()):
            yield found[0]
        return
    word = ""
    for char in normalize("NFD", "".join(map(_spaced, text))):
        kind = category(char)
        if char not in "\t\n\r" and (kind in _DROPPED or char == "\ufffd"):
            continue
        alone = not char.isspace() and _stands_alone(char, kind)
        if not alone and not char.isspace():
            word += char.lower()  # by character: no final sigma
            continue
        yield from filter(None, (word, char if alone else ""))
        word = ""
    if word:
        yield word


def _stands_alone(char: str, kind: str) -> bool:
    return kind[0] == "P" or (char.isascii() and not char.isalnum())


def _spaced(char: str) -> str:
    """Return a character, with spaces around it if it is a CJK one."""
    code = ord(char)
    return f" {char} " if code >= 0x3400 and any(a <= code <= b for a, b in _CJK) else char
