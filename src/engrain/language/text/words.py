"""Words, numbers, dates and times of day as they are compared, however they are written."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache

from engrain.language.lexicons import read_rows, read_synonyms, read_words, vocabulary
from engrain.language.text.instants import MONTHS, WEEKDAYS

_TO_TWENTY = """
zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen
sixteen seventeen eighteen nineteen twenty
"""
NUMBERS = {word: number for number, word in enumerate(_TO_TWENTY.split())} | {
    "thirty": 30, "forty": 40, "fifty": 50, "sixty": 60, "seventy": 70, "eighty": 80,
    "ninety": 90, "hundred": 100, "dozen": 12,
}  # fmt: skip
_SUFFIX = "(?:st|nd|rd|th)?"
_YEAR = r"(?P<y>(?:19|20)\d\d)"


def date_patterns(months: str, flags: re.RegexFlag) -> tuple[re.Pattern[str], ...]:
    """Patterns of dates with the groups `y`, `m` or `mon`, and `d`: ISO, month before day, day
    before month, and a month alone. `months` is an expression for the names of months."""
    written = (
        rf"\b{_YEAR}-(?P<m>\d\d)(?:-(?P<d>\d\d))?\b",
        rf"\b(?P<mon>{months})\b\.? (?:the )?(?P<d>\d{{1,2}}){_SUFFIX}\b(?!:)(?:,? {_YEAR})?",
        rf"\b(?P<d>\d{{1,2}}){_SUFFIX}(?: of)? (?P<mon>{months})\b\.?(?:,? {_YEAR})?",
        rf"\b(?P<mon>{months})\b\.?(?:,? {_YEAR})?",
    )
    return tuple(re.compile(pattern, flags) for pattern in written)


def month_of(date: re.Match[str]) -> int | None:
    """The month of a date that was found by such a pattern, 1 to 12."""
    parts = date.groupdict()
    return int(parts["m"]) if parts.get("m") else MONTHS.get((parts.get("mon") or "").lower())


_NAMES = "|".join(sorted(MONTHS, key=len, reverse=True))
_ISO, _MONTH_DAY, _DAY_MONTH, _MONTH = date_patterns(_NAMES, re.IGNORECASE)
_DATES = (
    _ISO,
    _MONTH_DAY,
    _DAY_MONTH,
    re.compile(rf"\bq(?P<q>[1-4])\b(?:,? {_YEAR})?"),
    _MONTH,
    re.compile(r"\b(?:the )(?P<d>\d{1,2})(?:st|nd|rd|th)\b"),
    re.compile(rf"\b{_YEAR}\b"),
)


@dataclass(slots=True, eq=False)
class Day:
    """A date as far as it is given; None for what is not."""

    year: int | None
    month: int | None
    day: int | None
    quarter: int | None = None
    weekday: int | None = None

    def _parts(self) -> tuple[int | None, ...]:
        quarter = (self.month + 2) // 3 if self.month else self.quarter
        return self.year, quarter, self.month, self.day, self.weekday

    def differs(self, other: Day) -> bool:
        """Whether a part that both give is another."""
        pairs = zip(self._parts(), other._parts(), strict=True)
        return any(one is not None and two is not None and one != two for one, two in pairs)

    def same(self, other: Day) -> bool:
        """Whether they agree, the year apart where one leaves it out."""
        return not self.differs(other) and self._parts()[1:] == other._parts()[1:]


def read_day(text: str) -> Day | None:
    """The first date in a text."""
    lower = text.lower()
    for pattern in _DATES:
        if found := pattern.search(lower):
            year, day, quarter = (
                int(part) if part else None for part in map(found.groupdict().get, "ydq")
            )
            return Day(year, month_of(found), day, quarter)
    for number, name in enumerate(WEEKDAYS):
        if re.search(rf"\b{name}s?\b", lower):
            return Day(None, None, None, None, number)
    return None


_NUMBER = re.compile(
    r"(?P<cur>[$€£]\s?)?(?P<n>\d{1,3}(?:[,']\d{3})+(?:\.\d+)?|\d+(?:\.\d+)*)"
    r"\s?(?P<mag>k|m|mm|bn|b|thousand|million|billion|mio)?"
    r"(?P<pc>\s?%| percent| per cent)?(?![\w:])",
    re.I,
)
_MAGNITUDES = {"k": 1e3, "thousand": 1e3, "m": 1e6, "mm": 1e6, "mio": 1e6, "million": 1e6,
               "b": 1e9, "bn": 1e9, "billion": 1e9}  # fmt: skip
CLOCK = re.compile(
    r"\b(?P<h>\d{1,2})(?:[:.h](?P<m>\d\d))?\s?(?P<half>am|pm|a\.m\.|p\.m\.)(?!\w)|"
    r"\b(?P<h2>[01]?\d|2[0-3]):(?P<m2>[0-5]\d)(?![\d:])|\b(?P<word>noon|midnight)\b",
    re.IGNORECASE,
)
"""A time of day."""


def minutes_of(clock: re.Match[str]) -> int:
    """A time of day that `CLOCK` found, in minutes."""
    if word := clock["word"]:
        return 720 if word.lower() == "noon" else 0
    if clock["h2"]:
        return int(clock["h2"]) * 60 + int(clock["m2"])
    late = 12 if clock["half"].lower().startswith("p") else 0
    return (int(clock["h"]) % 12 + late) * 60 + int(clock["m"] or 0)


_NUMBER_WORD = re.compile(rf"\b({'|'.join(NUMBERS)})\b", re.I)


def plain_numbers(text: str) -> str:
    """A text with its number words as digits."""
    return _NUMBER_WORD.sub(lambda found: str(NUMBERS[found.group().lower()]), text)


def read_clock(text: str) -> int | None:
    """The first time of day in a text, in minutes."""
    found = CLOCK.search(text)
    return minutes_of(found) if found else None


def read_number(text: str) -> float | None:
    """The first number in a text, however it is written; None for none."""
    text = plain_numbers(text)
    if not (found := _NUMBER.search(text)):
        return None
    digits = found["n"].replace(",", "").replace("'", "")
    if digits.count(".") > 1:
        return None
    return float(digits) * _MAGNITUDES.get((found["mag"] or "").lower(), 1)


@lru_cache(maxsize=8192)
def numbers_of(text: str) -> frozenset[str]:
    """All digits of a text, as they are compared: two that say the same have the same."""
    text = plain_numbers(text)
    found = set()
    for match in _NUMBER.finditer(re.sub(r"(?<=\d)(?:st|nd|rd|th)\b", "", text)):
        number = read_number(match.group())
        found.add(match["n"] if number is None else f"{number:g}")
    return frozenset(found)


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
    r"(?<![\w-])--?[A-Za-z][\w-]*|§|[^\s@]{1,64}@[^\s@]{1,80}\.\w{1,20}"
    r"|(?:https?://)?[\w-]{1,63}(?:\.[\w-]{1,63}){1,8}/\S*|[$€£]|'s\b"
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
