"""The words by which an instruction is taken apart.

A statement is one action and what limits it. Which words of an action hold its one value, and which
values exclude each other, stands here.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import lru_cache

from engrain.language.lexicons import read_regexes, read_rows, read_words
from engrain.language.statements.phrases import kinds_of
from engrain.language.text.words import fold_word

_PATTERNS = read_regexes("instructions", "slots patterns")
SOFT = _PATTERNS["soft"]
CHOOSING = _PATTERNS["choosing"]
_WORDS = read_words("instructions", "slots")
FILLERS = _WORDS["fillers"]
ADDING = re.compile(
    r"\b(?:must|also|too|both|either|additionally|as well|besides|likewise|supports?)\b", re.I
)
"""Words of a statement that stands beside others of its form."""
LINKS = _WORDS["links"]
LIMITS = _WORDS["limits"]
PURPOSES = ("for", "to", "as", "about")
"""Links that say what something is chosen for."""
OBJECT, LAST, NAME = "object", "last", "name"
_SCOPED = _WORDS["scoped"]
DEFINITE = re.compile(r"\bthe ([\w-]+) [a-z]")
"""The word that says which one of a sort is meant."""
GENERAL = re.compile(r"\ban? ([a-z]+)|\b([a-z]{2,}(?:[^\Ws]s|ing))\b")
"""A word for any of a sort, and no name of one: several serve one purpose."""
_FORMS = tuple(
    re.compile(form)
    for form in (
        r"\d{1,2}(?::\d\d)?(?:am|pm)|\d{1,2}:\d\d",
        r"v?\d[\d.,]*(?:[a-z%]+)?",
        r"--?[A-Za-z][\w=-]*",
        r"[a-z]",
        r"(?=.*[/*~]|.*\w\.\w|.*\w_\w)\S+",
    )
)
"""Ways to write a value: a time, a number or version, a flag, a letter that names one of several, a
path, a pattern or an address. Two of one form exclude each other."""
_NUMBER, _FLAG = _FORMS[1:3]
_NUMBERED = re.compile(r"([A-Za-z]+)\d[\d.]*")
_NONE: frozenset[str] = frozenset()


@lru_cache(maxsize=1)
def value_places() -> dict[str, frozenset[str]]:
    """By verb, folded, where its one value stands."""
    return _by_word(read_rows("instructions", "values").items())


@lru_cache(maxsize=1)
def _groups() -> dict[str, frozenset[str]]:
    return _by_word((row, row) for row in read_rows("instructions", "rivals").values())


def _by_word(rows: Iterable[Sequence[str]]) -> dict[str, frozenset[str]]:
    """Of rows of words and what they have in common: that by each word, folded."""
    table: dict[str, frozenset[str]] = {}
    for words, told in rows:
        for word in map(fold_word, words.split()):
            table[word] = table.get(word, frozenset()) | frozenset(told.split())
    return table


@lru_cache(maxsize=1)
def _scoped() -> frozenset[str]:
    return frozenset(map(fold_word, _SCOPED))


def are_rivals(one: Sequence[str], other: Sequence[str]) -> bool:
    """Whether two different values of one place are known to exclude each other."""
    if are_apart(one, other):
        return False
    if kinds_of(" ".join(one)) & kinds_of(" ".join(other)):
        return True
    if len(one) != 1 or len(other) != 1:
        return False
    (a,), (b,) = one, other
    if any(form.fullmatch(a) and form.fullmatch(b) for form in _FORMS):
        return True
    first, second = _NUMBERED.fullmatch(a), _NUMBERED.fullmatch(b)
    if first and second:
        return first[1] == second[1]
    groups = _groups()
    return bool(groups.get(a, _NONE) & groups.get(b, _NONE))


def are_apart(one: Sequence[str], other: Sequence[str]) -> bool:
    """Whether two values are known not to exclude each other: words for places where several things
    hold, or words of which only one is of a sort, or both of different ones."""
    if _scoped() & {*one, *other}:
        return True
    sorts = [
        frozenset[str]().union(*(_groups().get(word, _NONE) for word in words))
        for words in (one, other)
    ]
    return bool(sorts[0] or sorts[1]) and not sorts[0] & sorts[1]


def are_quantities(one: Sequence[str], other: Sequence[str], behind: Sequence[str]) -> bool:
    """Whether two values are numbers of what the words `behind` them count."""
    counted = bool(behind) and behind[0].isalpha() and behind[0] != "of"
    return counted and all(map(_NUMBER.fullmatch, (*one, *other)))


def are_flags(one: Sequence[str], other: Sequence[str]) -> bool:
    """Whether two values are options of a command."""
    return all(map(_FLAG.fullmatch, (*one, *other)))
