"""Learn from the transcripts of sessions, if the operator agreed to it: what was done becomes
episodes, what the operator said becomes statements and facts, and each session becomes a line in
the note of its day (S1.20, S2.2, S4.4).

A transcript itself never enters the vault. However often it is read, each result is stored once;
the next run does what a killed run did not finish.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from engrain.api.judging import judge_sessions
from engrain.engine.core.attesting import least
from engrain.engine.core.outcomes import CREATED, UPDATED
from engrain.engine.core.store import Actor, Store
from engrain.engine.entities.daily import LEARNED, note_session
from engrain.engine.entities.resolution import list_entities
from engrain.language.text.fences import quote_links, shorten
from engrain.learn.experience.filing import import_transcript
from engrain.learn.extraction.run import extract
from engrain.learn.reflection.run import reflect
from engrain.learn.sources.reading import EXTRACT, ReadCounts, SourceReading, read_place
from engrain.learn.sources.stream import Stream
from engrain.learn.transcripts.hosts import SUB_AGENTS, Lines, merge_lines
from engrain.lifecycle.jobs.runner import request_jobs
from engrain.lifecycle.jobs.table import Run
from engrain.lifecycle.policy import learned_parts
from engrain.lifecycle.sessions.folding import LEARNED_FROM, Marked, MarkedSessions
from engrain.model.errors import ForbiddenPathError, MalformedError, UsageError
from engrain.model.facts.intake import CREATED as ADDED
from engrain.model.facts.intake import DISPUTED, HELD_ONCE, SUPERSEDING
from engrain.model.note.documents import count_of, object_of
from engrain.model.note.tiers import ACTIVE
from engrain.model.run_result import RunResult
from engrain.seam.rows import Filter
from engrain.seam.sources import Source, SourceFile

_LABEL = 120
"""The most characters of a title in the line of a session."""
_BEFORE = 60.0
"""Seconds before the first turn from which an entry may have come from a session."""
_LESSONS = ("fix", "decision", "workflow", "insight", "preference", "feedback", "commitment")
_AGENT = "agent"
_NEW = (ADDED, SUPERSEDING, DISPUTED, HELD_ONCE)
_COUNTS = ("sessions", "episodes", "lessons", "statements", "facts", "lines", "problems")


@dataclass(slots=True, eq=False)
class Learned:
    """The totals learned on this device: the `sessions` read and the results (`episodes`,
    `lessons`, `statements`, `facts`, `lines`), and the time of the last session in epoch seconds,
    None for none."""

    counts: dict[str, int] = field(default_factory=dict)
    at: float | None = None


def survey_learned(store: Store) -> Learned:
    """Report what was learned from the sessions of this device."""
    marked = MarkedSessions(store, LEARNED_FROM)
    counts = {name: count_of(n) for name, n in object_of(marked.kept.get("counts")).items()}
    at = marked.kept.get("at")
    return Learned(counts, at if isinstance(at, float) else None)


def run(store: Store, run: Run) -> RunResult:
    """Run the job that learns from every session that is new or was continued."""
    parts = learned_parts(store.settings)
    counts = Counter(dict.fromkeys(_COUNTS, 0))
    if not parts:
        return RunResult(counts)
    store.require_index()
    lines: list[str] = []
    marked = MarkedSessions(store, LEARNED_FROM)
    unfinished = False
    for session in marked.list():
        unfinished = run.out_of_time()
        if unfinished:
            break
        counts["sessions"] += 1
        if run.dry_run:
            lines.append(f"learn from session {session.name}")
            continue
        if counts["sessions"] == 1:
            request_jobs(store, ["consolidate"])  # first, in case a kill follows
        one = _Session(store, session, run)
        for drawn in one.learn(parts):
            counts.update(drawn)
            # At once, so that a kill during the next part does not lose these counts.
            marked.write_fields(counts=_add(marked.kept.get("counts"), drawn))
        lines += one.lines
        unfinished = one.unfinished
        if unfinished:
            break
        new = {"sessions": session.name not in marked.known}
        marked.mark(session, counts=_add(marked.kept.get("counts"), new), at=session.at)
    if unfinished:
        return RunResult(counts, lines, unfinished=True)
    judged = judge_sessions(store, run)
    counts.update(judged.counts)
    return RunResult(counts, [*lines, *judged.lines], unfinished=judged.unfinished)


def _add(sums: object, counts: Mapping[str, int]) -> dict[str, int]:
    known = object_of(sums)
    return {name: count_of(known.get(name)) + counts.get(name, 0) for name in _COUNTS}


class _Session:
    def __init__(self, store: Store, session: Marked, run: Run) -> None:
        self._store = store
        self._session = session
        self._read_counts = ReadCounts()
        self._late = run.out_of_time
        self.counts: Counter[str] = Counter()
        self._problems = 0
        self.lines: list[str] = []

    @property
    def unfinished(self) -> bool:
        """Whether the time ran out before everything was read."""
        return self._read_counts.unfinished

    def learn(self, parts: frozenset[str]) -> Iterator[Mapping[str, int]]:
        """Learn these parts from the session; yield the counts of each."""
        session = self._session
        try:
            source = self._store.device.sources.session(session.host, session.transcript)
            source.project = session.project
            for part, draw in _PARTS.items():
                if part in parts and not self.unfinished:
                    self.counts.clear()
                    draw(self, source)
                    yield self.counts
        except (UsageError, ForbiddenPathError, MalformedError) as error:
            self._report_problem(error.message)
        except OSError as error:
            self._report_problem(error.strerror or str(error))
        for problem in dict.fromkeys(one.message for one in self._read_counts.problems):
            self._report_problem(problem)
        yield {"problems": self._problems}

    def save_episodes(self, source: Source) -> None:
        """Save what was done for each task, with its errors and what fixed them, and the lesson of
        it if there certainly is one."""
        store = self._store
        (file,) = store.device.sources.files(source)
        if isinstance(file, OSError):
            raise file
        read = import_transcript(
            store,
            merge_lines(self._lines(source, file), self._agents(source)),
            self._session.name,
            project=source.project or None,
            find_project=store.device.sources.find_project,
            is_off=store.device.sources.is_off,
            op=LEARNED,
        )
        self.counts["episodes"] = read.outcomes.get(CREATED, 0)
        self.counts["episodes updated"] = read.outcomes.get(UPDATED, 0)
        self.counts["lessons"] = len(read.lessons)

    def _lines(self, source: Source, file: SourceFile) -> Lines:
        return Stream(self._store.device.sources.read(source, file.name), file.name).records()

    def _agents(self, source: Source) -> list[Lines]:
        """Return the lines of the transcripts of the session's sub-agents."""
        sources = self._store.device.sources
        try:
            below = sources.place(f"{source.path.removesuffix('.jsonl')}/{SUB_AGENTS}")
        except (UsageError, ForbiddenPathError):
            return []
        found = [file for file in sources.files(below) if isinstance(file, SourceFile)]
        return [self._lines(below, file) for file in found if file.name.endswith(".jsonl")]

    def save_statements(self, source: Source) -> None:
        """Save what the operator said that matters beyond the session."""
        done = reflect(self._store, self._readings(source))
        news = [one for one in done.routed if one.news]
        self.counts["statements"] = len(news)
        self.lines += [f"{one.outcome} {one.id}: {one.lane}, session {one.session}" for one in news]

    def save_facts(self, source: Source) -> None:
        """Save what was said about people, companies and projects."""
        readings = self._readings(source, EXTRACT)
        done = extract(self._store, readings)
        new = [one.outcome for one in done.drawn if one.outcome and one.outcome.outcome in _NEW]
        self.counts["facts"] = len(new)
        self.lines += [f"{fact.outcome} {fact.slug}: {fact.id}" for fact in new]

    def note_line(self, source: Source) -> None:
        """Add a line to the note of the day on which the session ended: the lessons, decisions and
        facts that it left, each with a link. A session that left none has no line."""
        if not self._session.over:
            return
        turns = (turn for reading in self._readings(source) for turn in reading.turns)
        begun = next((turn.at for turn in turns if turn.at is not None), self._session.at)
        left = [*self._link_entries(begun), *self._list_facts()]
        if not left:
            return
        text = f"{self._session.host}: {'; '.join(left)}"
        actor = Actor(self._store.actor.agent, least(_AGENT, self._store.actor.trust))
        store = self._store.acting_as(actor)
        store.project = source.project or None
        if note_session(store, self._session.name, text, self._session.at):
            self.counts["lines"] = 1

    def _link_entries(self, begun: float) -> Iterator[str]:
        """Yield links to the entries in force that came from the session, which began then."""
        self._store.require_index()
        only = Filter(kinds=_LESSONS, statuses=(ACTIVE,), since=begun - _BEFORE)
        for row in self._store.index.find(only):
            entry = self._store.find_entry(row.locator)
            if entry is not None and (entry.source or {}).get("ref") == self._session.name:
                yield f"[[{row.slug}|{_label(row.title)}]]"

    def _list_facts(self) -> Iterator[str]:
        """Yield the facts in force that came from the session, each with a link to its entity."""
        for filed in list_entities(self._store):
            for fact in filed.entity.facts:
                if fact.source_ref == self._session.name and fact.active:
                    yield f"{quote_links(fact.content.rstrip('.'))} ([[{filed.slug}]])"

    def _readings(self, source: Source, consumer: str = "") -> Iterator[SourceReading]:
        return read_place(
            self._store, source, consumer, out_of_time=self._late, read_counts=self._read_counts
        )

    def _report_problem(self, message: str) -> None:
        self._problems += 1
        self.lines.append(f"left out session {self._session.name}: {message}")


def _label(title: str) -> str:
    """Return a title that ends no link."""
    return shorten("".join(" " if char in "[]|" else char for char in title), _LABEL)


_PARTS = {
    "episodes": _Session.save_episodes,
    "statements": _Session.save_statements,
    "facts": _Session.save_facts,
    "daily": _Session.note_line,
}
"""The parts learned from a session, in this order, since the line names what the others left."""
