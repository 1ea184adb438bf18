"""Crystallization: the digest of a phase of work, as one note that cites its sources (S1.17,
DESIGN section 10).

Its id follows from the phase, so that two devices make one note; it is written once. Its material
are the entries that a project made in the phase, but those that are proposed or forgotten. Open are
tasks that failed, promises and ideas.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial

from engrain.engine.core.attesting import acting_from
from engrain.engine.core.moving import is_free
from engrain.engine.core.redaction import Redaction
from engrain.engine.core.store import Store
from engrain.engine.links.suggestions import name_now
from engrain.engine.verbs.records import read_rows
from engrain.engine.verbs.save import compose_new, stamp_source
from engrain.language.text.fences import code_span, quote_links, shorten
from engrain.language.text.folding import slugify
from engrain.language.text.instants import format_day, format_instant, read_instant
from engrain.lifecycle.consolidating.evidence import evidence_id
from engrain.lifecycle.synthesizing.judged import IN_SHORT, sum_up
from engrain.model.experience.commitments import OPEN as STILL_OPEN
from engrain.model.experience.episode import FAILURE, INTERRUPTED, PARTIAL
from engrain.model.experience.traces import Trace
from engrain.model.experience.wording import quote, word_error
from engrain.model.links.link import UNLINKABLE
from engrain.model.note.documents import text_of
from engrain.model.note.entry import Entry
from engrain.model.note.field import Value
from engrain.model.note.json_note import LEARNING, JsonNote
from engrain.model.note.tiers import ACTIVE, ARCHIVE, LIVE, PROJECTS, WORKING, kind_of
from engrain.seam.changes import Write
from engrain.seam.locator import Locator, make_locator
from engrain.seam.rows import Filter

KIND = "crystallized"

QUESTION = "Question"
INVESTIGATION = "Investigation"
FINDINGS = "Findings"
LESSONS = "Lessons"
OPEN = "Open threads"
SECTIONS = (QUESTION, INVESTIGATION, FINDINGS, LESSONS, OPEN)

PHASE = "phase"
MOST_LINES = 24
"""The most lines of a section, so that a digest can be read in a minute."""
LONGEST_LINE = 280
"""The most characters of a line, before its sources."""
_MOST_CITED = 4
_TITLE = 80


@dataclass(slots=True, eq=False)
class Line:
    """One line of a section: a text, the ids of its sources, and when it happened (epoch seconds,
    None if unknown)."""

    text: str
    sources: Sequence[str]
    at: float | None = None

    def __post_init__(self) -> None:
        self.sources = tuple(dict.fromkeys(self.sources))[:_MOST_CITED]


@dataclass(slots=True, eq=False)
class Span:
    """The phase called `name` of a project. `began` and `ended` are in epoch seconds; `given` has
    lines that are known already, by section."""

    name: str
    project: str
    began: float
    ended: float
    given: Mapping[str, Sequence[Line]] = field(default_factory=dict)

    @property
    def ref(self) -> str:
        """The reference that identifies it within the project."""
        return f"{PHASE} {self.name} {format_instant(self.ended)}"

    @property
    def heading(self) -> str:
        """Its heading: the phase, the project and the days."""
        first, last = format_day(self.began), format_day(self.ended)
        days = first if first == last else f"{first} to {last}"
        about = f" on {quote_links(self.project)}" if self.project else ""
        return f"{self.name.capitalize()}{about}, {days}"


def compose_body(
    span: Span, sections: Mapping[str, Sequence[Line]], name_of: Callable[[str], str]
) -> str:
    """Return the digest as a note's body. `name_of` gives the name by which to link to an id."""
    asked = sections[QUESTION]
    about = f": {quote_links(shorten(asked[0].text, _TITLE))}" if asked else ""
    parts = [f"# {span.heading}{about}"]
    for name, listed in sections.items():
        lines = [
            " ".join(
                [f"- {quote(shorten(line.text, LONGEST_LINE))}"]
                + [_cite(name_of(source)) for source in line.sources]
            )
            for line in listed[:MOST_LINES]
        ]
        if len(listed) > MOST_LINES:
            lines.append(f"\nAnd {len(listed) - MOST_LINES} more.")
        if lines:
            parts.append(f"## {name}\n\n" + "\n".join(lines))
    return "\n\n".join(parts) + "\n"


def _cite(name: str) -> str:
    """Return a link to a name, or the name as code if a link can't contain it."""
    return code_span(name) if UNLINKABLE.search(name) else f"[[{name}]]"


_FOUND = ("decision", "fix", "insight", "domain-reference", "memory", "design")
_TAUGHT = ("workflow", "preference", "feedback", "opinion")
_PROMISED = ("idea", "commitment")
_LEARNED = ("pattern", "anti-pattern", LEARNING)
_UNDONE = (FAILURE, PARTIAL, INTERRUPTED)
_STATUSES = (ACTIVE, "archived", "superseded")
_MOST = 500
"""The newest entries of one sort that are read."""
_SLACK = 1.0  # seconds: the end of a phase is written in whole seconds
_GOAL = 160
"""Characters of a task's goal, which leave room for its outcome."""


def make_sections(
    span: Span, traces: Sequence[Trace], notes: Sequence[Entry], learned: Sequence[Entry]
) -> dict[str, list[Line]]:
    """Return the lines of every section, of episodes, notes and what was learned in that time. The
    question is the first goal if none was written; the investigation is in the order of time."""
    tasks = _by_goal(traces)
    asked = [Line(goal, [same[0].id], same[0].at) for goal, same in tasks[:1]]
    found: dict[str, Iterable[Line]] = {
        QUESTION: () if span.given.get(QUESTION) else asked,
        INVESTIGATION: map(_describe_task, tasks),
        FINDINGS: (_make_line(entry) for entry in notes if entry.kind in _FOUND),
        LESSONS: _lessons(traces, notes, learned),
        OPEN: _open_threads(notes, tasks),
    }
    sections = {name: list(_once([*span.given.get(name, ()), *found[name]])) for name in SECTIONS}
    sections[INVESTIGATION].sort(key=lambda line: line.at or 0.0)
    return sections


def _gather(store: Store, span: Span) -> dict[str, list[Line]]:
    """Gather the material of a phase, and return its sections. The index has to be ready."""
    traces = [
        Trace(
            entry.id,
            entry.note.document,
            project=span.project,
            at=read_instant(entry.note.document.get("timestamp")) or entry.created or 0.0,
        )
        for entry in _list(store, span, "episode")
        if isinstance(entry.note, JsonNote)
    ]
    notes = _list(store, span, *_FOUND, *_TAUGHT, *_PROMISED)
    replaced = {entry.supersedes for entry in notes}
    notes = [entry for entry in notes if entry.id not in replaced]
    derived = store.index.derived_from([trace.id for trace in traces]) if traces else ()
    rows = [row for row in derived if row.kind in _LEARNED and row.status == ACTIVE]
    learned = [entry for _, entry in read_rows(store, rows[:_MOST])]
    return make_sections(span, traces, notes, learned)


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


def _describe_task(task: tuple[str, list[Trace]]) -> Line:
    goal, traces = task
    often = f" ({len(traces)} times)" if len(traces) > 1 else ""
    return Line(_end(goal, traces[-1]) + often, [one.id for one in traces[::-1]], traces[0].at)


def _lessons(
    traces: Sequence[Trace], notes: Sequence[Entry], learned: Sequence[Entry]
) -> Iterator[Line]:
    """Yield what was learned: patterns and mistakes first, then errors that none of them covers."""
    covered = {text_of(entry.fields.get("signature")) for entry in learned}
    taught = (entry for entry in notes if entry.kind in _TAUGHT)
    yield from map(_make_line, (*learned, *taught))
    for trace in traces:
        for error in trace.errors:
            if error.resolution and error.signature not in covered:
                covered.add(error.signature)
                yield Line(f"{word_error(error)} – {error.resolution}", [trace.id], trace.at)


def _open_threads(
    notes: Sequence[Entry], tasks: Iterable[tuple[str, list[Trace]]]
) -> Iterator[Line]:
    for goal, traces in tasks:
        if traces[-1].outcome in _UNDONE:
            yield Line(_end(goal, traces[-1]), [traces[-1].id], traces[-1].at)
    for entry in notes:
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


OP = "crystallize"
CREATED, UNCHANGED, NOTHING = "created", "unchanged", "nothing"
"""Outcomes. `unchanged`: the phase has its digest, or had one that was forgotten or erased.
`nothing`: there is no material."""


@dataclass(slots=True, eq=False)
class Crystallized:
    """The result for a phase: one of the outcomes above, the lines of the digest by section with
    the cited ids, its text, and the id and place of its note ("" for none)."""

    span: Span
    outcome: str
    sections: Mapping[str, Sequence[Line]] = field(default_factory=dict)
    id: str = ""
    path: str = ""
    text: str = ""
    redacted: tuple[str, ...] = ()

    @property
    def sources(self) -> tuple[str, ...]:
        """Every cited id, once, in the order of the lines."""
        lines = (line for told in self.sections.values() for line in told[:MOST_LINES])
        return tuple(dict.fromkeys(source for line in lines for source in line.sources))


def crystallize(store: Store, span: Span, *, dry_run: bool = False) -> Crystallized:
    """Make the digest of a phase, or return with `dry_run` what it would be. The index
    has to be ready.

    Raises ConfigError; ConflictError where another process was quicker.
    """
    id_ = evidence_id(span.ended, KIND, span.project, span.ref)
    known = store.find_exact(id_)
    if known is not None:
        return Crystallized(span, UNCHANGED, id=id_, path=known.locator)
    sections = _gather(store, span)
    if not any(sections[name] for name in SECTIONS[1:]):
        return Crystallized(span, NOTHING)
    if not dry_run and (short := _sum_up(store, span, sections)):
        sections = {IN_SHORT: short, **sections}
    done = Crystallized(span, CREATED, sections)
    redaction = Redaction(store)
    done.text = redaction.clean(compose_body(span, sections, partial(_name, store)))
    done.redacted = redaction.rules
    if not dry_run:
        _file(store, done, id_)
    return done


def _sum_up(store: Store, span: Span, sections: Mapping[str, Sequence[Line]]) -> list[Line]:
    """Return what the judge, if there is one, says in short of the lines of a digest."""
    lines = [line for name in SECTIONS for line in sections[name][:MOST_LINES]]
    found = sum_up(store, span.heading, [line.text for line in lines]) or ()
    return [Line(text, lines[number].sources, lines[number].at) for text, number in found]


def _file(store: Store, done: Crystallized, id_: str) -> None:
    """Write a digest."""
    span = done.span
    sources = [source for source in done.sources if store.find_exact(source) is not None]
    actor = acting_from(store, sources)
    fields: dict[str, Value] = {
        "id": id_,
        "kind": KIND,
        "project": span.project or None,
        PHASE: span.name,
        "began": format_instant(span.began),
        "ended": format_instant(span.ended),
        "derived_from": list(sources),
    }
    clean = Redaction(store).clean_values(fields)
    note = compose_new(store, clean, done.text, stamp_source(actor, OP, span.ref))
    done.id, done.path = id_, _free_place(store, span, id_)
    reason = f"{span.ref}, {len(sources)} sources"
    store.commit(OP, [Write(make_locator(done.path), note.raw, id_)], reason=reason, actor=actor)


def _name(store: Store, id_: str) -> str:
    """Return the name by which a link names an entry: its id where it is no note, and its path in
    a project's folder, since every project has files of the same names."""
    row = store.find_exact(id_)
    if row is None or not row.locator.endswith(".md"):
        return id_
    if row.locator.startswith(f"{PROJECTS}/"):
        return row.locator.removesuffix(".md")
    return name_now(store, row.locator)


def _free_place(store: Store, span: Span, id_: str) -> Locator:
    day = format_instant(span.ended)[:10]
    slug = slugify(f"{day} {PHASE} {span.name} {span.project}", KIND)
    place = make_locator(f"{kind_of(KIND).folder}/{slug}.md")
    if is_free(store, place):
        return place
    return make_locator(f"{kind_of(KIND).folder}/{slug}-{id_[-8:]}.md")
