"""Errors become anti-patterns, each with a learning, both naming every episode that met it
(S2.4, S2.7).

Occurrences with the same signature are one error. One occurrence with a resolution is enough;
without a resolution two are needed. Of several resolutions the best supported is kept.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace

from engrain.engine.core.store import Actor, Store
from engrain.engine.verbs.records import compose_record, list_records
from engrain.lifecycle.consolidating.evidence import (
    CREATED,
    HALF,
    RENEWED,
    EpisodeEvidence,
    KnownPattern,
    PlannedStep,
    compose_fresh,
    confidence_of,
    evidence_id,
    list_known,
    maker,
    renew_note,
    word_change,
)
from engrain.lifecycle.reviewing.actions import FileRewrite
from engrain.model.experience.patterns import (
    ANTI_PATTERN,
    AntiPattern,
    compose_anti_pattern,
    last_use,
)
from engrain.model.experience.traces import Trace, TraceError, error_signature
from engrain.model.experience.wording import quote, same_said, word_episodes, word_error
from engrain.model.note.entry import Entry
from engrain.model.note.field import Value
from engrain.model.note.json_note import LEARNING, JsonNote
from engrain.model.note.note import Note
from engrain.model.note.tiers import kind_of
from engrain.seam.locator import make_locator

_FRESH = 2
_TEXTS = ("prevention", "why")
_KEPT = (
    "confidence", "usage_count", "last_used", "sources", "actions", "signature", "derived_from",
)  # fmt: skip
"""Fields that a renewed anti-pattern writes again."""


class AntiPatternPlan:
    """Plans what to do with the errors of episodes."""

    def __init__(self, store: Store, evidence: EpisodeEvidence) -> None:
        self._store = store
        self._evidence = evidence
        self._known = {_key(one): one for one in list_known(store, ANTI_PATTERN)[::-1]}
        self._past = list_known(store, ANTI_PATTERN, past=True)
        self._learnings = {
            str(note.document.get("anti_pattern")): row.locator
            for row, note in list_records(store, LEARNING)
        }

    @property
    def projects(self) -> set[str]:
        """The projects that have anti-patterns."""
        return {project for project, _ in self._known}

    def steps(self, project: str, traces: Sequence[Trace]) -> Iterator[PlannedStep]:
        """Yield the steps for the errors of a project's episodes."""
        groups: dict[str, set[str]] = {}
        for trace in traces:
            for error in trace.errors:
                groups.setdefault(error.signature, set()).add(trace.id)
        for signature in sorted(groups):
            known = self._known.get((project, signature)) or self._known.get(("", signature))
            if known is None:
                step = self._create(project, signature, groups[signature])
            else:
                step = self.renew(known, groups[signature])
            if step:
                yield step
        for (whose, signature), known in sorted(self._known.items(), key=lambda item: item[0]):
            rest = whose == project and signature not in groups
            if rest and (step := self.renew(known, set())):
                yield step

    def renew(self, known: KnownPattern, joining: Collection[str]) -> PlannedStep | None:
        """Make the step that adds new evidence to an anti-pattern and drops what is gone, None
        where nothing changed."""
        anti = known.value
        assert isinstance(anti, AntiPattern)
        renewal = self._evidence.renew(known, joining)
        if renewal is None:
            return None
        more, sources = renewal
        met = look_at(self._evidence, _key(known)[1], sources, anti.prevention)
        confidence = confidence_of(met.support, met.counter) if met else confidence_of(0, 0)
        change = word_change(anti.confidence, confidence)
        reason = f"met in {word_episodes(len(sources))}; {change}"
        renewed = replace(
            anti,
            sources=sources,
            confidence=confidence,
            usage_count=anti.usage_count + bool(more),
            last_used=last_use(anti.last_used, self._evidence.last(more)),
        )
        if met:
            renewed = replace(
                renewed,
                prevention=quote(met.resolution) if met.resolution else anti.prevention,
                actions=sorted({*anti.actions, *met.actions}),
                signature=met.error.signature,
            )
        actor = maker(self._store, sources, known.entry)
        note = self._rewritten(known.entry, anti, renewed)
        rewrites = [
            renew_note(self._store, known.entry, note, actor),
            *self._renew_learning(actor, renewed, met),
        ]
        return PlannedStep(RENEWED, known.row.id, reason, rewrites, actor)

    def _create(self, project: str, signature: str, ids: set[str]) -> PlannedStep | None:
        for past in self._past:
            if _key(past) == (project, signature) and len(ids.difference(past.sources)) < _FRESH:
                return None
        sources = self._evidence.newest(ids)
        met = look_at(self._evidence, signature, sources, "")
        if met is None or (not met.resolution and len(sources) < _FRESH):
            return None
        traces = [trace for id_ in sources if (trace := self._evidence.trace(id_))]
        at = max(trace.at for trace in traces)
        id_ = evidence_id(at, ANTI_PATTERN, project, signature, *sources)
        if self._store.find_exact(id_) is not None:
            return None
        confidence = confidence_of(met.support, met.counter)
        anti = AntiPattern(
            id_,
            word_error(met.error),
            why=quote(met.error.message),
            prevention=quote(met.resolution) if met.resolution else "",
            sources=sources,
            confidence=confidence,
            actions=met.actions,
            signature=signature,
        )
        actor = maker(self._store, sources)
        fields, body = compose_anti_pattern(anti, sources)
        rewrites = [
            compose_fresh(self._store, fields, body, project, actor),
            self._add_learning(actor, project, anti, met, at),
        ]
        state = "" if met.resolution else ", unresolved"
        reason = f"met in {word_episodes(len(sources))}{state}, confidence {confidence:g}"
        return PlannedStep(CREATED, id_, reason, rewrites, actor)

    def _add_learning(
        self, actor: Actor, project: str, anti: AntiPattern, met: ErrorEvidence, at: float
    ) -> FileRewrite:
        id_ = evidence_id(at, LEARNING, project, anti.id)
        now = self._store.now
        note = compose_record(
            self._store,
            LEARNING,
            {
                "id": id_,
                "timestamp": now,
                "type": met.error.type,
                "message": met.error.message,
                "resolution": met.resolution,
                "lesson": _lesson(anti),
                "anti_pattern": anti.id,
                "source_episodes": list(anti.sources),
            },
            project=project or None,
            derived_from=anti.sources,
            source="consolidation",
            actor=actor,
        )
        place = make_locator(f"{kind_of(LEARNING).folder}/{now[:10]}/{id_}.json")
        return FileRewrite(None, note, place)

    def _renew_learning(
        self, actor: Actor, anti: AntiPattern, met: ErrorEvidence | None
    ) -> list[FileRewrite]:
        locator = self._learnings.get(anti.id)
        if locator is None:
            return []  # it was forgotten
        entry = self._store.read_entry(locator)
        note = entry.note
        assert isinstance(note, JsonNote)
        changes: dict[str, object] = {"source_episodes": list(anti.sources)}
        if met and met.resolution and met.resolution != note.document.get("resolution"):
            changes |= {"resolution": met.resolution, "lesson": _lesson(anti)}
        renewed = note.with_document({**note.document, **changes})
        renewed = renewed.patch({"derived_from": [*self._evidence.here(anti.sources)]})
        return [renew_note(self._store, entry, renewed, actor)]

    def _rewritten(self, entry: Entry, before: AntiPattern, after: AntiPattern) -> Note:
        """Return the note with the changes. A body that somebody edited keeps its words."""
        ours = compose_anti_pattern(before)[1] == entry.note.body
        if not ours:
            after = replace(after, prevention=before.prevention)
        fields, body = compose_anti_pattern(after, self._evidence.here(after.sources))
        note = entry.note.with_body(body) if ours else entry.note
        names = (*_TEXTS, *_KEPT)
        changes: dict[str, Value] = {name: fields[name] for name in names if name in fields}
        gone = [name for name in _TEXTS if ours and name not in fields]
        return note.patch({"id": entry.id, **changes}, gone)


def _lesson(anti: AntiPattern) -> str:
    if anti.prevention:
        return f"{anti.what_fails} – {anti.prevention}"
    return f"{anti.what_fails} – met again, and not resolved yet"


def _key(known: KnownPattern) -> tuple[str, str]:
    anti = known.value
    assert isinstance(anti, AntiPattern)
    signature = anti.signature or error_signature(anti.what_fails, anti.why)
    return known.row.project or "", signature


@dataclass(slots=True, eq=False)
class ErrorEvidence:
    """The evidence about one error: an occurrence, its resolution, the actions in which it
    occurred, and the weights for and against the resolution."""

    error: TraceError
    resolution: str
    actions: Sequence[str]
    support: float
    counter: float


def look_at(
    evidence: EpisodeEvidence, signature: str, sources: Sequence[str], said: str
) -> ErrorEvidence | None:
    """Return the evidence of some episodes about an error, None where none of them met it. Episodes
    that this vault lacks count for the resolution `said`."""
    met: list[tuple[TraceError, Trace]] = []
    elsewhere = 0
    for id_ in sources:
        trace = evidence.trace(id_)
        if trace is None:
            elsewhere += 1
            continue
        met += [(error, trace) for error in trace.errors if error.signature == signature]
    if not met:
        return None
    met.sort(key=lambda one: (-one[1].at, one[1].id))
    counted = Counter(error.resolution for error, _ in met if error.resolution)
    if said and elsewhere:
        counted[said] += elsewhere
    groups: Counter[str] = Counter()
    for text in sorted(counted, key=lambda text: (-counted[text], text)):
        groups[next((one for one in groups if same_said(one, text)), text)] += counted[text]
    best, support = max(groups.items(), key=lambda one: one[1], default=("", 0))
    bare = sum(1 for error, _ in met if not error.resolution)
    actions = sorted({action for error, _ in met for action in error.actions})
    against = groups.total() - support
    return ErrorEvidence(met[0][0], best, actions, support + HALF * bare, float(against))
