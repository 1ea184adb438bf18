"""Alike episodes become patterns, or join a pattern that says it already (S2.4)."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from engrain.engine.core.contradictions import CONTRADICTS
from engrain.engine.core.store import Store
from engrain.language.text.clustering import ClusterItem, central, find_clusters
from engrain.lifecycle.consolidating.evidence import (
    CREATED,
    LEFT,
    EpisodeEvidence,
    KnownPattern,
    KnownPatterns,
    PlannedStep,
    Writing,
    compose_fresh,
    confidence_of,
    evidence_id,
    list_known,
    make_renewal,
    maker,
    word_by_model,
    word_change,
)
from engrain.model.experience.patterns import (
    PATTERN,
    Pattern,
    compose_pattern,
    last_use,
    read_either,
)
from engrain.model.experience.traces import WEIGHTS, Trace, features_of, goal_words
from engrain.model.experience.wording import alike_words, contradicts, word_episodes, word_pattern
from engrain.model.note.documents import list_of
from engrain.model.note.field import Value
from engrain.model.note.tiers import OPERATOR

_FRESH = 2
"""New episodes that bring back a pattern that was taken back."""
_MANY = 50
"""A word that more patterns have says nothing about their subject."""
_MOST_OPPOSED = 5
"""Contradictions of a new pattern that are linked."""
_WORDS_ALIKE = 3
"""Words that a pattern and a cluster have in common at least, where they share no episode."""


class PatternPlan:
    """Plans what to do with the similar episodes of each project."""

    def __init__(self, store: Store, evidence: EpisodeEvidence, least: float) -> None:
        self._store = store
        self._evidence = evidence
        self._least = least
        self._known = KnownPatterns(list_known(store, PATTERN))
        self._past = KnownPatterns(list_known(store, PATTERN, past=True))
        self._about = _About(self._known.by_id.values())

    def steps(self, project: str, traces: Sequence[Trace]) -> Iterator[PlannedStep]:
        """Yield the steps one by one: each sees what those before it wrote."""
        items = {trace.id: ClusterItem(trace.id, features_of(trace)) for trace in traces}
        by_id = {trace.id: trace for trace in traces}
        joining: dict[str, set[str]] = {}
        fresh = []
        for cluster in find_clusters(list(items.values()), WEIGHTS):
            known = self._find_known(project, cluster, by_id)
            if known is None:
                fresh.append(cluster)
            else:
                joining.setdefault(known.row.id, set()).update(cluster)
        for known in [one for one in self._known.by_id.values() if one.may_take(project)]:
            if step := self.renew(known, joining.get(known.row.id, ())):
                yield step
        for cluster in fresh:
            members = [by_id[id_] for id_ in cluster]
            if step := self._create(project, members, central(cluster, items, WEIGHTS)):
                yield step
                if step.writing is not None:
                    self._take_in(*step.writing.ids)

    def renew(self, known: KnownPattern, joining: Collection[str]) -> PlannedStep | None:
        """Make the step that adds new evidence to a pattern and drops what is gone, None where
        nothing changed."""
        pattern = _pattern(known)
        renewal = self._evidence.renew(known, joining)
        if renewal is None:
            return None
        more, sources = renewal
        confidence = confidence_of(*self._evidence.weigh(sources))
        gone = len(set(pattern.source_episodes).difference(sources))
        change = f"{word_episodes(len(more))} more" + (f", {gone} fewer" if gone else "")
        changes: dict[str, Value] = {
            "id": known.entry.id,
            "confidence": confidence,
            "usage_count": pattern.usage_count + bool(more),
            "source_episodes": [*sources],
            "derived_from": [*self._evidence.here(sources)],
        }
        if last := last_use(pattern.last_used, self._evidence.last(more)):
            changes["last_used"] = last
        writing = Writing(self._store, maker(self._store, sources, known.entry))
        writing.renew(known.entry, known.entry.note.patch(changes))
        return make_renewal(
            known, f"{change}; {word_change(pattern.confidence, confidence)}", writing
        )

    @property
    def projects(self) -> set[str]:
        """The projects that have patterns."""
        return {known.row.project or "" for known in self._known.by_id.values()}

    def _take_in(self, *ids: str) -> None:
        """Add the entries written just now to the known patterns: a later one may contradict
        them."""
        self._store.require_index()
        for id_ in ids:
            row = self._store.find_exact(id_)
            if row is not None:
                entry = self._store.read_entry(row.locator)
                known = KnownPattern(row, entry, read_either(entry))
                self._known.put(known)
                self._about.put(known)

    def _create(self, project: str, members: Sequence[Trace], example: str) -> PlannedStep | None:
        ids = [trace.id for trace in members]
        for past, again in self._past.sharing(ids, project):
            if past.row.project == (project or None) and len(ids) - again < _FRESH:
                return None  # it was taken back, and there is hardly anything new
        sources = self._evidence.newest(ids)
        confidence = confidence_of(*self._evidence.weigh(sources))
        named = f"{word_episodes(len(ids))}, confidence {confidence:g}"
        if confidence < self._least:
            return PlannedStep(LEFT, example, f"{named}: under {self._least:g}")
        id_ = evidence_id(max(trace.at for trace in members), PATTERN, project, *sources)
        if self._store.find_exact(id_) is not None:
            return None  # it was erased since, or another device made it
        pattern = replace(
            word_pattern(id_, members, example), confidence=confidence, source_episodes=sources
        )
        opposed = [one for one in self._about.near(pattern, project) if _opposed(pattern, one)]
        opposed = opposed[:_MOST_OPPOSED]
        text = compose_pattern(pattern, sources)[1]
        pattern = replace(
            pattern,
            pattern=word_by_model(self._store, pattern.pattern, text),
            links=[(one.row.id, CONTRADICTS) for one in opposed],
        )
        fields, body = compose_pattern(pattern, sources)
        writing = Writing(self._store, maker(self._store, sources))
        writing.create(*compose_fresh(self._store, fields, body, project, writing.actor))
        said: Value = {"to": id_, "relation": CONTRADICTS}
        for one in opposed:
            if one.row.source != OPERATOR:
                links: list[Value] = [*list_of(one.entry.fields.get("links")), said]
                writing.replace(
                    one.entry, one.entry.note.patch({"id": one.entry.id, "links": links})
                )
        return PlannedStep(CREATED, id_, named, writing)

    def _find_known(
        self, project: str, cluster: Sequence[str], by_id: Mapping[str, Trace]
    ) -> KnownPattern | None:
        """Return the pattern that has most of these episodes, else an imported one, none of whose
        episodes are in this vault, that says the same."""
        shared = self._known.sharing(cluster, project)
        if shared:
            return shared[0][0]
        members = [by_id[id_] for id_ in cluster]
        words: set[str] = set()
        for trace in members:
            errors = (f"{error.message} {error.resolution}" for error in trace.errors)
            words.update(goal_words(" ".join([trace.goal, *errors])))
        for one in self._known.by_id.values():
            if not one.may_take(project) or any(map(self._evidence.row, one.sources)):
                continue
            alike = alike_words(set(goal_words(_pattern(one).pattern)), words, _WORDS_ALIKE)
            if alike and not _opposed(word_pattern("", members, cluster[0]), one):
                return one
        return None


def _pattern(known: KnownPattern) -> Pattern:
    assert isinstance(known.value, Pattern)
    return known.value


class _About:
    """Patterns by the words of their subjects, without words that many patterns have."""

    def __init__(self, known: Iterable[KnownPattern]) -> None:
        self._by_word: dict[str, dict[str, KnownPattern]] = {}
        for one in known:
            self.put(one)

    def put(self, known: KnownPattern) -> None:
        for word in _about(_pattern(known)):
            self._by_word.setdefault(word, {})[known.row.id] = known

    def near(self, pattern: Pattern, project: str) -> list[KnownPattern]:
        """Return the patterns of a project that may be about the same, by id."""
        found: dict[str, KnownPattern] = {}
        for word in _about(pattern):
            having = self._by_word.get(word, {})
            if len(having) <= _MANY:
                found |= having
        return [found[id_] for id_ in sorted(found) if found[id_].may_take(project)]


def _about(pattern: Pattern) -> set[str]:
    return set(goal_words(" ".join((pattern.pattern, *pattern.conditions))))


def _opposed(pattern: Pattern, known: KnownPattern) -> bool:
    other = _pattern(known)
    return contradicts(pattern, other) and alike_words(_about(pattern), _about(other), _WORDS_ALIKE)
