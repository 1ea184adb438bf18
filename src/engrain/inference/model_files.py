"""The files of a model's folder: the checksum of its weights, and the vocabulary of its tokenizer.

WordPiece is that of BERT's uncased models in plain Python (Devlin et al. 2019; Wu et al. 2016).
Text is cleaned, stripped of accents, lower-cased and split at space, punctuation and CJK
characters; each word is split into the longest pieces in the vocabulary. Ids are those of the
`tokenizers` library, except that markers such as `[MASK]` in the text are words here.
"""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Iterator, Mapping
from unicodedata import category, normalize
from zlib import crc32

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


class WordPiece:
    """The ids of a text's pieces under one vocabulary; `unknown` is that of unknown words."""

    def __init__(self, vocabulary: Mapping[str, int]) -> None:
        """Take the id of each piece. Raises EmbeddingError if a marker is missing."""
        for piece in (UNKNOWN, _BEGIN, _END):
            if piece not in vocabulary:
                raise EmbeddingError(f"the vocabulary has no {piece}")
        self._vocabulary = vocabulary
        self.unknown = vocabulary[UNKNOWN]

    def encode(self, text: str, limit: int) -> list[int]:
        """Return the first `limit` ids, without the markers of beginning and end."""
        ids: list[int] = []
        for word in _words(text):
            ids += self._pieces(word)
            if len(ids) >= limit:
                break
        return ids[:limit]

    def encode_marked(self, text: str, limit: int) -> list[int]:
        """Return at most `limit` ids, with the markers that the model was trained with."""
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


VOCABULARY = "vocab.txt"


def find_lacking(folder: str, weights: str) -> str | None:
    """Return in words which file a model's folder lacks, of weights and vocabulary; None for
    none."""
    for name in (weights, VOCABULARY):
        if not os.path.exists(os.path.join(folder, name)):
            return f"there is no {name} in {folder}"
    return None


def read_vocabulary(path: str) -> WordPiece:
    """Read a file of one piece a line. Raises OSError and EmbeddingError."""
    with open(path, encoding="utf-8") as file:  # noqa: PTH123
        pieces = file.read().split("\n")
    return WordPiece({piece: number for number, piece in enumerate(pieces) if piece})


def checksum(path: str, stamps: str | None) -> str:
    """Return the SHA-256 of a file, in hex. Raises EmbeddingError when it can't be read.

    Hashing 22 MB takes 15 ms and more, so the folder `stamps` (None: nowhere) remembers the
    checksum for as long as the file's size and times stay the same.
    """
    try:
        stat = os.stat(path)
        stamp = f"{stat.st_size} {stat.st_mtime_ns} {stat.st_ctime_ns} {stat.st_ino}"
        name = hashlib.blake2b(os.fsencode(os.path.abspath(path)), digest_size=8).hexdigest()
        kept = os.path.join(stamps, f"{name}.sha256") if stamps else ""
        if kept and (known := _read_checksum(kept, stamp)):
            return known
        with open(path, "rb") as file:  # noqa: PTH123
            found = hashlib.file_digest(file, "sha256").hexdigest()
    except OSError as error:
        raise EmbeddingError(f"can't read the model: {error.strerror}", path=path) from error
    if kept:
        _write_checksum(kept, f"{stamp}\n{found}\n{_sum_up(stamp, found)}\n")
    return found


def _read_checksum(kept: str, stamp: str) -> str | None:
    try:
        with open(kept, encoding="ascii") as file:  # noqa: PTH123
            lines = file.read(1000).split("\n")
    except (OSError, ValueError):
        return None
    whole = len(lines) == 4 and lines[2] == _sum_up(stamp, lines[1])
    return lines[1] if whole and lines[0] == stamp else None


def _sum_up(stamp: str, found: str) -> str:
    """Return what shows that both were kept without damage."""
    return f"{crc32(f'{stamp} {found}'.encode()):08x}"


def _write_checksum(kept: str, text: str) -> None:
    """Write the file. Where that fails, the next process hashes again."""
    try:
        os.makedirs(os.path.dirname(kept), mode=0o700, exist_ok=True)
        passing = f"{kept}.{os.getpid()}"
        with open(passing, "w", encoding="ascii") as file:  # noqa: PTH123
            file.write(text)
        os.replace(passing, kept)
    except OSError:
        return
