"""Alike episodes become patterns, or join a pattern that says it already (S2.4)."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace

from engrain.engine.core.store import Store
from engrain.language.text.clustering import ClusterItem, central, find_clusters
from engrain.lifecycle.consolidating.evidence import (
    CREATED,
    LEFT,
    RENEWED,
    EpisodeEvidence,
    KnownPattern,
    KnownPatterns,
    PlannedStep,
    compose_fresh,
    confidence_of,
    evidence_id,
    list_known,
    maker,
    renew_note,
    word_change,
)
from engrain.model.experience.patterns import PATTERN, Pattern, compose_pattern, last_use
from engrain.model.experience.traces import WEIGHTS, Trace, features_of
from engrain.model.experience.wording import word_episodes, word_pattern
from engrain.model.note.field import Value

_FRESH = 2
"""New episodes that bring back a pattern that was taken back."""


class PatternPlan:
    """Plans what to do with the similar episodes of each project."""

    def __init__(self, store: Store, evidence: EpisodeEvidence, least: float) -> None:
        self._store = store
        self._evidence = evidence
        self._least = least
        self._known = KnownPatterns(list_known(store, PATTERN))
        self._past = KnownPatterns(list_known(store, PATTERN, past=True))

    def steps(self, project: str, traces: Sequence[Trace]) -> Iterator[PlannedStep]:
        """Yield the steps one by one: each sees what those before it wrote."""
        items = {trace.id: ClusterItem(trace.id, features_of(trace)) for trace in traces}
        by_id = {trace.id: trace for trace in traces}
        joining: dict[str, set[str]] = {}
        fresh = []
        for cluster in find_clusters(list(items.values()), WEIGHTS):
            known = self._find_known(project, cluster)
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
        actor = maker(self._store, sources, known.entry)
        rewrite = renew_note(self._store, known.entry, known.entry.note.patch(changes), actor)
        reason = f"{change}; {word_change(pattern.confidence, confidence)}"
        return PlannedStep(RENEWED, known.row.id, reason, [rewrite], actor)

    @property
    def projects(self) -> set[str]:
        """The projects that have patterns."""
        return {known.row.project or "" for known in self._known.by_id.values()}

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
        fields, body = compose_pattern(pattern, sources)
        actor = maker(self._store, sources)
        rewrite = compose_fresh(self._store, fields, body, project, actor)
        return PlannedStep(CREATED, id_, named, [rewrite], actor)

    def _find_known(self, project: str, cluster: Sequence[str]) -> KnownPattern | None:
        """Return the pattern that has most of these episodes."""
        shared = self._known.sharing(cluster, project)
        return shared[0][0] if shared else None


def _pattern(known: KnownPattern) -> Pattern:
    assert isinstance(known.value, Pattern)
    return known.value
