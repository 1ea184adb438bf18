"""Alike episodes become patterns, or join the one that says it already (S2.4)."""

from __future__ import annotations

from engrain.engine.attesting import OPERATOR
from engrain.lifecycle.consolidation_evidence import Known, list_known, read_known, refused
from engrain.lifecycle.consolidation_writing import (
    Writing,
    compose_fresh,
    evidence_id,
    maker,
    stamp_renewed,
    word_by_model,
)
from engrain.model.clustering import Item, central, find_clusters
from engrain.model.episode_features import WEIGHTS, features_of, goal_words
from engrain.model.pattern_confidence import confidence_of
from engrain.model.pattern_wording import alike_words, same_said, word_pattern
from engrain.model.patterns import PATTERN, Pattern, compose_pattern

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from engrain.engine.store import Store
    from engrain.lifecycle.consolidation_evidence import Evidence
    from engrain.model.entry import Entry
    from engrain.model.field import Value
    from engrain.model.note import Note
    from engrain.model.traces import Trace

_CONTRADICTS = "contradicts"
_FRESH = 2
"""So many episodes that were not there then bring back what was taken back."""
_WORDS_ALIKE = 3
"""Words that a pattern and a cluster have in common at least, where they share no episode."""


class Step:
    """One thing to do: `word` says what, to or with which id, and why; `writing` does it, None
    where there is nothing to be written. One that is `proposed` is for the operator to say."""

    __slots__ = ("id", "reason", "word", "writing")

    def __init__(self, word: str, id_: str, reason: str, writing: Writing | None = None) -> None:
        self.word = word
        self.id = id_
        self.reason = reason
        self.writing = writing


CREATED, RENEWED, PROPOSED, LEFT = "created", "updated", "proposed", "left"


class PatternPlan:
    """What the alike episodes of one project come to."""

    def __init__(self, store: Store, evidence: Evidence, least: float) -> None:
        self._store = store
        self._evidence = evidence
        self._least = least
        self._known = list_known(store, PATTERN)
        self._past = list_known(store, PATTERN, past=True)

    def steps(self, project: str, traces: Sequence[Trace]) -> Iterator[Step]:
        """What is to be done, one after the other: each sees what those before it wrote."""
        items = {trace.id: Item(trace.id, features_of(trace)) for trace in traces}
        by_id = {trace.id: trace for trace in traces}
        joining: dict[str, set[str]] = {}
        fresh = []
        for cluster in find_clusters(list(items.values()), WEIGHTS):
            known = self._find_known(project, cluster, by_id)
            if known is None:
                fresh.append(cluster)
            else:
                joining.setdefault(known.row.id, set()).update(cluster)
        for known in [one for one in self._known if _of(one, project)]:
            if step := self.renew(known, joining.get(known.row.id, ())):
                yield step
        for cluster in fresh:
            members = [by_id[id_] for id_ in cluster]
            if step := self._create(project, members, central(cluster, items, WEIGHTS)):
                yield step
                self._take_in(step)

    def renew(self, known: Known, joining: Sequence[str] | set[str]) -> Step | None:
        """An existing pattern with new evidence, or without some that is gone; None where there is
        nothing new."""
        pattern = _pattern(known)
        more = set(joining).difference(pattern.source_episodes)
        if more:
            more -= refused(self._store, known.row.id, pattern.source_episodes)
        sources = [
            id_ for id_ in {*pattern.source_episodes, *more} if not self._evidence.is_gone(id_)
        ]
        if not more and len(sources) == len(set(pattern.source_episodes)):
            return None
        sources = self._evidence.newest(sources)
        if set(sources) == set(pattern.source_episodes):
            return None
        confidence = confidence_of(*self._evidence.weigh(sources))
        gone = len(set(pattern.source_episodes).difference(sources))
        told = f"{len(more)} episodes more" + (f", {gone} fewer" if gone else "")
        reason = f"{told}; confidence {pattern.confidence:g} -> {confidence:g}"
        theirs = known.row.source == OPERATOR and self._store.actor.trust != OPERATOR
        renewed = pattern.replace(
            source_episodes=sources,
            confidence=confidence,
            usage_count=pattern.usage_count + bool(more),
        )
        actor = maker(self._store, sources, known.entry)
        note = stamp_renewed(self._store, self._patched(known.entry, renewed), known.entry, actor)
        writing = Writing(self._store, actor)
        writing.replace(known.entry, note)
        return Step(PROPOSED if theirs else RENEWED, known.row.id, reason, writing)

    @property
    def projects(self) -> set[str]:
        """Those that have patterns."""
        return {known.row.project or "" for known in self._known}

    def _take_in(self, step: Step) -> None:
        """Know a pattern that was made just now: a later one may contradict it."""
        if step.word != CREATED:
            return
        self._store.require_index()
        row = self._store.find_exact(step.id)
        if row is not None:
            entry = self._store.read_entry(row.locator)
            self._known.append(Known(row, entry, read_known(entry)))

    def _create(self, project: str, members: Sequence[Trace], told: str) -> Step | None:
        ids = [trace.id for trace in members]
        for past in self._past:
            if _of(past, project) and _is_refused(set(ids), set(past.sources)):
                return None
        sources = self._evidence.newest(ids)
        confidence = confidence_of(*self._evidence.weigh(sources))
        named = f"{len(ids)} episodes, confidence {confidence:g}"
        if confidence < self._least:
            return Step(LEFT, told, f"{named}: under {self._least:g}")
        id_ = evidence_id(max(trace.at for trace in members), PATTERN, project, *sources)
        if self._store.find_exact(id_) is not None:
            return None  # it was erased since, or another device made it
        pattern = word_pattern(id_, members, told).replace(
            confidence=confidence, source_episodes=sources
        )
        actor = maker(self._store, sources)
        opposed = [one for one in self._known if _of(one, project) and _opposed(pattern, one)]
        pattern = pattern.replace(
            pattern=word_by_model(
                self._store, pattern.pattern, compose_pattern(pattern, sources)[1]
            ),
            links=[(one.row.id, _CONTRADICTS) for one in opposed],
        )
        fields, body = compose_pattern(pattern, sources)
        writing = Writing(self._store, actor)
        writing.create(*compose_fresh(self._store, fields, body, project, actor))
        for one in opposed:
            if one.row.source != OPERATOR:
                writing.replace(one.entry, _linked(one.entry, id_))
        return Step(CREATED, id_, named, writing)

    def _find_known(
        self, project: str, cluster: Sequence[str], by_id: Mapping[str, Trace]
    ) -> Known | None:
        """The pattern that has most of these episodes, else one that says the same."""
        among = [one for one in self._known if _of(one, project)]
        shared = {one.row.id: len(set(one.sources).intersection(cluster)) for one in among}
        best = min(among, key=lambda one: (-shared[one.row.id], one.row.id), default=None)
        if best is None or shared[best.row.id]:
            return best
        members = [by_id[id_] for id_ in cluster]
        words: set[str] = set()
        for trace in members:
            errors = (f"{error.message} {error.resolution}" for error in trace.errors)
            words.update(goal_words(" ".join([trace.goal, *errors])))
        for one in among:
            if alike_words(set(goal_words(_pattern(one).pattern)), words, _WORDS_ALIKE):
                draft = word_pattern("", members, cluster[0])
                if not _opposed(draft, one):
                    return one
        return None

    def _patched(self, entry: Entry, pattern: Pattern) -> Note:
        here = [id_ for id_ in pattern.source_episodes if self._evidence.row(id_) is not None]
        changes: dict[str, Value] = {
            "id": entry.id,
            "confidence": pattern.confidence,
            "usage_count": pattern.usage_count,
            "source_episodes": list(pattern.source_episodes),
            "derived_from": list(here),
        }
        return entry.note.patch(changes)


def _pattern(known: Known) -> Pattern:
    assert isinstance(known.value, Pattern)
    return known.value


def _of(known: Known, project: str) -> bool:
    """Whether a pattern is one that episodes of a project may join: of it, or of none."""
    return (known.row.project or "") in (project, "")


def _is_refused(members: set[str], past: set[str]) -> bool:
    """Whether episodes would make again what was taken back: of what it was made from there are
    two again, or all there is, and hardly anything new beside."""
    again = members & past
    return bool(again) and len(members - past) < _FRESH


def _opposed(pattern: Pattern, known: Known) -> bool:
    """Whether one says to do what the other says to avoid, about the same."""
    other = _pattern(known)
    about = [set(goal_words(" ".join((one.pattern, *one.conditions)))) for one in (pattern, other)]
    if not alike_words(about[0], about[1], _WORDS_ALIKE):
        return False
    pairs = (
        (pattern.correct_approach, other.incorrect_approach),
        (other.correct_approach, pattern.incorrect_approach),
    )
    return any(do and avoid and same_said(do, avoid) for do, avoid in pairs)


def _linked(entry: Entry, to: str) -> Note:
    given = entry.fields.get("links")
    links: list[Value] = list(given) if isinstance(given, list) else []
    return entry.note.patch(
        {"id": entry.id, "links": [*links, {"to": to, "relation": _CONTRADICTS}]}
    )
