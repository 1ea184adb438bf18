"""The channel `graph`: what stands near what the other channels found (S1.21, S3.5).

It starts from the entries for which words, names and ids speak most, and brings what a walk from
them reaches. As neighbours in a thread do, linked entries lend each other words: an entry is spoken
for by those of the query that it lacks, as far as it is near to who has them. It finds nothing
where nothing else did, and says nothing of whether anything is relevant.
"""

from __future__ import annotations

from engrain.engine.recall.walking import choose_most, walk

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from engrain.engine.recall.evidence import Evidence
    from engrain.seam.rows import Filter
    from engrain.seam.view import IndexView, Place

SEEDS = 12
"""Entries from which a walk starts."""
SHARPNESS = 4
"""The power of a seed's part of the best one's worth by which it starts: those that are a little
weaker are mostly others of the same kind."""
MOST_WALKED = 50
"""Entries that a walk brings."""
_LEAST_ASKED = 1.0
"""Unique words' worth that a query asks at least: one that is an id alone has none."""


def bring_neighbours(
    view: IndexView,
    only: Filter,
    at: float,
    places: Mapping[int, Place],
    worth: Mapping[int, float],
    evidence: Evidence,
) -> list[tuple[Place, float]]:
    """Passages of the entries near those whose passages are worth most, with what is lent to them,
    in unique words: those of `places` where an entry has some there, else its first. Edges count
    that hold `at` a moment, and entries that pass the filter."""
    found: dict[int, list[Place]] = {}
    most: dict[int, float] = {}
    own: dict[int, float] = {}
    for passage, place in places.items():
        entry = place[1]
        found.setdefault(entry, []).append(place)
        most[entry] = max(worth.get(passage, 0.0), most.get(entry, 0.0))
        own[entry] = max(evidence.own.get(passage, 0.0), own.get(entry, 0.0))
    best = max(most.values(), default=0.0)
    if not best:
        return []
    firsts: dict[int, Place] = {}

    def admit(entries: Sequence[int]) -> list[int]:
        unknown = [entry for entry in entries if entry not in found and entry not in firsts]
        if unknown:
            firsts.update((place[1], place) for place in view.firsts(unknown, only))
        return [entry for entry in entries if entry in found or entry in firsts]

    seeds = {entry: (most[entry] / best) ** SHARPNESS for entry in choose_most(most, SEEDS)}
    asked = max(evidence.known, _LEAST_ASKED)
    lent = {
        entry: near * max(0.0, asked - own.get(entry, 0.0))
        for entry, near in walk(view, seeds, admit, at).items()
    }
    return [
        (place, lent[entry])
        for entry in choose_most(lent, MOST_WALKED)
        for place in found.get(entry) or [firsts[entry]]
    ]
