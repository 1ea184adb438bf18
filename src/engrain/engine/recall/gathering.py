"""Gathers candidates: the passages that the channels of a profile find for a query."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, TypeAlias

from engrain.engine.recall.crediting import credit_codes, credit_time, credit_titles
from engrain.engine.recall.meaning import VECTOR_CHANNELS, Distant
from engrain.engine.recall.rejection import (
    LOOKED_AT,
    THRESHOLD,
    Candidates,
    lend_scores,
    lent_to,
    read_signals,
    rise_beyond,
    silence_key,
    stand_out,
    weigh_occurrences,
    weigh_signals,
    weigh_words,
)
from engrain.index.rows import Keyed, Matches, Place
from engrain.index.view import IndexView
from engrain.language.text.instants import from_local, to_local
from engrain.language.text.periods import overlap
from engrain.model.note.tiers import ENTITY
from engrain.seam.rows import CHAIN, LINKED, SOURCE, Edge

if TYPE_CHECKING:
    from engrain.engine.recall.meaning import Meaning, Query
    from engrain.engine.recall.profiles import Profile
    from engrain.engine.recall.rejection import Evidence
    from engrain.seam.rows import Filter


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


Channel: TypeAlias = "Callable[[IndexView, Query, Filter], list[tuple[Place, float]]]"
"""A function that finds passages other than by words and vectors, with scores from 0 to 1."""

STEP = 0.25
"""The least score of `beyond`, to which `rejection.rise_beyond` is added."""

MOST_POSTINGS = 300
"""The most passages that are examined for the words of a query, those with the rarest first."""
FEW_POSTINGS = 1500
"""The number of occurrences up to which all passages of a query's words are examined."""
LOCATED = 3000
"""The number of occurrences, of the rarest words first, whose positions are looked up."""
MOST_POSTINGS_OF_ALL = 1000
"""`MOST_POSTINGS` for a search of several collections at once, so that each gets its share."""
MOST_CANDIDATES = 150
"""The most passages that one channel brings."""
FEW_DISTANT = 200
"""The most passages that only vectors found which are all compared; of more, see `Distant`."""
MEANT = 0.75
"""What nearness by meaning adds at most to the sum that is compared with the threshold."""
TOLD_WITHIN = 7 * 86_400.0
"""Seconds after a period within which people still write about it."""
AFTERWARDS = 0.9
"""The score of an entry from these seconds, if one from the period itself has 1."""
_SAMPLE = 32
"""The size of the two samples that show whether a model has vectors of most passages."""
MOST_TAGGED = 20
"""The most entries found by query words that happen to be tags."""
MOST_LINKS = 200
"""The most links that are read from one entry."""
MOST_NAMED = 20
"""The most entries that may share a name; a name of more entries finds none of them."""


class Words:
    """The matches of a query's words in entries of several kinds, which are searched only once: a
    search for each kind would cost as much as a whole recall."""

    __slots__ = ("_kinds", "_matches")

    def __init__(self, view: IndexView, query: Query, only: Filter, kinds: Sequence[str]) -> None:
        only = replace(only, kinds=kinds) if kinds else only
        self._matches = view.match(query.head, only, MOST_POSTINGS_OF_ALL, FEW_POSTINGS)
        numbers = {met[1] for met in self._matches.met}
        self._kinds = {number: row.kind for number, row in view.rows(list(numbers)).items()}

    def within(self, kinds: Collection[str]) -> Matches:
        """Return the matches in entries of some kinds."""
        found = self._matches
        inside = {number for number, kind in self._kinds.items() if kind in kinds}
        return type(found)(
            found.words,
            [met for met in found.met if met[1] in inside],
            found.frequencies,
            found.surprises,
            found.passages,
            found.foreign,
        )


def gather(
    view: IndexView,
    query: Query,
    only: Filter,
    profile: Profile,
    meaning: Meaning,
    matches: Matches | None = None,
    *,
    whole: bool = True,
    asked: bool = False,
) -> Candidates:
    """Return the candidates of every channel of the profile. `matches` are those of the query's
    words, if they are known already. Without `whole` the entries may be left for the ranking to
    load. `asked` says that somebody asked, and not a hook."""
    weights = profile.weights
    matches = matches or view.match(query.head, only, MOST_POSTINGS, FEW_POSTINGS)
    evidence = weigh_words(matches)
    speakers = view.speakers([name.casefold() for name in query.names])
    words = list(zip(matches.words, matches.frequencies, strict=True))
    candidates = Candidates(words, evidence, speakers, THRESHOLD)
    candidates.covering = bool(profile.collections)
    candidates.asked = asked
    places = candidates.places
    context: dict[int, float] = {}
    if weights.get("text"):
        places.update(_best_by_words(view, evidence, words, only, weights.get("context", 0.0)))
        credit_codes(evidence, query, words)
        credit_titles(evidence, view.named(query.titles, only, MOST_NAMED) if query.titles else ())
        context = _lend_context(evidence, places, weights)
    near: dict[int, Keyed] = {}
    if _asks_vectors(view, query, only, profile, candidates, meaning):
        near = _nearest_by_vectors(
            view, query, only, meaning, speakers, list(places), foreign=matches.foreign
        )
    others = set(places)
    places.update(near)
    brought = _ask_channels(view, query, only, weights, places)
    _read_calibration(view, candidates, meaning)
    silent = profile.reject and not brought.get("id") and _is_hopeless(candidates, meaning)
    if weights.get("graph") and not silent:
        worth = _worth(places, evidence, {**brought, "context": context}, weights)
        brought["graph"] = _walk_links(view, only, query.now, candidates, worth)
    others.update(evidence.own, *brought.values())
    alone = [place for passage, place in near.items() if passage not in others]
    whole = bool(whole or query.periods)
    compared = _load(view, candidates, alone, meaning, profile, whole=whole)
    period = _in_period(candidates, query)
    credit_time(candidates, query, period)
    candidates.scores = {
        **brought,
        "text": {p: evidence.own[p] for p in places if p in evidence.own},
        "context": context,
        "speaker": dict.fromkeys(view.spoken(compared, speakers), 1.0) if speakers else {},
        "period": period,
    }
    _compare_vectors(candidates, meaning)
    return candidates


def _load(
    view: IndexView,
    candidates: Candidates,
    alone: Sequence[Keyed],
    meaning: Meaning,
    profile: Profile,
    *,
    whole: bool,
) -> list[int]:
    """Load what has to be known before the ranking, and return the passages that are not distant.
    Those that vectors alone found are distant if they are many, unless all have to be known."""
    places = candidates.places
    far = len(alone) > FEW_DISTANT and not meaning.judge
    if far and not whole:
        distant = Distant(alone, meaning, candidates.speakers, profile.weights)
        compared = [passage for passage in places if passage not in distant.most]
        candidates.found.update(view.details(compared))
        candidates.distant = distant
        return compared
    candidates.whole = bool(whole or meaning.model)
    if candidates.whole:
        entries = {place[1] for place in places.values()}
        candidates.load(view, entries, alone=not meaning.model)
    return list(places)


def _ask_channels(
    view: IndexView,
    query: Query,
    only: Filter,
    weights: Mapping[str, float],
    places: dict[int, Place],
) -> dict[str, dict[int, float]]:
    """Return the scores of each of `CHANNELS` with a weight, and add its passages to `places`."""
    brought: dict[str, dict[int, float]] = {}
    for name, channel in CHANNELS.items():
        if weights.get(name):
            scored = channel(view, query, only)
            brought[name] = {place[0]: score for place, score in scored}
            places.update((place[0], place) for place, _ in scored)
    return brought


def _compare_vectors(candidates: Candidates, meaning: Meaning) -> None:
    """Add the scores of the channels of vectors; these are empty if no vectors take part."""
    candidates.cosines = meaning.compare(candidates.found.values())
    candidates.crowd = meaning.crowd
    for name, cosines in zip(VECTOR_CHANNELS, candidates.cosines, strict=True):
        candidates.scores[name] = meaning.calibrate(cosines)
    candidates.scores["beyond"] = _beyond(candidates) if candidates.cosines[0] else {}


def _lend_context(
    evidence: Evidence, places: Mapping[int, Place], weights: Mapping[str, float]
) -> dict[int, float]:
    """Return the scores that passages get from neighbours in threads (`evidence.lend_scores`),
    none if the profile gives `context` no weight."""
    lent = lend_scores(evidence) if weights.get("context") else {}
    return {p: score for p in places if (score := lent_to(places[p], lent))} if lent else {}


def _walk_links(
    view: IndexView, only: Filter, now: float, candidates: Candidates, worth: Mapping[int, float]
) -> dict[int, float]:
    """Return the scores that passages get through links, and add the passages to the candidates."""
    at = now if only.held_at is None else only.held_at
    places, evidence = candidates.places, candidates.evidence
    scored = bring_neighbours(view, only, at, places, worth, evidence)
    places.update((place[0], place) for place, _ in scored)
    candidates.links = _read_links(view, evidence)
    return {place[0]: score for place, score in scored}


def _asks_vectors(
    view: IndexView,
    query: Query,
    only: Filter,
    profile: Profile,
    candidates: Candidates,
    meaning: Meaning,
) -> bool:
    """Whether to use vectors: there are some, and the words do not already rule out an answer."""
    if not any(map(profile.weights.get, VECTOR_CHANNELS)) or not meaning.possible:
        return False
    if not profile.reject or not meaning.orders_only:
        return True
    threshold = view.figure(silence_key("") + "threshold") or THRESHOLD
    enough = weigh_signals(read_signals(candidates)) >= threshold - MEANT
    return enough or bool(_by_id(view, query, only))


def _beyond(candidates: Candidates) -> dict[int, float]:
    """Return the scores of passages that are nearer than foreign prompts come to this vault; none
    if the words alone are enough to answer, since they rank better."""
    words = {
        name: value for name, value in read_signals(candidates).items() if name != "similarity"
    }
    if weigh_signals(words) >= candidates.threshold:
        return {}
    crowd, bar = candidates.crowd, candidates.bar
    rises = {p: rise_beyond(stand_out(c, crowd), bar) for p, c in candidates.cosines[0].items()}
    return {passage: STEP + rise for passage, rise in rises.items() if rise}


def _nearest_by_vectors(
    view: IndexView,
    query: Query,
    only: Filter,
    meaning: Meaning,
    speakers: Sequence[str],
    known: Sequence[int],
    *,
    foreign: bool,
) -> dict[int, Keyed]:
    """Return the passages with the nearest vectors. Some of the `known` passages and the newest
    ones show which model has vectors of most."""
    sample = [*known[:_SAMPLE], *view.newest_passages(None, _SAMPLE)]
    meaning.ask(query, speakers, view.details(sample).values())
    if foreign:
        meaning.leave_english()
    nearest = meaning.nearest(MOST_CANDIDATES)
    return {place[0]: place for place in view.with_keys(nearest, only)}


def _read_calibration(view: IndexView, candidates: Candidates, meaning: Meaning) -> None:
    """Put the calibration of the vault into the candidates: that for these vectors, else that for
    recalls without vectors."""
    candidates.judging = bool(meaning.judge)
    for model in dict.fromkeys((meaning.judge, "")):
        key = silence_key(model)
        threshold = view.figure(key + "threshold")
        if threshold:
            candidates.threshold = threshold
            if model:
                usual, high = view.figure(key + "usual"), view.figure(key + "high")
                candidates.bar = (usual, high) if usual and high else None
            return


def _is_hopeless(candidates: Candidates, meaning: Meaning) -> bool:
    """Whether links can't lead to an answer either: no vectors decide, and no passage's words reach
    the threshold even if its entry is trusted."""
    signals = {} if meaning.judge else read_signals(candidates)
    return bool(signals) and weigh_signals(signals) < candidates.threshold


def _worth(
    places: Mapping[int, Place],
    evidence: Evidence,
    brought: Mapping[str, Mapping[int, float]],
    weights: Mapping[str, float],
) -> dict[int, float]:
    """Return for each passage the weighted sum of its scores in `brought` and by its own words."""
    more: dict[int, float] = {}
    for name, scores in brought.items():
        weight = weights[name]
        for passage, score in scores.items():
            more[passage] = more.get(passage, 0.0) + weight * score
    said, text = evidence.own, weights.get("text", 0.0)
    return {p: text * said.get(p, 0.0) + more.get(p, 0.0) for p in places}


def _best_by_words(
    view: IndexView,
    evidence: Evidence,
    words: Sequence[tuple[str, int]],
    only: Filter,
    context: float,
) -> dict[int, Place]:
    """Return the best passages by words, including those found through their neighbours. The best
    are scored again by how often and where their rarer words occur, within `LOCATED`."""
    places = evidence.places
    lent = lend_scores(evidence) if context and evidence.threaded else {}
    worth = dict(evidence.own)
    for met in evidence.threaded:
        worth[met[0]] += context * lent_to(met, lent)
    best = sorted(worth, key=worth.__getitem__, reverse=True)[:MOST_CANDIDATES]
    telling, left = [], LOCATED  # a word costs as much as it has passages
    for i, (_, count) in sorted(enumerate(words), key=lambda item: item[1][1]):
        left -= count
        if count and left >= 0:
            telling.append(i)
    telling.sort()
    weigh_occurrences(evidence, telling, view.occurrences([words[i][0] for i in telling], best))
    found: dict[int, Place] = {passage: places[passage] for passage in best}
    here = {met[2:4] for met in evidence.threaded}
    most = sorted(lent, key=lent.__getitem__, reverse=True)[:MOST_CANDIDATES]
    if silent := [at for at in most if at not in here]:
        found.update((place[0], place) for place in view.at_places(silent, only))
    return found


def _read_links(view: IndexView, evidence: Evidence) -> dict[int, set[int]]:
    """Return for the entries of the best passages the entries that they link to."""
    links: dict[int, set[int]] = {}
    entries = dict.fromkeys(evidence.places[passage][1] for passage in evidence.best(LOOKED_AT))
    for edge in view.edges_from(list(entries), MOST_LINKS):
        if edge.origin in LINKED:
            links.setdefault(edge.source, set()).add(edge.target)
    return links


def _in_period(candidates: Candidates, query: Query) -> dict[int, float]:
    """Return a score of 1 for passages of entries from a period that the query names, `AFTERWARDS`
    for those from within `TOLD_WITHIN` after it."""
    if not query.periods:
        return {}
    moments = {
        # An entity is not an event: the date of its first fact says little about the other facts.
        number: row.created if row.valid_from is None or row.kind == ENTITY else row.valid_from
        for number, row in candidates.rows.items()
    }
    scores = {}
    for passage, found in candidates.found.items():
        at = moments.get(found.entry)
        shown = None if at is None else to_local(at)
        if shown is None:
            continue
        if any(overlap(period, shown) for period in query.periods):
            scores[passage] = 1.0
        elif any(overlap(period, shown - TOLD_WITHIN) for period in query.periods):
            scores[passage] = AFTERWARDS
    return scores


def _by_id(view: IndexView, query: Query, only: Filter) -> list[tuple[Place, float]]:
    asked = [*query.ids, *query.links]
    return [(place, 1.0) for place in view.named(asked, only, MOST_NAMED)] if asked else []


def _by_name(view: IndexView, query: Query, only: Filter) -> list[tuple[Place, float]]:
    return [(place, 1.0) for place in view.named(query.names, only, MOST_NAMED)]


def _by_tag(view: IndexView, query: Query, only: Filter) -> list[tuple[Place, float]]:
    words = query.tags or [name for name in query.names if " " not in name]
    tags = dict.fromkeys(words)
    # A #tag was asked for; a word that happens to be a tag says little.
    found = view.tagged(list(tags), only, MOST_CANDIDATES if query.tags else MOST_TAGGED)
    return [(place, 1.0) for place in found]


def _by_period(view: IndexView, query: Query, only: Filter) -> list[tuple[Place, float]]:
    """Return entries created in a period that the query names, the newest first."""
    found: list[tuple[Place, float]] = []
    if not query.periods:
        return found
    for period in query.periods:
        inside = replace(only, since=from_local(period.start), until=from_local(period.end))
        found += [(place, 1.0) for place in view.newest(inside, MOST_NAMED)]
    return found


def _by_recency(view: IndexView, _: Query, only: Filter) -> list[tuple[Place, float]]:
    newest = view.newest(only, MOST_NAMED)
    return [(place, 1 - rank / len(newest)) for rank, place in enumerate(newest)]


CHANNELS: dict[str, Channel] = {
    "id": _by_id,
    "name": _by_name,
    "tag": _by_tag,
    "period": _by_period,
    "recency": _by_recency,
}
"""Channels by name, each used if the profile gives it a weight; `graph` runs after all of them."""
