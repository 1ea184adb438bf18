"""The recall channel `graph`: entries near those that the other channels found (S1.21, S3.5).

Activation spreads from the entries with most evidence along the edges of the graph. Linked entries
lend each other words of the query, as neighbours in a thread do. The channel finds nothing where
the others found nothing, and says nothing about relevance.
"""

from __future__ import annotations

from engrain.seam.graph import CHAIN, SOURCE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping, Sequence
    from typing import TypeAlias

    from engrain.engine.recall.evidence import Evidence
    from engrain.seam.graph import Edge, GraphView
    from engrain.seam.rows import Filter
    from engrain.seam.view import IndexView, Place

Roads: TypeAlias = "Mapping[int, Mapping[int, float]]"
"""By entry its neighbours, with what the best edge between the two is worth."""
Admit: TypeAlias = "Callable[[Sequence[int]], Collection[int]]"
"""Which of some entries the walk may enter."""

HOPS = 3
FAN_OUT = 48
"""Neighbours, in either direction, beyond which an entry is a hub."""
FRONT = 24
"""Entries from which a hop goes on, those with the most activation."""
ARRIVING = 96
"""Entries that a hop reaches, those with the most activation."""
MOST_EDGES = HOPS * FRONT * 2 * (FAN_OUT + 1)
DAMPING = 0.85
"""What of an entry's activation goes on to its neighbours."""
SHARING = 0.5
"""The power of the number of neighbours by which that is divided: at 1 a neighbour among ten gets
a tenth, at 0 all of it."""
BACKWARD = 0.5
"""What an edge is worth against its direction: who links to an entry names it, so that words find
it too."""
_DIGITS = 9
"""Digits of activation that count: what follows is the order in which it was added up."""

BY_ORIGIN: dict[str, float] = {CHAIN: 0.2, SOURCE: 0.3}
"""What an edge is worth by where it stands; 1 elsewhere. A predecessor says the same in other
words, and a source is known by what was derived from it."""
BY_RELATION: dict[str, float] = {
    "contradicts": 0.0,
    "derived_from": 0.3,
    "supersedes": 0.2,
    "superseded_by": 0.2,
}
"""The same by relation; what contradicts a result is shown beside it."""


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
    """Passages of the entries near the strongest ones, with what is lent to them in unique words:
    those of `places` where an entry has some there, else its first. Edges count that hold `at` a
    moment, and entries that pass the filter."""
    most: dict[int, float] = {}
    for passage, place in places.items():
        most[place[1]] = max(worth.get(passage, 0.0), most.get(place[1], 0.0))
    best = max(most.values(), default=0.0)
    if not best:
        return []
    firsts: dict[int, Place] = {}

    def admit(entries: Sequence[int]) -> list[int]:
        unknown = [entry for entry in entries if entry not in most and entry not in firsts]
        if unknown:
            firsts.update((place[1], place) for place in view.firsts(unknown, only))
        return [entry for entry in entries if entry in most or entry in firsts]

    seeds = {entry: (most[entry] / best) ** SHARPNESS for entry in choose_most(most, SEEDS)}
    if not (reached := walk(view, seeds, admit, at)):
        return []
    found: dict[int, list[Place]] = {}
    own: dict[int, float] = {}
    for passage, place in places.items():
        entry = place[1]
        found.setdefault(entry, []).append(place)
        own[entry] = max(evidence.own.get(passage, 0.0), own.get(entry, 0.0))
    asked = max(evidence.known, _LEAST_ASKED)
    lent = {entry: near * max(0.0, asked - own.get(entry, 0.0)) for entry, near in reached.items()}
    return [
        (place, lent[entry])
        for entry in choose_most(lent, MOST_WALKED)
        for place in found.get(entry) or [firsts[entry]]
    ]


def walk(view: GraphView, seeds: Mapping[int, float], admit: Admit, at: float) -> dict[int, float]:
    """How near entries are to some `seeds`, which have an activation of at most 1 each: from 0 to 1
    for every entry reached, seeds included where others lead to them. Follows edges that hold `at`
    that moment, and only through entries that `admit` lets in (spreading activation, Collins and
    Loftus, 1975)."""
    reached: dict[int, float] = {}
    roads: dict[int, Mapping[int, float]] = {}
    front = dict(seeds)
    for _ in range(HOPS):
        leaving = choose_most(front, FRONT)
        new = [entry for entry in leaving if entry not in roads]
        roads.update(_read_roads(view, new, at))
        arrived = _spread(front, leaving, roads)
        if not arrived:
            break
        entered = admit(choose_most(arrived, ARRIVING))
        front = {entry: arrived[entry] for entry in sorted(entered)}
        for entry, activation in front.items():
            reached[entry] = reached.get(entry, 0.0) + activation
    return {entry: min(1.0, round(got, _DIGITS)) for entry, got in reached.items()}


def choose_most(activations: Mapping[int, float], most: int) -> list[int]:
    """The entries with the most activation, at most `most`. Of several that tie for the last places
    none is taken, since the choice would be chance."""
    least = sorted(activations.values(), reverse=True)[most : most + 1] or [0.0]
    among = [entry for entry, activation in activations.items() if activation >= least[0]]
    ordered = sorted(among, key=lambda entry: (-activations[entry], entry))
    if len(ordered) <= most:
        return ordered
    first_out = round(activations[ordered[most]], _DIGITS)
    return [entry for entry in ordered[:most] if round(activations[entry], _DIGITS) > first_out]


def _spread(front: Mapping[int, float], leaving: Sequence[int], roads: Roads) -> dict[int, float]:
    """Return the activation that each neighbour gets from the entries in `leaving`."""
    arrived: dict[int, float] = {}
    for entry in leaving:
        neighbours = roads[entry]
        if not neighbours:
            continue
        share = DAMPING * front[entry] / len(neighbours) ** SHARING
        for neighbour, worth in neighbours.items():
            arrived[neighbour] = arrived.get(neighbour, 0.0) + share * worth
    return arrived


def _read_roads(view: GraphView, entries: Sequence[int], at: float) -> Roads:
    """The roads from some entries; from a hub none."""
    roads: dict[int, dict[int, float]] = {entry: {} for entry in entries}
    if entries:
        most = FAN_OUT + 1
        for edge in view.edges_from(entries, most):
            _pave(roads[edge.source], edge.target, edge, 1.0, at)
        for edge in view.edges_to(entries, most):
            _pave(roads[edge.target], edge.source, edge, BACKWARD, at)
    return {entry: ways if len(ways) <= FAN_OUT else {} for entry, ways in roads.items()}


def _pave(ways: dict[int, float], neighbour: int, edge: Edge, direction: float, at: float) -> None:
    worth = min(BY_ORIGIN.get(edge.origin, 1.0), BY_RELATION.get(edge.relation, 1.0)) * direction
    if worth and edge.holds(at):
        ways[neighbour] = max(worth, ways.get(neighbour, 0.0))
