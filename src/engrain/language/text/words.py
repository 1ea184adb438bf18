"""Words as they are compared: inflections and ways of writing a name folded together."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import lru_cache

from engrain.language.lexicons import read_rows, read_synonyms, read_words, vocabulary
from engrain.language.text.numbers import NUMBERS

SUBJECT = "§"
"""Stands for the subject of a statement."""
_WORDS = read_words("words", "words")
_SUFFIXES = _WORDS["suffixes"]
_ABBREVIATIONS = read_synonyms("words", "abbreviations")
"""The form by which a word is compared, by its short or other forms."""
_IRREGULAR = {
    form: base for base, forms in read_rows("words", "forms").items() for form in forms.split()
}
"""The base of a word, by its irregular forms."""
STOP = _WORDS["stop"]
WORD = re.compile(
    r"(?<![\w-])--?[A-Za-z][\w-]*|§|\S+@\S+\.\w+|(?:https?://)?[\w-]+(?:\.[\w-]+)+/\S*|[$€£]|'s\b"
    r"|\d+(?:[.,:/'-]\d+)*(?:%|[^\W\d_]+)?|[^\W\d_](?:[\w&+#]|['./-](?=\w))*"
    r"|\.[A-Za-z]\w*(?:\.\w)?|[,:;()→=?!-]"
)
"""A word, a number, an address, or a sign between them."""


def fold_word(word: str) -> str:
    """A word without its inflection, for comparison only."""
    return _fold(word.lower())


_NO_ADVERBS = vocabulary("monthly quarterly biweekly fortnightly hourly")


@lru_cache(maxsize=8192)
def _fold(word: str) -> str:
    word = word.removesuffix("'s").strip("'")
    word = _IRREGULAR.get(word, word)
    word = _ABBREVIATIONS.get(word, word)
    word = _IRREGULAR.get(word, word)
    if word in NUMBERS:
        return str(NUMBERS[word])
    if len(word) < 4 or not word.isalpha():
        return re.sub(r"(?<=\d)(?:st|nd|rd|th)$", "", word)
    if word.endswith(("ies", "ied")):
        return word[:-3] + ("y" if len(word) > 4 else "ie")
    return _fold_verb(word) or _fold_noun(word)


def _fold_verb(word: str) -> str:
    """A word without "-ing" or "-ed", "" if it has neither."""
    for ending in ("ing", "ed"):
        stem = word.removesuffix(ending)
        if stem != word and len(stem) > 2 and re.search("[aeiouy]", stem):
            doubled = stem[-1] == stem[-2] and stem[-1] not in "lsz"
            return (stem[:-1] if doubled else stem).removesuffix("e")
    return ""


def _fold_noun(word: str) -> str:
    """A word without the ending of a plural or an adverb."""
    if word.endswith(("sses", "xes", "ches", "shes")):
        return word[:-2]
    if word.endswith("ly") and len(word) > 6 and word not in _NO_ADVERBS:
        return word[:-2].removesuffix("e")
    if word.endswith("s") and not word.endswith(("ss", "us", "is")):
        word = word[:-1]
    return word.removesuffix("e") if len(word) > 3 else word


@lru_cache(maxsize=8192)
def content_of(low: str) -> str:
    """The folded form of a content word, "" for a stop word or a sign."""
    if low in STOP or not (low[0].isalnum() or (low[0] == "-" and len(low) > 1)):
        return ""
    folded = fold_word(low)
    return "" if folded in STOP else folded


def contents_of(words: Iterable[str]) -> frozenset[str]:
    """Content words, folded."""
    return frozenset(content_of(word) or word for word in words)


def content_words(text: str) -> frozenset[str]:
    """The folded content words of a text."""
    return frozenset(word for each in WORD.findall(text.lower()) if (word := content_of(each)))


def value_key(value: str) -> frozenset[str]:
    """A value as the set of its folded words; the same for all ways in which it is written."""
    words = content_words(value)
    return (words - _SUFFIXES - _TITLES) or words


_TITLES = frozenset(("dr", "mr", "ms", "mrs"))


def spell_out(text: str) -> str:
    """A text in lower case without abbreviations and signs."""
    words = re.sub(r"[,.;]", " ", text.lower()).split()
    return " ".join(_ABBREVIATIONS.get(word, word) for word in words)


def without_suffix(parts: list[str]) -> list[str]:
    """The words of a company's name but for its legal form."""
    return [part for part in parts if part.lower().rstrip(".") not in _SUFFIXES]


class Token:
    """A word: as it stands, in lower case, and folded; `name` where it is written like a name."""

    __slots__ = ("fold", "low", "name", "text")

    def __init__(self, text: str, name: bool = False) -> None:
        self.text = text
        self.low = text.lower()
        self.fold = fold_word(self.low)
        self.name = name


_NONE = Token("")


def token_at(tokens: Sequence[Token], at: int) -> Token:
    """The token at a place of a run; an empty one where the run has none."""
    return tokens[at] if 0 <= at < len(tokens) else _NONE
