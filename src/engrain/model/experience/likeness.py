"""Which patterns say the same (loki's "Merging Duplicate Patterns").

Candidates come from an inverted index over their words. Of those, meaning decides where there is a
model for it, else the words do. Whatever these say, two patterns are different when they differ in
a number, in a name with digits or in a word that turns a sentence around, or when one does what the
other avoids.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TypeAlias

from engrain.language.lexicons import read_words
from engrain.language.text.clustering import Item, find_clusters
from engrain.language.text.folding import distinguishes, fold
from engrain.model.experience.features import goal_words
from engrain.model.experience.patterns import AntiPattern, Pattern
from engrain.model.experience.wording import same_said

Compare: TypeAlias = "Callable[[Sequence[str]], 'Callable[[int, int], float]']"
"""Of some texts, how alike the one of a number is to that of another."""


ALIKE = 0.9
"""How alike two that are merged are at least."""

_ALIKE_HOW = 0.7
"""How alike at least what they say to do is, by meaning: of a whole text it is the smaller part."""
_CANDIDATES = 0.6
_WEIGHTS = {"said": 1.0, "how": 1.0}
_TOKEN = re.compile(r"(?:(?<![\w-])--?(?=[a-z]))?[^\W_][\w.'’-]*")
# Of two words that say the opposite one is here: where only one text has it, they differ.
_TURNING = read_words("experience", "words")["turning"]


def find_alike(
    patterns: Mapping[str, Pattern | AntiPattern],
    rank: Callable[[str], object],
    compare: Compare | None = None,
) -> Iterator[tuple[str, str]]:
    """Yield (kept, other) ids of patterns that say the same; the first of a group is kept.
    `compare` compares by meaning; None leaves it to the words."""
    items = [
        Item(id_, {"said": goal_words(_said(one)), "how": goal_words(_how(one))})
        for id_, one in patterns.items()
    ]
    least = ALIKE if compare is None else _CANDIDATES
    for cluster in find_clusters(items, _WEIGHTS, least):
        ranked = sorted(cluster, key=rank)  # type: ignore[arg-type]
        reads_alike = _compare_by_meaning([patterns[id_] for id_ in ranked], compare)
        taken: set[int] = set()
        for first, kept in enumerate(ranked):
            for other in range(first + 1, len(ranked)):
                if first in taken or other in taken or not reads_alike(first, other):
                    continue
                if not _differ(patterns[kept], patterns[ranked[other]]):
                    taken.add(other)
                    yield kept, ranked[other]


def _compare_by_meaning(
    ranked: Sequence[Pattern | AntiPattern], compare: Compare | None
) -> Callable[[int, int], bool]:
    """Whether two of some, by number, read alike by meaning; all do where nothing tells it."""
    if compare is None:
        return lambda first, other: True  # noqa: ARG005 - as the other one is called
    whole, how = compare([text_of(one) for one in ranked]), compare([_how(one) for one in ranked])
    return lambda first, other: whole(first, other) >= ALIKE and how(first, other) >= _ALIKE_HOW


def text_of(one: Pattern | AntiPattern) -> str:
    """All that a pattern or anti-pattern says."""
    return f"{_said(one)}\n{_how(one)}"


def _said(one: Pattern | AntiPattern) -> str:
    if isinstance(one, Pattern):
        return "\n".join((one.pattern, *one.conditions))
    return f"{one.what_fails}\n{one.why}"


def _how(one: Pattern | AntiPattern) -> str:
    if isinstance(one, Pattern):
        return f"{one.correct_approach}\n{one.incorrect_approach}"
    return one.prevention


def _differ(one: Pattern | AntiPattern, other: Pattern | AntiPattern) -> bool:
    """Whether two that read alike say different things."""
    if _telling(text_of(one)) != _telling(text_of(other)):
        return True
    if not isinstance(one, Pattern) or not isinstance(other, Pattern):
        return False
    pairs = (
        (one.correct_approach, other.incorrect_approach),
        (other.correct_approach, one.incorrect_approach),
    )
    # One that avoids what it does itself avoids nothing.
    own = same_said(one.correct_approach, one.incorrect_approach)
    return not own and any(do and avoid and same_said(do, avoid) for do, avoid in pairs)


def _telling(text: str) -> set[str]:
    """The words of which one more or less turns what is said around."""
    words = {word.rstrip(".'’-") for word in _TOKEN.findall(fold(text))}
    return {
        word
        for word in words
        if distinguishes(word) or word in _TURNING or word.endswith(("n't", "n’t"))
    }
