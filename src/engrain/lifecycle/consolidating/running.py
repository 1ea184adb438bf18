"""Consolidation: episodes become patterns, their errors anti-patterns (S2.4, S2.7, loki's
"Episodic-to-Semantic Consolidation").

The episodes of the last day and those that no pattern refers to yet are clustered within each
project. What two or more of them share becomes a pattern if its confidence suffices, it has three
steps or a fix, and a goal says what it is about; an existing pattern gains the evidence.
Occurrences of an error with the same signature are one error. Met in two episodes and resolved in
one, it becomes an anti-pattern with a learning: both name every episode that met it. Of several
resolutions the best supported is kept. A second run over the same episodes changes nothing, and
what was undone is not done again from the same episodes.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from hashlib import blake2b

from engrain.engine.core.store import JOBS, Actor, Store
from engrain.engine.verbs.records import compose_record, list_records
from engrain.language.text.clustering import ClusterItem, central, find_clusters
from engrain.lifecycle.consolidating.evidence import (
    CREATED,
    HALF,
    LEFT,
    OP,
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
from engrain.lifecycle.jobs import table
from engrain.lifecycle.jobs.table import Run
from engrain.lifecycle.reviewing.actions import FileRewrite, commit_rewrites
from engrain.model.experience.patterns import (
    ANTI_PATTERN,
    PATTERN,
    AntiPattern,
    Pattern,
    compose_anti_pattern,
    compose_pattern,
    last_use,
)
from engrain.model.experience.traces import WEIGHTS, Trace, TraceError, error_signature, features_of
from engrain.model.experience.wording import (
    quote,
    same_said,
    word_episodes,
    word_error,
    word_pattern,
)
from engrain.model.note.entry import Entry
from engrain.model.note.field import Value
from engrain.model.note.json_note import LEARNING, JsonNote
from engrain.model.note.note import Note
from engrain.model.note.strength import DAY
from engrain.model.note.tiers import ACTIVE, kind_of
from engrain.model.run_result import RunResult
from engrain.model.settings import read_number
from engrain.seam.locator import make_locator
from engrain.seam.rows import Filter

_LEAST = 2
"""Episodes that have to have met an error."""
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
        pattern = _pattern_of(known)
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
        worded = word_pattern(id_, members, example)
        if worded is None:
            return PlannedStep(LEFT, example, f"{named}: neither three steps nor a fix, or no goal")
        pattern = replace(worded, confidence=confidence, source_episodes=sources)
        fields, body = compose_pattern(pattern, sources)
        actor = maker(self._store, sources)
        rewrite = compose_fresh(self._store, fields, body, project, actor)
        return PlannedStep(CREATED, id_, named, [rewrite], actor)

    def _find_known(self, project: str, cluster: Sequence[str]) -> KnownPattern | None:
        """Return the pattern that has most of these episodes."""
        shared = self._known.sharing(cluster, project)
        return shared[0][0] if shared else None


def _pattern_of(known: KnownPattern) -> Pattern:
    assert isinstance(known.value, Pattern)
    return known.value


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
            str(entry.note.document.get("anti_pattern")): row.locator
            for row, entry in list_records(store, LEARNING)
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
        if met is None or not met.resolution or len(sources) < _LEAST:
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
            prevention=quote(met.resolution),
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
        reason = f"met in {word_episodes(len(sources))}, confidence {confidence:g}"
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
                "lesson": f"{anti.what_fails} – {anti.prevention}",
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
            lesson = f"{anti.what_fails} – {anti.prevention}"
            changes |= {"resolution": met.resolution, "lesson": lesson}
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


_NOTE = "consolidated"
_TOLD = ("episodes", LEFT)
"""Counts that don't say that something was done."""
_SEEN = ("episode", PATTERN, ANTI_PATTERN, "learning")
_COUNTED = ("episodes", "patterns", "anti-patterns", "updated", "left")


def consolidate(
    store: Store, *, since: float | None = None, project: str | None = None, dry_run: bool = False
) -> RunResult:
    """Make patterns of similar episodes, and anti-patterns and learnings of their errors.

    `memory.episodes.consolidate` explains the arguments; `since` is in epoch seconds. Raises
    ConfigError, IndexUnavailableError, LockedError.
    """
    store.require_index(scan=True)
    return _consolidate(store, Run(dry_run=dry_run), since=since, project=project)


def _consolidate(
    store: Store, run: Run, *, since: float | None = None, project: str | None = None
) -> RunResult:
    store.require_index()
    episodes, steps = plan_steps(store, since, project)
    jobs = (_make_job_step(store, what, step) for what, step in steps)
    report = table.do_steps(run, jobs, _COUNTED)
    report.counts["episodes"] = episodes
    return report


def run(store: Store, run: Run) -> RunResult:
    """Run the job. It does nothing while the entries are as when it last had nothing to do."""
    store.require_index(scan=not run.scanned)
    seen = _fingerprint(store)
    if store.device.local.read_note(_NOTE) == seen:
        return RunResult({"episodes": 0})
    report = _consolidate(store.acting_as(Actor(JOBS)), run)
    # What others write meanwhile was not seen: only what was there before is known to be done.
    idle = not any(count for what, count in report.counts.items() if what not in _TOLD)
    if idle and not run.dry_run and not report.unfinished:
        store.device.local.write_note(_NOTE, seen)
    return report


def _make_job_step(store: Store, what: str, step: PlannedStep) -> table.JobStep:
    """Make the job's step of a planned one about `what`: "patterns" or "anti-patterns"."""

    def do() -> object:
        if step.rewrites:
            commit_rewrites(store, OP, step.rewrites, step.reason, step.actor)
        return step

    one = "episode" if step.word == LEFT else what[:-1]
    about = f"{one} {step.id}: {step.reason}"
    return table.JobStep(step.word, about, do, counted=what if step.word == CREATED else "")


def _fingerprint(store: Store) -> str:
    rows = store.index.find(Filter(kinds=_SEEN))
    settings = [str(store.settings.get(f"consolidate.{name}")) for name in ("hours", "confidence")]
    seen = sorted(f"{row.id} {row.hash} {row.status == ACTIVE}" for row in rows)
    return blake2b("\n".join([*settings, *seen]).encode(), digest_size=16).hexdigest()


def plan_steps(
    store: Store, since: float | None, project: str | None
) -> tuple[int, Iterator[tuple[str, PlannedStep]]]:
    """Return the number of episodes to read, and the steps, each with the kind of its entry. A
    step must be done before the next is asked for."""
    if since is None:
        since = store.clock.now() - DAY
    least = read_number(store.settings, "consolidate.confidence", most=1.0)
    evidence = EpisodeEvidence(store)
    traces = evidence.gather(since, project, list_known(store, PATTERN))

    def find_steps() -> Iterator[tuple[str, PlannedStep]]:
        patterns = PatternPlan(store, evidence, least)
        errors = AntiPatternPlan(store, evidence)
        projects = {project} if project is not None else patterns.projects | errors.projects
        for name in sorted(projects | {trace.project for trace in traces}):
            own = [trace for trace in traces if trace.project == name]
            yield from (("anti-patterns", step) for step in errors.steps(name, own))
            yield from (("patterns", step) for step in patterns.steps(name, own))

    return len(traces), find_steps()
