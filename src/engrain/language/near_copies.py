"""Whether two notes say the same in nearly the same words, so that one of them will do (S1.17).

What differs decides, and not how much is the same: two that differ in a number, a name, a date, a
negation or a word that says which of several is meant are two, however alike they read. Told by
words alone.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from engrain.language.text.sentences import CODE, Sentence, read_sentences

SAME_WORDS = 0.6
"""The least likeness of two notes that count as copies."""

_SAME_SENTENCE = 0.5
"""Share of common words from which two sentences count as the same."""
_MOST = 60
"""Sentences of a note that are compared: a longer one is compared by those it begins with."""
_LEAST_WORDS = 6
"""Different words that a note has at least to be compared: shorter ones resemble too many."""
_LEAST_RETITLED = 20
"""And where their titles name different things, or a template fills in what it says besides."""
_COVERED = 0.6
"""Share of its words that stand in sentences which the other has too: of the one that has fewer,
and where their titles are not the same, of both."""


_IDENTIFIER = re.compile(r"(?=[\w$.-]{0,100}?(?:_|[a-z][A-Z]|\w\.\w))[\w$.-]{1,400}+(?:\(\))?")


class ComparedNote:
    """A note as it is compared: its title, its sentences, the words of its code, all words and
    marks of it, how many different words it has at `least` to be compared, and whether it is
    `of_code`: named by an identifier of a program, which several places may have."""

    __slots__ = ("code", "least", "marks", "of_code", "sentences", "title", "words")

    def __init__(self, title: str, text: str) -> None:
        self.least = _LEAST_RETITLED if "{{" in text else _LEAST_WORDS
        self.of_code = _IDENTIFIER.fullmatch(title.strip("` ")) is not None
        self.title = next(read_sentences(title, 1), None)
        self.sentences = list(read_sentences(text, _MOST))
        self.code = frozenset(
            word for each in self.sentences if each.kind == CODE for word in each.words
        )
        parts = self.sentences if self.title is None else [self.title, *self.sentences]
        self.words = frozenset(word for part in parts for word in part.words)
        self.marks = frozenset(mark for part in parts for mark in part.marks)

    def says(self, least: int) -> bool:
        """Return whether it has at least `least` different words, beside its title and code."""
        words: set[str] = set()
        own = self.code if self.title is None else self.code.union(self.title.words)
        for part in self.sentences:
            words.update(part.words)
        return len(words - own) >= least


@dataclass(slots=True, eq=False)
class Likeness:
    """How alike two notes are, 0 to 1, and how many sentences each has that the other has not."""

    score: float
    more: int
    other_more: int


def compare_notes(one: ComparedNote, other: ComparedNote) -> Likeness | None:
    """Return how alike two notes are; None if they say different things."""
    if not _are_comparable(one, other):
        return None
    pairs, more, other_more = _match(one.sentences, other.sentences)
    if any(_differ(a, b, one, other) for a, b in pairs):
        return None
    if _are_distinct(more, other_more, one, other):
        return None
    covered = sorted((_covered(one, more), _covered(other, other_more)))
    titles = [each.title and set(each.title.words) for each in (one, other)]
    if covered[titles[0] == titles[1]] < _COVERED:
        return None
    long = one.says(_LEAST_RETITLED) and other.says(_LEAST_RETITLED)
    if _is_retitled(one, other) and (more or other_more or not long):
        return None
    shared = len(one.words & other.words)
    least, most = sorted((len(one.words), len(other.words)))
    inside = min(1.0, shared / least)
    whole = min(1.0, shared / (least + most - shared)) if shared < most else 1.0
    return Likeness((inside * 2 + whole) / 3, len(more), len(other_more))


def _are_comparable(one: ComparedNote, other: ComparedNote) -> bool:
    if one.of_code or other.of_code or not (one.says(one.least) and other.says(other.least)):
        return False
    code = one.code - other.words and other.code - one.words
    return not code and not _titles_differ(one, other)


def _covered(one: ComparedNote, more: Iterable[Sentence]) -> float:
    """Return the share of a note's words that stand in sentences which another has too."""
    whole = sum(len(each.words) for each in one.sentences)
    return 1 - sum(len(each.words) for each in more) / max(1, whole)


def _match(
    one: Sequence[Sentence], other: Sequence[Sentence]
) -> tuple[list[tuple[Sentence, Sentence]], list[Sentence], list[Sentence]]:
    """Return the sentences of two notes that are one, and those that only one of them has."""
    sets = [set(each.words) for each in other]
    found: list[tuple[float, int, int]] = []
    for at, sentence in enumerate(one):
        words = set(sentence.words)
        for to, others in enumerate(sets):
            shared = 2 * len(words & others) / (len(words) + len(others))
            if shared >= _SAME_SENTENCE:
                found.append((-shared, at, to))
    taken: dict[int, int] = {}
    free = set(range(len(other)))
    for _, at, to in sorted(found):
        if at not in taken and to in free:
            taken[at] = to
            free.discard(to)
    pairs = [(one[at], other[to]) for at, to in sorted(taken.items())]
    more = [sentence for at, sentence in enumerate(one) if at not in taken]
    return pairs, more, [other[to] for to in sorted(free)]


def _differ(a: Sentence, b: Sentence, one: ComparedNote, other: ComparedNote) -> bool:
    if a.marks ^ b.marks:
        return True
    if a.loose - b.loose and b.loose - a.loose:
        return True
    if a.first and b.first and a.first != b.first and a.words[1:] == b.words[1:]:
        return True
    return bool(a.names - other.words) and bool(b.names - one.words)


def _are_distinct(
    more: Iterable[Sentence], other_more: Iterable[Sentence], one: ComparedNote, other: ComparedNote
) -> bool:
    """Return whether each note has a number or a name that the other lacks."""
    first = {word for each in more for word in each.marks | each.names} - other.words
    second = {word for each in other_more for word in each.marks | each.names} - one.words
    return bool(first and second)


def _titles_differ(one: ComparedNote, other: ComparedNote) -> bool:
    if one.title is None or other.title is None:
        return False
    if one.title.marks - other.words - other.marks or other.title.marks - one.words - one.marks:
        return True
    first, second = set(one.title.words), set(other.title.words)
    if not all(map(str.isalpha, first ^ second)) and first - second and second - first:
        return True
    if not first & second:
        return False
    # One that is named for another thing is about it, though it says the same of it.
    first, second = first - other.words, second - one.words
    return bool(first and second)


def _is_retitled(one: ComparedNote, other: ComparedNote) -> bool:
    if one.title is None or other.title is None:
        return False
    first, second = set(one.title.words), set(other.title.words)
    return not first & second
