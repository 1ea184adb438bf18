"""Texts compared by their words: what a model copies differs in marks, blanks and case."""

from __future__ import annotations

import re
from unicodedata import normalize

_WORD = re.compile(r"\w+")


def words_of(text: str) -> str:
    """The words of a text, folded, with one blank between them."""
    return " ".join(_WORD.findall(normalize("NFKC", text).casefold()))


def name_words(name: str, words: str) -> bool:
    """Whether a name stands in `words`, as whole words where its script has blanks between them."""
    wanted = words_of(name)
    if not wanted:
        return False
    return f" {wanted} " in f" {words} " if wanted.isascii() else wanted in words
