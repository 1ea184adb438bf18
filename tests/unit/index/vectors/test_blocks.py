"""The vote that picks candidates."""

from __future__ import annotations

import random
from array import array

from hypothesis import given, settings
from hypothesis import strategies as st

from engrain.index.vectors.blocks import BLOCK, Signs, choose, find_centre, pack_signs
from engrain.model.note.vectors import dot, pack, pack_unit, unpack

SIZE = 24
ORIGIN = pack([0.0] * SIZE)


def _vectors(count: int, seed: int, shift: float = 0.0) -> list[bytes]:
    chance = random.Random(seed)
    return [pack_unit([chance.gauss(shift, 1) for _ in range(SIZE)]) for _ in range(count)]


def _group(blocks: list[list[bytes]], centre: bytes) -> Signs:
    packed = []
    for number, vectors in enumerate(blocks):
        ids = array("q", range(number * BLOCK, number * BLOCK + len(vectors)))
        packed.append((ids.tobytes(), pack_signs(vectors, centre)))
    return Signs(packed, SIZE)


def _votes_by_hand(vector: bytes, query: bytes, centre: bytes) -> int:
    offsets = [a - c for a, c in zip(unpack(query), unpack(centre), strict=True)]
    mean = sum(map(abs, offsets)) / SIZE
    total = 0
    for offset, value, middle in zip(offsets, unpack(vector), unpack(centre), strict=True):
        level = sum(abs(offset) >= least * mean for least in (0.6, 1.2, 2.4))
        if level and (offset < 0) == (value - middle < 0):
            total += 2 ** (level - 1)
    return total


@settings(max_examples=10)
@given(st.integers(0, 2**32), st.integers(1, 2 * BLOCK), st.booleans())
def test_the_chosen_have_the_most_votes(seed: int, limit: int, centred: bool) -> None:
    vectors = _vectors(2 * BLOCK, seed, shift=0.5)
    centre = find_centre(vectors[:BLOCK]) if centred else ORIGIN
    query = _vectors(1, seed + 1, shift=0.5)[0]
    groups = [_group([vectors[:BLOCK], vectors[BLOCK:]], centre)]
    chosen = choose(groups, query, centre, limit)
    votes = [_votes_by_hand(vector, query, centre) for vector in vectors]
    assert len(set(chosen)) == len(chosen) == limit
    assert sorted((votes[at] for at in chosen), reverse=True) == sorted(votes, reverse=True)[:limit]


def test_how_blocks_are_grouped_does_not_matter() -> None:
    blocks = [_vectors(BLOCK, seed) for seed in (1, 2, 3)]
    query = _vectors(1, 4)[0]
    together = choose([_group(blocks, ORIGIN)], query, ORIGIN, 100)
    alone = []
    for number, vectors in enumerate(blocks):
        group = _group([vectors], ORIGIN)
        group.ids = array("q", [row + number * BLOCK for row in group.ids])
        alone.append(group)
    # They may differ in which of equals they take.
    flat = [vector for block in blocks for vector in block]
    apart = choose(alone, query, ORIGIN, 100)
    assert sorted(_votes_by_hand(flat[row], query, ORIGIN) for row in together) == sorted(
        _votes_by_hand(flat[row], query, ORIGIN) for row in apart
    )


def test_all_are_chosen_where_there_are_no_more() -> None:
    group = _group([_vectors(BLOCK, 1)], ORIGIN)
    query = _vectors(1, 2)[0]
    assert sorted(choose([group], query, ORIGIN, 10**6)) == list(range(BLOCK))
    assert choose([], query, ORIGIN, 10) == []


def test_the_nearest_are_among_the_chosen_though_all_lie_on_one_side_of_zero() -> None:
    vectors = _vectors(2 * BLOCK, 5, shift=3.0)
    centre = find_centre(vectors[:BLOCK])
    group = _group([vectors[:BLOCK], vectors[BLOCK:]], centre)
    found = 0
    for query in _vectors(10, 6, shift=3.0):
        nearest = sorted(range(2 * BLOCK), key=lambda at: -dot(vectors[at], query))[:10]
        found += len(set(choose([group], query, centre, 512)).intersection(nearest))
    assert found >= 90
