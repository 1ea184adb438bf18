"""The channel `graph`: what stands near what the other channels found (S1.21, S3.5).

It starts from the entries for which words, names and ids speak most, and brings what a walk from
them reaches. It finds nothing where nothing else did, and it is no sign that anything is relevant.
"""

from __future__ import annotations

from engrain.engine.recall.walking import choose_most, walk

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from engrain.seam.rows import Filter
    from engrain.seam.view import IndexView, Place

SEEDS = 10
"""Entries from which a walk starts."""
MOST_WALKED = 50
"""Entries that it brings."""


def bring_neighbours(
    view: IndexView,
    only: Filter,
    at: float,
    places: Mapping[int, Place],
    worth: Mapping[int, float],
) -> list[tuple[Place, float]]:
    """Passages of the entries near those whose passages are worth most, with a score from 0 to 1:
    those of `places` where an entry has some there, else its first. Edges count that hold `at` a
    moment, and entries that pass the filter."""
    found: dict[int, list[Place]] = {}
    most: dict[int, float] = {}
    for passage, place in places.items():
        found.setdefault(place[1], []).append(place)
        most[place[1]] = max(worth.get(passage, 0.0), most.get(place[1], 0.0))
    best = max(most.values(), default=0.0)
    if not best:
        return []
    firsts: dict[int, Place] = {}

    def admit(entries: Sequence[int]) -> list[int]:
        unknown = [entry for entry in entries if entry not in found and entry not in firsts]
        if unknown:
            firsts.update((place[1], place) for place in view.firsts(unknown, only))
        return [entry for entry in entries if entry in found or entry in firsts]

    seeds = {entry: most[entry] / best for entry in choose_most(most, SEEDS) if most[entry]}
    reached = walk(view, seeds, admit, at)
    return [
        (place, reached[entry])
        for entry in choose_most(reached, MOST_WALKED)
        for place in found.get(entry) or [firsts[entry]]
    ]
