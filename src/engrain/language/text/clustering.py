"""Clusters of things that are alike, found without comparing everything with everything (S2.4).

Each thing is a vector of length 1 at most: its features, weighed by how rare they are, of each kind
as much as that kind counts for. Candidates come from an inverted index whose long postings are
looked at only near each other, so their number grows with the things and not with their square.
Clusters are then joined by average link, which asks that a new member is alike to all members and
not to one, so that no chain of pairs draws everything together. The order of the things makes no
difference.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from heapq import heapify, heappop, heappush, nlargest
from math import log, log10, sqrt
from typing import TypeAlias

Vector: TypeAlias = "dict[tuple[str, str], float]"
Edge: TypeAlias = "tuple[float, int, int]"

LEAST = 0.42
"""How alike the members of a cluster are at least, on average; see `bench.consolidation`."""

_ENOUGH = 0.65
"""A thing that has fewer kinds of features than make up this share of all weights is less like any
other: where little is known, more has to agree."""
_ENOUGH_MORE = 0.1
"""By so much that share grows with each ten times as many things as `_MANY`: among many, some have
the same few words by chance."""
_MANY = 100
_FEW = 50
"""Among fewer things rarity means little, and is computed as among so many."""
_SHORT = 24
"""Postings up to this length are looked at whole."""
_NEAR = 3
"""So many neighbours on each side are looked at in a longer one."""
_CANDIDATES = 10
"""Of each thing so many candidates are compared exactly."""


@dataclass(slots=True, eq=False)
class ClusterItem:
    """A thing to be clustered: its id, and its features by kind."""

    id: str
    features: Mapping[str, Sequence[str]]


def find_clusters(items: Sequence[ClusterItem], weights: Mapping[str, float]) -> list[list[str]]:
    """Return the ids of each cluster of two or more; `weights` are those of the features."""
    alike: dict[tuple[tuple[str, str], ...], list[str]] = {}
    for item in items:
        pairs = {(kind, each) for kind in weights for each in item.features.get(kind, ())}
        if pairs:
            alike.setdefault(tuple(sorted(pairs)), []).append(item.id)
    keys = sorted(alike)
    groups = [sorted(alike[key]) for key in keys]
    vectors = _weigh(keys, [len(group) for group in groups], weights)
    found = _join(vectors, [len(group) for group in groups])
    clusters = [sorted(id_ for one in members for id_ in groups[one]) for members in found]
    return sorted(cluster for cluster in clusters if len(cluster) > 1)


def central(
    ids: Sequence[str], items: Mapping[str, ClusterItem], weights: Mapping[str, float]
) -> str:
    """Return the member of a cluster that is most like all the others."""
    keys = [
        tuple(
            sorted((kind, each) for kind in weights for each in items[id_].features.get(kind, ()))
        )
        for id_ in ids
    ]
    vectors = _weigh(keys, [1] * len(keys), weights)
    total = _sum(vectors)
    return min(zip(ids, vectors, strict=True), key=lambda one: (-_dot(one[1], total), one[0]))[0]


def _weigh(
    keys: Sequence[tuple[tuple[str, str], ...]], counts: Sequence[int], weights: Mapping[str, float]
) -> list[Vector]:
    """Return a vector for each set of features, of length 1 where enough is known."""
    often: dict[tuple[str, str], int] = {}
    for key, count in zip(keys, counts, strict=True):
        for pair in key:
            often[pair] = often.get(pair, 0) + count
    many = max(_FEW, sum(counts))
    rarity = {pair: log(1 + many / count) for pair, count in often.items()}
    share = _ENOUGH + _ENOUGH_MORE * log10(max(many, _MANY) / _MANY)
    enough = min(share, 1.0) * sum(weights.values())
    vectors = []
    for key in keys:
        lengths: dict[str, float] = {}
        for pair in key:
            lengths[pair[0]] = lengths.get(pair[0], 0.0) + rarity[pair] ** 2
        whole = max(enough, sum(weights[kind] for kind in lengths))
        scale = {kind: sqrt(weights[kind] / whole / length) for kind, length in lengths.items()}
        vectors.append({pair: rarity[pair] * scale[pair[0]] for pair in key})
    return vectors


def _join(vectors: list[Vector], sizes: Sequence[int]) -> list[list[int]]:
    """Average link: the two that are most alike are joined, until none are alike enough."""
    sums = [
        vector if size == 1 else {pair: size * value for pair, value in vector.items()}
        for vector, size in zip(vectors, sizes, strict=True)
    ]
    sizes = list(sizes)
    members = [[one] for one in range(len(vectors))]
    near: list[set[int]] = [set() for _ in vectors]
    heap: list[Edge] = []
    for one, other in _candidates(vectors):
        if (similarity := _dot(vectors[one], vectors[other])) >= LEAST:
            near[one].add(other)
            near[other].add(one)
            heap.append((-similarity, one, other))
    heapify(heap)
    alive = [True] * len(vectors)
    while heap:
        _, one, other = heappop(heap)
        if not (alive[one] and alive[other]):
            continue
        joined = len(members)
        alive[one] = alive[other] = False
        alive.append(True)
        members.append(members[one] + members[other])
        sizes.append(sizes[one] + sizes[other])
        sums.append(_sum((sums[one], sums[other])))
        sums[one], sums[other] = {}, {}
        around = sorted(third for third in near[one] | near[other] if alive[third])
        edges = [
            (similarity, third)
            for third in around
            if (similarity := _dot(sums[joined], sums[third]) / (sizes[joined] * sizes[third]))
            >= LEAST
        ]
        near.append({third for _, third in edges})
        for similarity, third in edges:
            near[third].add(joined)
            heappush(heap, (-similarity, third, joined))
        near[one], near[other] = set(), set()
    return [members[one] for one in range(len(members)) if alive[one]]


def _candidates(vectors: Sequence[Vector]) -> Iterator[tuple[int, int]]:
    postings: dict[tuple[str, str], list[int]] = {}
    for one, vector in enumerate(vectors):
        for pair in vector:
            postings.setdefault(pair, []).append(one)
    found: set[tuple[int, int]] = set()
    for pair, posting in postings.items():
        if len(posting) > _SHORT:
            # Those that share other features too come to stand beside each other.
            found.update(_neighbours(posting, vectors, postings, pair))
    for one, vector in enumerate(vectors):
        shared: dict[int, float] = {}
        for pair, value in vector.items():
            posting = postings[pair]
            if 1 < len(posting) <= _SHORT:
                for other in posting:
                    shared[other] = shared.get(other, 0.0) + value * vectors[other][pair]
        shared.pop(one, None)
        best = nlargest(_CANDIDATES, shared.items(), key=lambda item: (item[1], -item[0]))
        found.update((min(one, other), max(one, other)) for other, _ in best)
    yield from sorted(found)


def _neighbours(
    posting: Sequence[int],
    vectors: Sequence[Vector],
    postings: Mapping[tuple[str, str], Sequence[int]],
    pair: tuple[str, str],
) -> Iterator[tuple[int, int]]:
    def other_features(one: int) -> list[tuple[int, tuple[str, str]]]:
        long = [(len(postings[each]), each) for each in vectors[one] if each != pair]
        return sorted(each for each in long if each[0] > 1)

    ordered = sorted(posting, key=lambda one: (other_features(one), one))
    for at, one in enumerate(ordered):
        for other in ordered[at + 1 : at + 1 + _NEAR]:
            yield min(one, other), max(one, other)


def _dot(one: Vector, other: Vector) -> float:
    if len(one) > len(other):
        one, other = other, one
    get = other.get
    return sum(value * get(pair, 0.0) for pair, value in one.items())


def _sum(vectors: Sequence[Vector]) -> Vector:
    total = dict(vectors[0])
    for vector in vectors[1:]:
        for pair, value in vector.items():
            total[pair] = total.get(pair, 0.0) + value
    return total
