"""Gathering: every channel of a profile is asked for the passages that it brings."""

from __future__ import annotations

from engrain.engine.recall.evidence import (
    LOOKED_AT,
    Candidates,
    lend_scores,
    lent_to,
    weigh_occurrences,
    weigh_words,
)
from engrain.engine.recall.rejection import (
    THRESHOLD,
    read_signals,
    rise_beyond,
    silence_key,
    stand_out,
    weigh_signals,
)
from engrain.seam.graph import LINKED

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping, Sequence
    from typing import TypeAlias

    from engrain.engine.recall.evidence import Evidence
    from engrain.engine.recall.meaning import Meaning
    from engrain.engine.recall.profiles import Profile
    from engrain.engine.recall.query import Query
    from engrain.seam.rows import Filter
    from engrain.seam.view import IndexView, Matches, Place

Channel: TypeAlias = "Callable[[IndexView, Query, Filter], list[tuple[Place, float]]]"
"""A way to find passages besides words and vectors: passages with a score from 0 to 1."""

VECTOR_CHANNELS = ("meaning", "surroundings")

STEP = 0.25
"""What it counts that a passage is beyond foreign prompts at all; see `rejection.rise_beyond`."""

MOST_POSTINGS = 300
"""Passages looked at for the words of a query, those with the rarest first."""
FEW_POSTINGS = 1500
"""Occurrences up to which all passages of a query's words are looked at."""
LOCATED = 3000
"""Occurrences of words, the rarest first, whose places in the text are looked up."""
MOST_POSTINGS_OF_ALL = 1000
"""The same where several kinds are asked at once, each of which shall have its share."""
MOST_CANDIDATES = 150
"""Passages that one channel brings."""
TOLD_WITHIN = 7 * 86_400.0
"""Seconds after a period within which one still writes about it."""
_ENTITY = "entity"
_SAMPLE = 32
"""Passages by which to decide whether a model has vectors of most."""
MOST_TAGGED = 20
"""Entries that words bring which happen to be tags."""
MOST_LINKS = 200
"""Links that are read of one entry."""
MOST_NAMED = 20
"""A name that more entries than these go by names none of them."""


class Words:
    """Where the words of a query occur in entries of all of some kinds, asked once: for each kind
    anew it would cost the index as much as a whole recall."""

    __slots__ = ("_kinds", "_matches")

    def __init__(self, view: IndexView, query: Query, only: Filter, kinds: Sequence[str]) -> None:
        only = only.replace(kinds=kinds) if kinds else only
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
) -> Candidates:
    """Ask every channel of the profile; `matches` are those of the query's words, where they were
    asked for already. What is found is loaded, but that may be left to who ranks, if it need not
    be `whole`."""
    weights = profile.weights
    matches = matches or view.match(query.head, only, MOST_POSTINGS, FEW_POSTINGS)
    evidence = weigh_words(matches)
    speakers = view.speakers([name.casefold() for name in query.names])
    words = list(zip(matches.words, matches.frequencies, strict=True))
    candidates = Candidates(words, evidence, speakers, THRESHOLD)
    places = candidates.places
    context: dict[int, float] = {}
    if weights.get("text"):
        places.update(_best_by_words(view, evidence, words, only, weights.get("context", 0.0)))
        context = _lend_context(evidence, places, weights)
    if _asks_vectors(view, query, only, profile, candidates, meaning):
        places.update(_nearest_by_vectors(view, query, only, meaning, speakers, list(places)))
    brought = _ask_channels(view, query, only, weights, places)
    _read_calibration(view, candidates, meaning)
    silent = profile.reject and not brought.get("id") and _is_hopeless(candidates, meaning)
    if weights.get("graph") and not silent:
        worth = _worth(places, evidence, {**brought, "context": context}, weights)
        brought["graph"] = _walk_links(view, only, query.now, candidates, worth)
    candidates.whole = bool(whole or query.periods or meaning.model)
    if candidates.whole:
        entries = {place[1] for place in places.values()}
        candidates.load(view, entries, alone=not meaning.model)
    candidates.scores = {
        **brought,
        "text": {p: evidence.own[p] for p in places if p in evidence.own},
        "context": context,
        "speaker": dict.fromkeys(view.spoken(list(places), speakers), 1.0) if speakers else {},
        "period": _in_period(candidates, query),
    }
    _compare_vectors(candidates, meaning)
    return candidates


def _ask_channels(
    view: IndexView,
    query: Query,
    only: Filter,
    weights: Mapping[str, float],
    places: dict[int, Place],
) -> dict[str, dict[int, float]]:
    """The scores of each of `CHANNELS` that counts; its passages are added to `places`."""
    brought: dict[str, dict[int, float]] = {}
    for name, channel in CHANNELS.items():
        if weights.get(name):
            scored = channel(view, query, only)
            brought[name] = {place[0]: score for place, score in scored}
            places.update((place[0], place) for place, _ in scored)
    return brought


def _compare_vectors(candidates: Candidates, meaning: Meaning) -> None:
    """Score what was found by its vectors, where any are asked."""
    candidates.cosines = meaning.compare(candidates.found.values())
    candidates.crowd = meaning.crowd
    for name, cosines in zip(VECTOR_CHANNELS, candidates.cosines, strict=True):
        candidates.scores[name] = meaning.calibrate(cosines)
    candidates.scores["beyond"] = _beyond(candidates) if candidates.cosines[0] else {}


def _lend_context(
    evidence: Evidence, places: Mapping[int, Place], weights: Mapping[str, float]
) -> dict[int, float]:
    """Scores that passages get from their neighbours in threads (`evidence.lend_scores`); none
    where the profile gives them no weight."""
    lent = lend_scores(evidence) if weights.get("context") else {}
    return {p: score for p in places if (score := lent_to(places[p], lent))} if lent else {}


def _walk_links(
    view: IndexView, only: Filter, now: float, candidates: Candidates, worth: Mapping[int, float]
) -> dict[int, float]:
    """Scores that passages get over links; the passages are added to the candidates."""
    from engrain.engine.recall.association import bring_neighbours

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
    """Whether there are vectors to ask, and the words do not say already that nothing fits."""
    if not any(map(profile.weights.get, VECTOR_CHANNELS)) or not meaning.possible:
        return False
    if not profile.reject or not meaning.orders_only:
        return True
    threshold = view.figure(silence_key("") + "threshold") or THRESHOLD
    enough = weigh_signals(read_signals(candidates)) >= threshold
    return enough or bool(_by_id(view, query, only))


def _beyond(candidates: Candidates) -> dict[int, float]:
    """Passages that are nearer than foreign prompts come, and how far; none where words alone are
    enough, since they order what they find better."""
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
) -> dict[int, Place]:
    """The passages whose vectors lie nearest; some of the `known` ones show which model has any."""
    sample = [*known[:_SAMPLE], *view.newest_passages(None, _SAMPLE)]
    meaning.ask(query, speakers, view.details(sample).values())
    nearest = meaning.nearest(MOST_CANDIDATES)
    return {place[0]: place for place in view.with_keys(nearest, only)}


def _read_calibration(view: IndexView, candidates: Candidates, meaning: Meaning) -> None:
    """Note what the vault was calibrated to: with these vectors, or else without."""
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
    """Whether nothing will fit, whatever links lead to: no vectors are asked, and the words of no
    passage would be enough even if its entry were trusted."""
    signals = {} if meaning.judge else read_signals(candidates)
    return bool(signals) and weigh_signals(signals) < candidates.threshold


def _worth(
    places: Mapping[int, Place],
    evidence: Evidence,
    brought: Mapping[str, Mapping[int, float]],
    weights: Mapping[str, float],
) -> dict[int, float]:
    """Return the weighted sum of all scores but those of links for each of some passages."""
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
    """The passages for which most speaks, those found through their neighbours among them; of
    these it is weighed how often and where the words stand that are not everywhere."""
    places = evidence.places
    lent = lend_scores(evidence) if context and evidence.threaded else {}
    worth = dict(evidence.own)
    for met in evidence.threaded:
        worth[met[0]] += context * lent_to(met, lent)
    best = sorted(worth, key=worth.__getitem__, reverse=True)[:MOST_CANDIDATES]
    telling, left = [], LOCATED  # each costs as much as it has passages
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
    """The entries to which those of the best passages link."""
    links: dict[int, set[int]] = {}
    entries = dict.fromkeys(evidence.places[passage][1] for passage in evidence.best(LOOKED_AT))
    for edge in view.edges_from(list(entries), MOST_LINKS):
        if edge.origin in LINKED:
            links.setdefault(edge.source, set()).add(edge.target)
    return links


def _in_period(candidates: Candidates, query: Query) -> dict[int, float]:
    """Passages of entries from a time that the query names."""
    if not query.periods:
        return {}
    from engrain.language.text.periods import overlap

    moments = {
        # An entity is no event: that its first fact is of that time says little of the rest.
        number: row.created if row.valid_from is None or row.kind == _ENTITY else row.valid_from
        for number, row in candidates.rows.items()
    }
    scores = {}
    for passage, found in candidates.found.items():
        at = moments.get(found.entry)
        if at is not None and any(
            overlap(period, moment) for period in query.periods for moment in (at, at - TOLD_WITHIN)
        ):
            scores[passage] = 1.0
    return scores


def _by_id(view: IndexView, query: Query, only: Filter) -> list[tuple[Place, float]]:
    asked = [*query.ids, *query.links]
    return [(place, 1.0) for place in view.named(asked, only, MOST_NAMED)] if asked else []


def _by_name(view: IndexView, query: Query, only: Filter) -> list[tuple[Place, float]]:
    return [(place, 1.0) for place in view.named(query.names, only, MOST_NAMED)]


def _by_tag(view: IndexView, query: Query, only: Filter) -> list[tuple[Place, float]]:
    words = query.tags or [name for name in query.names if " " not in name]
    tags = dict.fromkeys([*words, *map(str.casefold, words)])
    # What is named as a tag is asked for; a word that happens to be one says little.
    found = view.tagged(list(tags), only, MOST_CANDIDATES if query.tags else MOST_TAGGED)
    return [(place, 1.0) for place in found]


def _by_period(view: IndexView, query: Query, only: Filter) -> list[tuple[Place, float]]:
    """Return entries created in a period that the query names, the newest first."""
    found: list[tuple[Place, float]] = []
    for period in query.periods:
        if not period.yearless:
            inside = only.replace(since=period.start, until=period.end)
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
"""Channels by name. Each takes part where a profile weighs it; `graph` comes after all of them."""
