"""Implements the recall channel `graph`, which finds entries linked with those that the other
channels found (S1.21, S3.5).

Activation spreads from the best entries along the edges of the graph. Linked entries lend each
other words of the query, as neighbours in a thread do. The channel finds nothing if the others
found nothing, and does not affect relevance.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import TYPE_CHECKING, TypeAlias

from engrain.seam.graph import CHAIN, SOURCE

if TYPE_CHECKING:
    from engrain.engine.recall.evidence import Evidence
    from engrain.seam.graph import Edge
    from engrain.seam.rows import Filter
    from engrain.seam.view import IndexView, Place


Roads: TypeAlias = "Mapping[int, Mapping[int, float]]"
"""For each entry its neighbours, with the worth of the best edge between the two."""
Admit: TypeAlias = "Callable[[Sequence[int]], Collection[int]]"
"""A function that returns those of some entries that the walk may enter."""

HOPS = 3
FAN_OUT = 48
"""The most neighbours, in both directions together, of an entry that is not a hub."""
FRONT = 24
"""The number of most activated entries that a hop starts from."""
ARRIVING = 96
"""The number of most activated entries that a hop may reach."""
MOST_EDGES = HOPS * FRONT * 2 * (FAN_OUT + 1)
DAMPING = 0.85
"""The share of an entry's activation that passes on to its neighbours."""
SHARING = 0.5
"""The power of the number of neighbours by which that share is divided: at 1, each of ten
neighbours gets a tenth of it, at 0 all of it."""
BACKWARD = 0.5
"""The factor for an edge against its direction: an entry with a link names the other one, so that
words find it too."""
_DIGITS = 9
"""The digits of activation that count; the rest depends on the order of summation."""

BY_ORIGIN: dict[str, float] = {CHAIN: 0.2, SOURCE: 0.3}
"""The worth of an edge by where it is written, 1 elsewhere. A predecessor says the same in other
words, and a source is known from what was derived from it."""
BY_RELATION: dict[str, float] = {
    "contradicts": 0.0,
    "derived_from": 0.3,
    "supersedes": 0.2,
    "superseded_by": 0.2,
}
"""The worth of an edge by its relation, else 1. Entries that contradict a result are shown with it
in any case."""


SEEDS = 12
"""The number of best entries from which a walk starts."""
SHARPNESS = 4
"""The power of a seed's share of the best worth that is its first activation: slightly weaker
entries are mostly others of the same kind."""
MOST_WALKED = 50
"""The most entries that a walk brings."""
_LEAST_ASKED = 1.0
"""The least worth of a query's words, in unique words: a query that is only an id has none."""


def bring_neighbours(
    view: IndexView,
    only: Filter,
    at: float,
    places: Mapping[int, Place],
    worth: Mapping[int, float],
    evidence: Evidence,
) -> list[tuple[Place, float]]:
    """Return passages of the entries linked with the best ones, with the score lent to them, in
    unique words: an entry's passages in `places`, or else its first one. Only edges that hold at
    the moment `at` and entries that pass the filter count."""
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


def walk(view: IndexView, seeds: Mapping[int, float], admit: Admit, at: float) -> dict[int, float]:
    """Return for every entry reached from the `seeds`, whose activation is at most 1, how near it
    is, from 0 to 1. Seeds are included if others lead to them. The walk follows edges that hold at
    the moment `at`, and enters only entries that `admit` returns (spreading activation, Collins and
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
    """Return the entries with the most activation, at most `most`. If several tie for the last
    places, none of them is taken, since the choice would be arbitrary."""
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


def _read_roads(view: IndexView, entries: Sequence[int], at: float) -> Roads:
    """Return the roads of some entries, without those of hubs."""
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
