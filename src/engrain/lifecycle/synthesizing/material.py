"""Gathers the entries that a project made in a phase of work, and makes from them the lines of a
digest, each with its sources (S1.17).

Entries that are proposed or forgotten are left out. Open are tasks that failed,
promises and ideas.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from engrain.engine.core.store import Store
from engrain.engine.verbs.records import read_rows
from engrain.language.text.fences import shorten
from engrain.language.text.instants import read_instant
from engrain.model.experience.commitments import OPEN as STILL_OPEN
from engrain.model.experience.crystal import (
    FINDINGS,
    INVESTIGATION,
    LESSONS,
    LONGEST_LINE,
    OPEN,
    QUESTION,
    SECTIONS,
    Line,
    Span,
)
from engrain.model.experience.episode import FAILURE, INTERRUPTED, PARTIAL
from engrain.model.experience.traces import Trace
from engrain.model.experience.wording import word_error
from engrain.model.note.documents import text_of
from engrain.model.note.entry import Entry
from engrain.model.note.json_note import LEARNING, JsonNote
from engrain.model.note.tiers import ACTIVE, ARCHIVE, LIVE, WORKING
from engrain.seam.rows import Filter

EPISODE = "episode"
PATTERNS = ("pattern", "anti-pattern")
NOTES = (
    "decision", "fix", "insight", "workflow", "domain-reference", "memory", "design", "idea",
    "commitment", "preference", "feedback", "opinion",
)  # fmt: skip
"""Kinds of notes that a digest contains, besides patterns and learnings of its episodes."""

_STATUSES = (ACTIVE, "archived", "superseded")
_MOST = 500
"""The newest entries of one sort that are read."""
_SLACK = 1.0  # seconds: the end of a phase is written in whole seconds


@dataclass(slots=True, eq=False)
class Material:
    """The material of a digest, each sort in the order of time."""

    episodes: list[Trace] = field(default_factory=list, init=False)
    notes: list[Entry] = field(default_factory=list, init=False)
    learned: list[Entry] = field(default_factory=list, init=False)

    @property
    def ids(self) -> list[str]:
        """The sorted ids of all material."""
        entries = (*self.notes, *self.learned)
        return sorted({trace.id for trace in self.episodes} | {entry.id for entry in entries})


def gather(store: Store, span: Span) -> Material:
    """Gather the material of a phase. The index has to be ready."""
    found = Material()
    for entry in _list(store, span, EPISODE):
        note = entry.note
        if isinstance(note, JsonNote):
            at = read_instant(note.document.get("timestamp")) or entry.created or 0.0
            found.episodes.append(Trace(entry.id, note.document, project=span.project, at=at))
    notes = _list(store, span, *NOTES)
    replaced = {entry.supersedes for entry in notes}
    found.notes = [entry for entry in notes if entry.id not in replaced]
    found.learned = list(_list_learned(store, [trace.id for trace in found.episodes]))
    return found


def _list(store: Store, span: Span, *kinds: str) -> list[Entry]:
    """List the entries of these kinds that the project made in the span, oldest first."""
    only = Filter(
        kinds=kinds,
        projects=(span.project,),
        statuses=_STATUSES,
        zones=(LIVE, ARCHIVE, WORKING),
        since=span.began,
        until=span.ended + _SLACK,
    )
    rows = store.index.find(only, _MOST)[::-1]
    return [entry for row, entry in read_rows(store, rows) if entry.id == row.id]


def _list_learned(store: Store, episodes: Sequence[str]) -> Iterator[Entry]:
    derived = store.index.derived_from(episodes) if episodes else ()
    kinds = (*PATTERNS, LEARNING)
    rows = [row for row in derived if row.kind in kinds and row.status == ACTIVE]
    yield from (entry for _, entry in read_rows(store, rows[:_MOST]))


_UNDONE = (FAILURE, PARTIAL, INTERRUPTED)
_FOUND = ("decision", "fix", "insight", "domain-reference", "memory", "design")
_TAUGHT = ("workflow", "preference", "feedback", "opinion")
_GOAL = 160
"""Characters of a task's goal, which leave room for its outcome."""


def make_sections(span: Span, material: Material) -> dict[str, list[Line]]:
    """Return the lines of every section. The question is the first goal if none was written; the
    investigation is in the order of time."""
    tasks = _by_goal(material.episodes)
    goals = [Line(goal, [traces[0].id], traces[0].at) for goal, traces in tasks]
    notes = [_make_line(entry) for entry in material.notes if entry.kind in _FOUND]
    found: dict[str, Iterable[Line]] = {
        QUESTION: () if span.given.get(QUESTION) else goals[:1],
        INVESTIGATION: _investigation(tasks),
        FINDINGS: notes,
        LESSONS: _lessons(material),
        OPEN: _open_threads(material, tasks),
    }
    sections = {name: list(_once([*span.given.get(name, ()), *found[name]])) for name in SECTIONS}
    sections[INVESTIGATION].sort(key=lambda line: line.at or 0.0)
    return sections


def _investigation(tasks: Iterable[tuple[str, list[Trace]]]) -> Iterator[Line]:
    for goal, traces in tasks:
        often = f" ({len(traces)} times)" if len(traces) > 1 else ""
        yield Line(_end(goal, traces[-1]) + often, [one.id for one in traces[::-1]], traces[0].at)


def _lessons(material: Material) -> Iterator[Line]:
    """Yield what was learned: patterns and mistakes first, then errors that none of them covers."""
    covered = {text_of(entry.fields.get("signature")) for entry in material.learned}
    taught = (entry for entry in material.notes if entry.kind in _TAUGHT)
    yield from map(_make_line, (*material.learned, *taught))
    for trace in material.episodes:
        for error in trace.errors:
            if error.resolution and error.signature not in covered:
                covered.add(error.signature)
                yield Line(f"{word_error(error)} – {error.resolution}", [trace.id], trace.at)


def _open_threads(material: Material, tasks: Iterable[tuple[str, list[Trace]]]) -> Iterator[Line]:
    for goal, traces in tasks:
        if traces[-1].outcome in _UNDONE:
            yield Line(_end(goal, traces[-1]), [traces[-1].id], traces[-1].at)
    for entry in material.notes:
        if entry.kind == "idea" or (
            entry.kind == "commitment" and entry.fields.get("state") == STILL_OPEN
        ):
            yield _make_line(entry)


def _by_goal(episodes: Sequence[Trace]) -> list[tuple[str, list[Trace]]]:
    """Return the tasks in order; those with the same goal are one group."""
    found: dict[str, list[Trace]] = {}
    for trace in episodes:
        if trace.goal:
            found.setdefault(" ".join(trace.goal.casefold().split()), []).append(trace)
    return [(traces[0].goal, traces) for traces in found.values()]


def _end(goal: str, last: Trace) -> str:
    return f"{shorten(goal, _GOAL)}: {last.outcome}"


def _make_line(entry: Entry) -> Line:
    """Return the title of an entry with the beginning of a note's text."""
    text = "" if isinstance(entry.note, JsonNote) else " ".join(entry.text.split())
    title = entry.title
    more = f" – {text}" if text and not title.startswith(text[: len(title)]) else ""
    return Line(shorten(title + more, LONGEST_LINE), [entry.id], entry.created)


def _once(lines: Iterable[Line]) -> Iterator[Line]:
    """Yield each text once, with the sources of all lines that have it."""
    found: dict[str, list[Line]] = {}
    for line in lines:
        if key := " ".join(line.text.casefold().split()):
            found.setdefault(key, []).append(line)
    for same in found.values():
        yield Line(same[0].text, [id_ for line in same for id_ in line.sources], same[0].at)
