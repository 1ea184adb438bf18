"""The words of texts as sets, by which near copies are found."""

from __future__ import annotations

from engrain.language.text.folding import distinguishes
from engrain.language.text.patterns import late

NEAR_COPY = 0.9
"""Share of their words that two texts have in common from which one is a copy of the other, if
the numbers, options and letters are the same too: another port or date makes another memory."""
_COMPARED = 2000  # characters of a text
_WORD = late(r"\w+|(?<![\w-])--?(?=[a-z])\w+")


def words_of(text: str) -> frozenset[str]:
    """The words by which near copies are recognised."""
    return frozenset(_WORD.findall(text[:_COMPARED].casefold()))


def is_near_copy(one: frozenset[str], other: frozenset[str]) -> bool:
    """Whether two texts have nearly all of their words in common (Jaccard similarity)."""
    smaller, larger = sorted((len(one), len(other)))
    if not smaller or smaller < NEAR_COPY * larger:
        return False
    common = len(one & other)
    if common < NEAR_COPY * (len(one) + len(other) - common):
        return False
    return not any(map(distinguishes, one ^ other))
