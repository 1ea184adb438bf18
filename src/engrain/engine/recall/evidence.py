"""How strongly the words of a query speak for each passage, as pure functions.

A word counts once in a passage, by how rare it is: passages are of like length, and counting
repetitions found less. In a thread a passage also answers for words of its neighbours, most for
what stands right before it, since answers seldom repeat their question.
"""

from __future__ import annotations

from math import log

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from engrain.seam.view import Matches, Place

BEHIND = ((1, 0.6), (2, 0.3))
"""What a word lends to the passages after the one that has it: (distance, share)."""
BEFORE = ((1, 0.4), (2, 0.2))
"""What it lends to those before."""
ANSWER = 0.3
"""What it lends more to the one right after a question."""
ASKS = 0.9
"""A passage that ends in a question asks for something rather than telling it."""

_PLACES = 1 << 20
"""Places of a thread that have keys of their own."""
_SHIFT = 1 << 40
"""Makes the number of every thread positive."""


class Evidence:
    """By key of a passage: `text`, what the words are worth that it and its neighbours have, and
    `own`, those it has itself. By passage: `title`, those in its title, heading, slug or tags. By
    group, a thread or a note: `whole`, those it has anywhere. In unique words, see `rarity`.

    `places` knows the passages that have a word themselves, by key. `weights` has the worth of
    each word of the query, `total` their sum, and `known` that of the words that occur at all.
    """

    __slots__ = ("known", "own", "places", "text", "title", "total", "weights", "whole")

    def __init__(self) -> None:
        self.text: dict[int, float] = {}
        self.own: dict[int, float] = {}
        self.whole: dict[int, float] = {}
        self.title: dict[int, float] = {}
        self.places: dict[int, Place] = {}
        self.weights: list[float] = []
        self.total = 0.0
        self.known = 0.0


def rarity(frequency: int, total: int) -> float:
    """What a word is worth that `frequency` of `total` passages have: from 0 to 1, at which only
    one passage, or none, has it (Robertson's inverse document frequency over its greatest value).
    """
    total = max(total, 2)
    frequency = min(max(frequency, 1), total)
    return log(1 + (total - frequency + 0.5) / (frequency + 0.5)) / log(1 + (total - 0.5) / 1.5)


def key_of(place: Place) -> int:
    """A number for a passage, next to which are those of its neighbours in its thread."""
    passage, _, thread, number, _ = place
    return -passage if thread is None else (thread + _SHIFT) * _PLACES + number


def group_of(place: Place) -> int:
    """A number for what a passage is part of: its thread, or its note."""
    return -place[1] if place[2] is None else place[2]


def thread_place(key: int) -> tuple[int, int]:
    """The thread and place that a key of a passage in a thread stands for."""
    return key // _PLACES - _SHIFT, key % _PLACES


def weigh_words(matches: Matches, *, context: bool) -> Evidence:
    """The evidence of each passage that a word of the query speaks for; without `context` of what
    passages say themselves alone."""
    evidence = Evidence()
    text, own, whole, places = evidence.text, evidence.own, evidence.whole, evidence.places
    for postings, frequency, titled in zip(
        matches.postings, matches.frequencies, matches.titled, strict=True
    ):
        weight = rarity(frequency, matches.passages)
        evidence.weights.append(weight)
        evidence.total += weight
        evidence.known += weight if frequency else 0.0
        for passage in titled:
            evidence.title[passage] = evidence.title.get(passage, 0.0) + weight
        keys = [key_of(place) for place in postings]
        places.update(zip(keys, postings, strict=True))
        for key in keys:
            own[key] = own.get(key, 0.0) + weight
        if context:
            for key, share in _spread(keys, postings).items():
                text[key] = text.get(key, 0.0) + share * weight
            groups = {group_of(place) for place in postings}
            worth = rarity(len(groups), matches.wholes)
            for group in groups:
                whole[group] = whole.get(group, 0.0) + worth
    if not context:
        text.update(own)
    return evidence


def _spread(keys: Sequence[int], postings: Sequence[Place]) -> dict[int, float]:
    """The share of a word by key, of the passages that have it and of those it is lent to."""
    shares: dict[int, float] = {}
    # The greatest share comes last and stays: one by one, thousands of passages would take long.
    for distance, share, asked in _LENT:
        lent = [
            key + distance
            for key, place in zip(keys, postings, strict=True)
            if key > 0 and (place[4] or not asked)
        ]
        shares.update(dict.fromkeys(lent, share))
    shares.update(dict.fromkeys(keys, 1.0))
    return shares


_LENT = sorted(
    [
        *((distance, share, False) for distance, share in BEHIND),
        *((-distance, share, False) for distance, share in BEFORE),
        (1, BEHIND[0][1] + ANSWER, True),
    ],
    key=lambda lent: lent[1],
)
"""All that is lent, the least first: (distance, share, whether by questions alone)."""
