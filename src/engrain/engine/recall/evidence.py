"""How strongly the words of a query speak for each passage, as pure functions.

A passage scores as in BM25 (Robertson and Zaragoza, 2009) with little weight on repetition. A word
counts by its rarity in the vault and by its surprise in general English, since a word that is rare
here may be plain everywhere. Words that follow each other in the query and stand together in a
passage count more. In a thread a short fragment is understood from its neighbours, so they lend it
a part of their scores; a long one speaks for itself.
"""

from __future__ import annotations

from math import log, sqrt

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from engrain.seam.view import Matches, Occurrence, Place

K1 = 0.4
"""Saturation of repetition (BM25)."""
B = 0.75
"""How far long passages are discounted (BM25)."""
AVERAGE = 42.0
"""Words of a passage that is neither discounted nor favoured for its length."""
CHARACTERS = 6.0
"""Characters of a word with the blank behind it."""
LABELLED = 0.5
"""What a word of the title, heading, slug or tags counts that the text lacks."""
TOGETHER = (0.8, 0.4)
"""What two words add that stand side by side, as a share of the lesser one's weight: those that
follow each other in the query, and those with one between them."""
APART = 12
"""Words from one to the other beyond which they add nothing."""

LENT = {-2: 0.2, -1: 0.4, 1: 0.4, 2: 0.2}
"""The share of a fragment's score that the one so many places before or behind it lends."""
ANSWER = 0.9
"""The share that a question lends to what follows it: answers seldom repeat their question."""
LEANING = 600.0
"""Characters of a fragment that leans half as much on its neighbours as the shortest."""


class Evidence:
    """What the words of a query say of the passages that have one, by passage.

    `own` is the score of its own words; `words` has a bit for each word that stands in it, title
    and tags included; `places` has the passages themselves. By word of the query: `weights`, in
    unique words (see `rarity`), and `surprises`; `known` is the sum of the weights of words that
    occur at all.
    """

    __slots__ = ("known", "own", "places", "surprises", "weights", "words")

    def __init__(self, weights: Sequence[float], surprises: Sequence[float], known: float) -> None:
        self.weights = weights
        self.surprises = surprises
        self.known = known
        self.own: dict[int, float] = {}
        self.words: dict[int, int] = {}
        self.places: dict[int, Place] = {}

    def best(self, most: int) -> list[int]:
        """The passages with the greatest scores, ties by number."""
        from heapq import nsmallest

        return nsmallest(most, self.own, key=lambda passage: (-self.own[passage], passage))

    def total_surprise(self, words: int) -> float:
        """How surprising the words of some bits are together."""
        return sum(value for i, value in enumerate(self.surprises) if words >> i & 1)


def rarity(frequency: int, total: int) -> float:
    """What a word is worth that `frequency` of `total` passages have: from 0 to 1, at which only
    one passage, or none, has it (Robertson's inverse document frequency over its greatest value).
    """
    total = max(total, 2)
    frequency = min(max(frequency, 1), total)
    return log(1 + (total - frequency + 0.5) / (frequency + 0.5)) / log(1 + (total - 0.5) / 1.5)


def weigh_words(matches: Matches) -> Evidence:
    """The evidence of each passage that a word of the query stands in, each word counted once."""
    weights = [
        rarity(frequency, matches.passages) * sqrt(surprise)
        for frequency, surprise in zip(matches.frequencies, matches.surprises, strict=True)
    ]
    pairs = zip(weights, matches.frequencies, strict=True)
    evidence = Evidence(weights, matches.surprises, sum(weight for weight, n in pairs if n))
    own, words, places = evidence.own, evidence.words, evidence.places
    for i, (postings, weight) in enumerate(zip(matches.postings, weights, strict=True)):
        for place in postings:
            passage = place[0]
            own[passage] = own.get(passage, 0.0) + weight * _saturate(1, place[5] / CHARACTERS)
            words[passage] = words.get(passage, 0) | 1 << i
            places[passage] = place
    return evidence


def weigh_occurrences(
    evidence: Evidence,
    asked: Sequence[int],
    occurrences: Mapping[int, tuple[int, Sequence[Occurrence]]],
) -> None:
    """Score passages anew by how often and where words stand in them; `asked` are the numbers of
    the words that were looked up, the others count once."""
    once = _bits(range(len(evidence.weights))) & ~_bits(asked)
    for passage, (size, found) in occurrences.items():
        words = evidence.words[passage]
        score = sum(
            weight * _saturate(1, size)
            for i, weight in enumerate(evidence.weights)
            if once & words & 1 << i
        )
        seen: dict[int, list[int]] = {}
        for i, (labelled, positions) in zip(asked, found, strict=True):
            weight = evidence.weights[i]
            if positions:
                score += weight * _saturate(len(positions), size)
            elif labelled:
                score += weight * LABELLED
            for steps, share in enumerate(TOGETHER, 1):
                if positions and (others := seen.get(i - steps)):
                    lesser = min(weight, evidence.weights[i - steps])
                    score += share * lesser * _closeness(others, positions)
            seen[i] = positions
        evidence.own[passage] = score


def lend_scores(evidence: Evidence) -> dict[tuple[int, int], float]:
    """What the neighbours of each fragment in a thread offer it, by thread and place; `lent_to`
    says what it takes. One without a word of the query is offered the most of one neighbour."""
    best: dict[tuple[int, int], tuple[float, bool]] = {}
    for passage, score in evidence.own.items():
        _, _, thread, number, asks, _, _ = evidence.places[passage]
        if thread is not None and thread > 0:
            best[thread, number] = max(
                best.get((thread, number), (0.0, False)), (score, bool(asks))
            )
    lent: dict[tuple[int, int], float] = {}
    for (thread, number), (score, asks) in best.items():
        for distance, share in LENT.items():
            at = thread, number + distance
            if asks and distance == 1:
                share = ANSWER
            if at in best:
                lent[at] = lent.get(at, 0.0) + share * score
            elif abs(distance) == 1 and at[1] >= 0:
                lent[at] = max(lent.get(at, 0.0), share * score)
    return lent


def lent_to(place: Place, lent: Mapping[tuple[int, int], float]) -> float:
    """What of `lend_scores` a passage gets: the longer its entry, the less it leans on others."""
    _, _, thread, number, _, _, characters = place
    if thread is None or not (score := lent.get((thread, number), 0.0)):
        return 0.0
    return score / (1 + (characters / LEANING) ** 2)


def spread_words(evidence: Evidence, passages: Iterable[int]) -> dict[int, int]:
    """The words of each passage together with those of its neighbours in its thread or note."""
    at: dict[tuple[int, int], int] = {}
    for passage, place in evidence.places.items():
        if place[2] is not None:
            key = place[2], place[3]
            at[key] = at.get(key, 0) | evidence.words[passage]
    found = {}
    for passage in passages:
        _, _, thread, number, *_ = evidence.places[passage]
        words = evidence.words[passage]
        if thread is not None:
            for near in (number - 1, number, number + 1):
                words |= at.get((thread, near), 0)
        found[passage] = words
    return found


def _saturate(count: int, size: float) -> float:
    """BM25's part of a word that stands `count` times in a passage of `size` words."""
    return count * (K1 + 1) / (count + K1 * (1 - B + B * size / AVERAGE))


def _closeness(first: Sequence[int], second: Sequence[int]) -> float:
    """How near one of `second` follows one of `first`: 1 for side by side, 0 beyond `APART`."""
    steps = min(
        (there - here for here in first for there in second if there > here), default=APART + 1
    )
    return max(0.0, 1 - (steps - 1) / APART)


def _bits(numbers: Iterable[int]) -> int:
    bits = 0
    for number in numbers:
        bits |= 1 << number
    return bits
