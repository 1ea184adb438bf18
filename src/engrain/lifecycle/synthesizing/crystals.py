"""Crystallization: the digest of a phase of work, as one note that cites its sources (S1.17,
DESIGN section 10).

Its id follows from the phase, so that two devices make one note. From the same material it is
unchanged; a digest of more supersedes the earlier one. Text that a person wrote into it stays. Its
material are the entries that a project made in the phase, but those that are proposed or forgotten.
Open are tasks that failed, promises and ideas.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from hashlib import blake2b

from engrain.engine.core.attesting import acting_from
from engrain.engine.core.moving import is_free, retire
from engrain.engine.core.redaction import Redaction
from engrain.engine.core.store import Actor, Store
from engrain.engine.history.history import taken_back
from engrain.engine.links.suggestions import name_now
from engrain.engine.verbs.records import read_rows
from engrain.engine.verbs.save import compose_new
from engrain.language.text.fences import code_span, quote_links, shorten
from engrain.language.text.folding import slugify
from engrain.language.text.instants import format_day, format_instant, read_instant
from engrain.lifecycle.consolidating.evidence import evidence_id
from engrain.model.errors import ConflictError, EngrainError
from engrain.model.experience.commitments import OPEN as STILL_OPEN
from engrain.model.experience.episode import FAILURE, INTERRUPTED, PARTIAL
from engrain.model.experience.traces import Trace
from engrain.model.experience.wording import quote, word_error
from engrain.model.links.link import UNLINKABLE
from engrain.model.note.documents import text_of
from engrain.model.note.entry import Entry
from engrain.model.note.field import Value
from engrain.model.note.json_note import LEARNING, JsonNote
from engrain.model.note.note import Note, make_id
from engrain.model.note.tiers import ACTIVE, ARCHIVE, LIVE, PROJECTS, WORKING, kind_of
from engrain.seam.changes import Write
from engrain.seam.locator import Locator, make_locator
from engrain.seam.rows import Filter, Row

KIND = "crystallized"

QUESTION = "Question"
INVESTIGATION = "Investigation"
FINDINGS = "Findings"
LESSONS = "Lessons"
OPEN = "Open threads"
SECTIONS = (QUESTION, INVESTIGATION, FINDINGS, LESSONS, OPEN)

PHASE = "phase"

MOST_LINES: Mapping[str, int] = {
    QUESTION: 3, INVESTIGATION: 24, FINDINGS: 24, LESSONS: 16, OPEN: 16,
}  # fmt: skip
"""The most lines of each section, so that a digest can be read in a minute."""
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


class Crystal:
    """The digest's lines by section, at most MOST_LINES each; `left` counts the lines of each
    section that had no room."""

    def __init__(self, sections: Mapping[str, Sequence[Line]]) -> None:
        given = {name: tuple(sections.get(name, ())) for name in SECTIONS}
        self.sections = {name: lines[: MOST_LINES[name]] for name, lines in given.items()}
        self.left = {name: len(lines) - len(self.sections[name]) for name, lines in given.items()}

    @property
    def sources(self) -> tuple[str, ...]:
        """Every cited id, once, in the order of the lines."""
        lines = (line for name in SECTIONS for line in self.sections[name])
        return tuple(dict.fromkeys(source for line in lines for source in line.sources))

    @property
    def empty(self) -> bool:
        """Whether it has no line, or only the question, on which nobody worked."""
        return not any(self.sections[name] for name in SECTIONS[1:])


def compose_body(span: Span, crystal: Crystal, name_of: Callable[[str], str]) -> str:
    """Return the digest as a note's body. `name_of` gives the name by which to link to an id."""
    asked = crystal.sections[QUESTION]
    about = f": {quote_links(shorten(asked[0].text, _TITLE))}" if asked else ""
    parts = [f"# {span.heading}{about}"]
    for name in SECTIONS:
        lines = [
            " ".join(
                [f"- {quote(shorten(line.text, LONGEST_LINE))}"]
                + [_cite(name_of(source)) for source in line.sources]
            )
            for line in crystal.sections[name]
        ]
        if crystal.left[name]:
            lines.append(f"\nAnd {crystal.left[name]} more.")
        if lines:
            parts.append(f"## {name}\n\n" + "\n".join(lines))
    return "\n\n".join(parts) + "\n"


def _cite(name: str) -> str:
    """Return a link to a name, or the name as code if a link can't contain it."""
    return code_span(name) if UNLINKABLE.search(name) else f"[[{name}]]"


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


OP = "crystallize"
_EVOLVE = "evolve"

CREATED, EVOLVED, UNCHANGED = "created", "evolved", "unchanged"
NOTHING, FORGOTTEN, OWN = "nothing", "forgotten", "own"
"""Outcomes. `nothing`: there is no material. `forgotten`: the note was forgotten, and stays so.
`own`: a person changed it, undid a later one, or retired it; it stays as it is."""

_MATERIAL, _TEXT = "material", "text_hash"
"""Fields of the note: hashes of its sources' ids, and of the text as it was made."""
_KEPT = ("tags", "always_load", "weight", "confidence", "pinned")
"""Fields that a later digest takes over from the one it replaces."""


class Crystallized:
    """The result for a phase: one of the outcomes above, the note's id and place ("" for
    none), the digest, and its text."""

    def __init__(self, span: Span, outcome: str, crystal: Crystal, row: Row | None = None) -> None:
        self.span = span
        self.outcome = outcome
        self.crystal = crystal
        self.id = row.id if row is not None else ""
        self.path: str = row.locator if row is not None else ""
        self.text = ""
        self.redacted: tuple[str, ...] = ()


def crystallize(store: Store, span: Span, *, dry_run: bool = False) -> Crystallized:
    """Make the digest of a phase, or return with `dry_run` what it would be. The index
    has to be ready.

    Raises ConfigError; ConflictError where another process was quicker.
    """
    material = gather(store, span)
    crystal = Crystal(make_sections(span, material))
    given = sorted(id_ for lines in span.given.values() for line in lines for id_ in line.sources)
    fingerprint = _digest([*material.ids, *dict.fromkeys(given)])
    known = _find(store, span)
    if known is not None and (outcome := _judge(store, *known, fingerprint)):
        return Crystallized(span, outcome, crystal, known[0])
    if crystal.empty:
        return Crystallized(span, NOTHING, crystal)
    done = Crystallized(span, CREATED if known is None else EVOLVED, crystal)
    redaction = Redaction(store)
    done.text = redaction.clean(compose_body(span, done.crystal, partial(_name, store)))
    done.redacted = redaction.rules
    if dry_run:
        return done
    _file(store, done, fingerprint, None if known is None else known[1])
    return done


def _file(store: Store, done: Crystallized, fingerprint: str, old: Entry | None) -> None:
    """Write a digest, at the place of an older one if it replaces one."""
    sources = [id_ for id_ in done.crystal.sources if store.find_exact(id_) is not None]
    actor = acting_from(store, sources)
    note = _compose(store, done, sources, actor, fingerprint, old)
    done.id = str(note.fields["id"])
    if old is None and store.find_exact(done.id) is not None:
        done.outcome = FORGOTTEN  # it was erased
        return
    place = _free_place(store, done.span, done.id) if old is None else make_locator(old.path)
    done.path = place
    reason = f"{done.span.ref}, {len(sources)} sources"
    if old is None:
        store.commit(OP, [Write(place, note.raw, done.id)], reason=reason, actor=actor)
        return
    stored = store.backend.read(place)
    if stored.hash != old.hash:
        raise ConflictError(f"{old.id} was changed just now", path=place, remedy="try again")
    store.preserve(place, stored, old.id)
    gone = retire(old, {"status": "superseded", "updated": store.now})
    new = Write(place, note.raw, done.id, old.hash)
    store.commit(_EVOLVE, [gone, new], reason=reason, actor=actor)


def _name(store: Store, id_: str) -> str:
    """Return the name by which a link names an entry: its id where it is no note, and its path in
    a project's folder, since every project has files of the same names."""
    row = store.find_exact(id_)
    if row is None or not row.locator.endswith(".md"):
        return id_
    if row.locator.startswith(f"{PROJECTS}/"):
        return row.locator.removesuffix(".md")
    return name_now(store, row.locator)


def _find(store: Store, span: Span) -> tuple[Row, Entry] | None:
    """Return the latest digest of a phase."""
    rows = store.index.find(Filter(kinds=(KIND,), projects=(span.project,)))
    here = [row for row in rows if row.primary]
    for row in sorted(here, key=lambda row: row.status != ACTIVE):
        try:
            entry = store.read_entry(row.locator)
        except EngrainError:
            continue
        if entry.source.get("ref") == span.ref and row.status != "superseded":
            return row, entry
    return None


def _judge(store: Store, row: Row, entry: Entry, fingerprint: str) -> str:
    """Return the outcome for an existing digest, "" where it has to be made anew."""
    if row.status == "deleted":
        return FORGOTTEN
    if entry.fields.get(_MATERIAL) == fingerprint:
        return UNCHANGED
    written = entry.fields.get(_TEXT) != _digest([entry.note.body])
    if row.status != ACTIVE or written or any(taken_back(store, row.id, _EVOLVE)):
        return OWN
    return ""


def _compose(
    store: Store,
    done: Crystallized,
    sources: Sequence[str],
    actor: Actor,
    fingerprint: str,
    old: Entry | None,
) -> Note:
    span = done.span
    fields: dict[str, Value] = {
        "id": evidence_id(span.ended, KIND, span.project, span.ref),
        "kind": KIND,
        "project": span.project or None,
        PHASE: span.name,
        "began": format_instant(span.began),
        "ended": format_instant(span.ended),
        "derived_from": list(sources),
        _MATERIAL: fingerprint,
        _TEXT: _digest([done.text]),
    }
    if old is not None:
        fields |= {key: old.fields[key] for key in _KEPT if key in old.fields}
        fields["id"] = make_id(store.clock.now(), store.entropy.draw(10))
        fields["supersedes"] = old.id
    source: dict[str, Value] = {"kind": OP, "ref": span.ref}
    if actor.agent:
        source["agent"] = actor.agent
    clean = Redaction(store).clean_values(fields)
    return compose_new(store, clean, done.text, {**source, "trust": actor.trust})


def _free_place(store: Store, span: Span, id_: str) -> Locator:
    day = format_instant(span.ended)[:10]
    slug = slugify(f"{day} {PHASE} {span.name} {span.project}", KIND)
    place = make_locator(f"{kind_of(KIND).folder}/{slug}.md")
    if is_free(store, place):
        return place
    return make_locator(f"{kind_of(KIND).folder}/{slug}-{id_[-8:]}.md")


def _digest(parts: Sequence[str]) -> str:
    return blake2b("\n".join(parts).encode(errors="replace"), digest_size=8).hexdigest()
