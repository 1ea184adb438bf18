"""Words and numbers as they are compared, however they are written."""

from __future__ import annotations

import re
from functools import lru_cache

from engrain.language.lexicons import read_rows, read_synonyms, read_words, vocabulary

_TO_TWENTY = """
zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen
sixteen seventeen eighteen nineteen twenty
"""
NUMBERS = {word: number for number, word in enumerate(_TO_TWENTY.split())} | {
    "thirty": 30, "forty": 40, "fifty": 50, "sixty": 60, "seventy": 70, "eighty": 80,
    "ninety": 90, "hundred": 100, "dozen": 12,
}  # fmt: skip
_NUMBER = re.compile(
    r"(?P<cur>[$€£]\s?)?(?P<n>\d{1,3}(?:[,']\d{3})+(?:\.\d+)?|\d+(?:\.\d+)*)"
    r"\s?(?P<mag>k|m|mm|bn|b|thousand|million|billion|mio)?"
    r"(?P<pc>\s?%| percent| per cent)?(?![\w:])",
    re.I,
)
_MAGNITUDES = {"k": 1e3, "thousand": 1e3, "m": 1e6, "mm": 1e6, "mio": 1e6, "million": 1e6,
               "b": 1e9, "bn": 1e9, "billion": 1e9}  # fmt: skip
_NUMBER_WORD = re.compile(rf"\b({'|'.join(NUMBERS)})\b", re.I)


def _read_number(text: str) -> float | None:
    """Return the first number in a text, however it is written; None for none."""
    if not (found := _NUMBER.search(text)):
        return None
    digits = found["n"].replace(",", "").replace("'", "")
    if digits.count(".") > 1:
        return None
    return float(digits) * _MAGNITUDES.get((found["mag"] or "").lower(), 1)


@lru_cache(maxsize=8192)
def numbers_of(text: str) -> frozenset[str]:
    """Return all numbers of a text as they are compared: two that say the same have the same."""
    text = _NUMBER_WORD.sub(lambda found: str(NUMBERS[found[0].lower()]), text)
    found = set()
    for match in _NUMBER.finditer(re.sub(r"(?<=\d)(?:st|nd|rd|th)\b", "", text)):
        number = _read_number(match[0])
        found.add(match["n"] if number is None else f"{number:g}")
    return frozenset(found)


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
    r"(?<![\w-])--?[A-Za-z][\w-]*|§|[^\s@]{1,64}@[^\s@]{1,80}\.\w{1,20}"
    r"|(?:https?://)?[\w-]{1,63}(?:\.[\w-]{1,63}){1,8}/\S*|[$€£]|'s\b"
    r"|\d+(?:[.,:/'-]\d+)*(?:%|[^\W\d_]+)?|[^\W\d_](?:[\w&+#]|['./-](?=\w))*"
    r"|\.[A-Za-z]\w*(?:\.\w)?|[,:;()→=?!-]"
)
"""A word, a number, an address, or a sign between them."""


def fold_word(word: str) -> str:
    """Return a word without its inflection, for comparison only."""
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
    """Return a word without "-ing" or "-ed", "" if it has neither."""
    for ending in ("ing", "ed"):
        stem = word.removesuffix(ending)
        if stem != word and len(stem) > 2 and re.search("[aeiouy]", stem):
            doubled = stem[-1] == stem[-2] and stem[-1] not in "lsz"
            return (stem[:-1] if doubled else stem).removesuffix("e")
    return ""


def _fold_noun(word: str) -> str:
    """Return a word without the ending of a plural or an adverb."""
    if word.endswith(("sses", "xes", "ches", "shes")):
        return word[:-2]
    if word.endswith("ly") and len(word) > 6 and word not in _NO_ADVERBS:
        return word[:-2].removesuffix("e")
    if word.endswith("s") and not word.endswith(("ss", "us", "is")):
        word = word[:-1]
    return word.removesuffix("e") if len(word) > 3 else word


@lru_cache(maxsize=8192)
def content_of(low: str) -> str:
    """Return the folded form of a content word, "" for a stop word or a sign."""
    if low in STOP or not (low[0].isalnum() or (low[0] == "-" and len(low) > 1)):
        return ""
    folded = fold_word(low)
    return "" if folded in STOP else folded


def content_words(text: str) -> frozenset[str]:
    """Return the folded content words of a text."""
    return frozenset(word for each in WORD.findall(text.lower()) if (word := content_of(each)))


def value_key(value: str) -> frozenset[str]:
    """Return a value as the set of its folded words; the same for all ways in which it is
    written."""
    words = content_words(value)
    return (words - _SUFFIXES - _TITLES) or words


_TITLES = frozenset(("dr", "mr", "ms", "mrs"))


def spell_out(text: str) -> str:
    """Return a text in lower case without abbreviations and signs."""
    words = re.sub(r"[,.;]", " ", text.lower()).split()
    return " ".join(_ABBREVIATIONS.get(word, word) for word in words)
