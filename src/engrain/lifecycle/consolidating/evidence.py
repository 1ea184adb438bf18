"""The evidence of consolidation, and the steps that write what follows from it (S2.4, S2.7).

An archived episode still counts, a forgotten or erased one does not. One that this vault never had
counts as the pattern that cites it says: it was imported with it. Each step is one commit, a
pattern or an anti-pattern with its learning, which one `undo` takes back.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from hashlib import blake2b

from engrain.engine.core.attesting import acting_from
from engrain.engine.core.redaction import Redaction
from engrain.engine.core.store import Actor, Store
from engrain.engine.history.history import bytes_after, taken_back
from engrain.engine.verbs.records import read_rows
from engrain.engine.verbs.save import check_size, compose_new, stamp_source
from engrain.language.text.folding import slugify
from engrain.language.text.instants import format_instant, read_instant
from engrain.lifecycle.reviewing.actions import FileRewrite
from engrain.model.errors import EngrainError, NotFoundError
from engrain.model.experience.episode import FAILURE, PARTIAL, SUCCESS
from engrain.model.experience.patterns import (
    ANTI_PATTERN,
    PATTERN,
    AntiPattern,
    Pattern,
    read_either,
    sources_of,
)
from engrain.model.experience.traces import Trace
from engrain.model.note.entry import Entry, read_entry
from engrain.model.note.field import Value
from engrain.model.note.note import Note, make_id
from engrain.model.note.tiers import ACTIVE, LIVE, OPERATOR, kind_of
from engrain.seam.locator import make_locator
from engrain.seam.rows import Filter, Row

OP = "consolidate"
_PRIOR_FOR, _PRIOR_AGAINST = 2.0, 1.0
_MOST = 0.99
HALF = 0.5
"""The weight of an error that nobody resolved; a resolved one weighs 1."""

_OUTCOMES = {SUCCESS: (1.0, 0.0), PARTIAL: (0.5, 0.5), FAILURE: (0.0, 1.0)}


def weigh_outcome(outcome: str) -> tuple[float, float]:
    """Return what an episode of this outcome counts for a pattern and against it; an interrupted
    episode or an unknown outcome counts for neither."""
    return _OUTCOMES.get(outcome, (0.0, 0.0))


def confidence_of(support: float, counter: float) -> float:
    """Return the confidence from the weights for and against, both from 0 up."""
    found = (support + _PRIOR_FOR) / (support + counter + _PRIOR_FOR + _PRIOR_AGAINST)
    return min(_MOST, round(found, 4))


def word_change(before: float | None, after: float) -> str:
    """Word a change of confidence for a reason; None is a confidence that nobody stated."""
    return f"confidence {'unknown' if before is None else f'{before:g}'} -> {after:g}"


_MOST_SOURCES = 200
"""Episodes that a pattern names at most: the newest."""
_ID_CHARACTERS = 16_000
"""Characters that their ids have together at most: they are in the frontmatter twice."""
_ANCHORS = 50
"""A pattern's newest episodes that are clustered again, so that a new one finds them."""
_KIND = "episode"
_PAST = ("deleted", "archived", "superseded")


@dataclass(slots=True, eq=False)
class KnownPattern:
    """A pattern or anti-pattern of the vault, with its row and entry."""

    row: Row
    entry: Entry
    value: Pattern | AntiPattern

    @property
    def sources(self) -> Sequence[str]:
        return sources_of(self.value)

    def may_take(self, project: str) -> bool:
        """Whether episodes of a project may join it: it belongs to that project or to no
        project."""
        return (self.row.project or "") in (project, "")


class KnownPatterns:
    """Patterns by id, and by the episodes that they name."""

    def __init__(self, known: Iterable[KnownPattern] = ()) -> None:
        self.by_id = {one.row.id: one for one in known}
        self._by_source: dict[str, set[str]] = {}
        for id_, one in self.by_id.items():
            for source in one.sources:
                self._by_source.setdefault(source, set()).add(id_)

    def sharing(self, ids: Iterable[str], project: str) -> list[tuple[KnownPattern, int]]:
        """Return the patterns of a project, or of no project, that name some of these episodes,
        each with the number of them, the largest first."""
        counted = Counter(id_ for source in ids for id_ in self._by_source.get(source, ()))
        ranked = sorted(counted, key=lambda id_: (-counted[id_], id_))
        found = [(self.by_id[id_], counted[id_]) for id_ in ranked]
        return [(known, count) for known, count in found if known.may_take(project)]


class EpisodeEvidence:
    """The episodes of one vault, each read once."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._rows: dict[str, Row | None] = {}
        self._traces: dict[str, Trace | None] = {}

    def gather(
        self, since: float, project: str | None, patterns: Iterable[KnownPattern]
    ) -> list[Trace]:
        """Return the episodes to cluster, by id: those from `since` on, those that no pattern
        refers to, and the newest of each pattern's."""
        projects = None if project is None else (project,)
        only = Filter(kinds=(_KIND,), statuses=(ACTIVE,), zones=(LIVE,), projects=projects)
        rows = {row.id: row for row in self._store.index.find(only)}
        self._rows |= rows
        referred = {source for known in patterns for source in known.sources}
        wanted = {
            id_
            for id_, row in rows.items()
            if id_ not in referred or max(row.created or 0.0, row.updated or 0.0) >= since
        }
        for known in patterns:
            wanted.update(self.newest(self.here(known.sources), _ANCHORS))
        found = [trace for id_ in sorted(wanted) if (trace := self.trace(id_))]
        return [trace for trace in found if project in (None, trace.project)]

    def renew(
        self, known: KnownPattern, joining: Collection[str]
    ) -> tuple[set[str], list[str]] | None:
        """Return the episodes that join a pattern, and all that it then names, without those that
        are gone; None where nothing changes. Episodes whose joining was undone do not join, and
        no job changes a pattern that the operator vouched for."""
        if known.row.source == OPERATOR and self._store.actor.trust != OPERATOR:
            return None
        more = set(joining).difference(known.sources)
        if more:
            more -= self._refused(known)
        kept = [id_ for id_ in {*known.sources, *more} if not self.is_gone(id_)]
        if not more and len(kept) == len(set(known.sources)):
            return None
        sources = self.newest(kept)
        return (more, sources) if set(sources) != set(known.sources) else None

    def here(self, ids: Iterable[str]) -> list[str]:
        """Return those of some episodes that still count."""
        return [id_ for id_ in ids if self.row(id_) is not None]

    def row(self, id_: str) -> Row | None:
        """Return the episode of an id if it still counts: active or archived."""
        if id_ not in self._rows:
            self._rows[id_] = self._store.find_exact(id_)
        row = self._rows[id_]
        return row if row is not None and row.kind == _KIND and row.status != "deleted" else None

    def is_gone(self, id_: str) -> bool:
        """Whether an id was in this vault and no longer counts."""
        return self.row(id_) is None and self._rows[id_] is not None

    def trace(self, id_: str) -> Trace | None:
        """Return an episode's content, None for one that does not count or can't be read."""
        if id_ not in self._traces:
            self._traces[id_] = self._read(id_)
        return self._traces[id_]

    def newest(self, ids: Iterable[str], most: int = _MOST_SOURCES) -> list[str]:
        """Return the ids of the newest of these episodes, sorted."""
        ranked = sorted(set(ids), key=lambda id_: (self._age(id_), id_), reverse=True)
        room = _ID_CHARACTERS
        kept = [id_ for id_ in ranked[:most] if (room := room - len(id_)) >= 0]
        return sorted(kept)

    def weigh(self, ids: Iterable[str]) -> tuple[float, float]:
        """Sum up, by their outcomes, what some episodes count for a pattern and against it."""
        support = counter = 0.0
        for id_ in ids:
            if self.is_gone(id_):
                continue
            trace = self.trace(id_)
            more = weigh_outcome(trace.outcome) if trace is not None else (1.0, 0.0)
            support, counter = support + more[0], counter + more[1]
        return support, counter

    def last(self, ids: Iterable[str]) -> str | None:
        """Return when the newest of some episodes was made, None where none exists."""
        at = max(map(self._age, ids), default=0.0)
        return format_instant(at) if at else None

    def _age(self, id_: str) -> float:
        row = self.row(id_)
        return (row.created or 0.0) if row is not None else 0.0

    def _read(self, id_: str) -> Trace | None:
        row = self.row(id_)
        if row is None:
            return None
        try:
            note = self._store.read_entry(row.locator).note
        except EngrainError:
            return None  # what can't be read is for `doctor` to report
        at = read_instant(note.document.get("timestamp")) or row.created or 0.0
        return Trace(id_, note.document, project=row.project or "", at=at)

    def _refused(self, known: KnownPattern) -> set[str]:
        """Return the episodes whose joining to a pattern was undone."""
        found: set[str] = set()
        for change in taken_back(self._store, known.row.id, OP):
            if change.locator is None or change.after_hash is None:
                continue
            try:
                entry = read_entry(change.locator, bytes_after(self._store, change))
            except EngrainError:
                continue  # its bytes were erased, and the ids in them
            if entry.kind in (PATTERN, ANTI_PATTERN):
                found.update(sources_of(read_either(entry)))
        return found.difference(known.sources)


def list_known(store: Store, kind: str, *, past: bool = False) -> list[KnownPattern]:
    """List the patterns, or anti-patterns, that can be read, by id: the active ones, or with `past`
    those that were forgotten, archived or superseded."""
    only = Filter(kinds=(kind,), statuses=_PAST if past else (ACTIVE,))
    rows = sorted(store.index.find(only), key=lambda row: row.id)
    return [KnownPattern(row, entry, read_either(entry)) for row, entry in read_rows(store, rows)]


def renew_note(store: Store, before: Entry, note: Note, actor: Actor) -> FileRewrite:
    """Replace an entry's note by one with the time of the change, and with the actor's trust where
    the file states one."""
    changes: dict[str, Value] = {"updated": store.now}
    if "trust" in before.source:
        changes["source"] = {**before.source, "trust": actor.trust}
    note = note.patch(changes)
    check_size(note)
    return FileRewrite(before, note, make_locator(before.path))


@dataclass(slots=True, eq=False)
class PlannedStep:
    """One planned step: `word` says what is done to the entry `id`, `reason` why; the `rewrites` by
    `actor` do it, none where nothing is written."""

    word: str
    id: str
    reason: str
    rewrites: Sequence[FileRewrite] = ()
    actor: Actor | None = None


CREATED, RENEWED, LEFT = "created", "updated", "left"


def evidence_id(at: float, *parts: str) -> str:
    """Make the id of an entry from its evidence, the same on every device: two devices that
    consolidate the same episodes make one entry, and an erased entry is recognised."""
    digest = blake2b("\0".join(parts).encode(errors="surrogatepass"), digest_size=10).digest()
    return make_id(at, digest)


def compose_fresh(
    store: Store, fields: dict[str, Value], body: str, project: str | None, actor: Actor
) -> FileRewrite:
    """Compose a new pattern or anti-pattern without secrets."""
    redaction = Redaction(store)
    body = redaction.clean(body)
    id_, kind = str(fields["id"]), str(fields["kind"])
    stem = slugify(body.partition("\n")[0].removeprefix("# "), f"{kind}-{id_[-8:]}")
    folder = kind_of(kind).folder
    if _is_anothers(store, f"{folder}/{stem}.md", id_):
        stem = f"{stem}-{id_[-8:]}"
    stamped = {**redaction.clean_values(fields), "project": project or None}
    note = compose_new(store, stamped, body, stamp_source(actor, "consolidation", None))
    return FileRewrite(None, note, make_locator(f"{folder}/{stem}.md"))


def _is_anothers(store: Store, place: str, id_: str) -> bool:
    """Whether another entry is at a place. If it is the same one, which another device made just
    now, the commit notices it."""
    try:
        return store.read_entry(make_locator(place)).id != id_
    except NotFoundError:
        return False
    except EngrainError:
        return True


def maker(store: Store, sources: Sequence[str], over: Entry | None = None) -> Actor:
    """Return the actor with the least trust among these episodes and the entry `over`. What the
    operator accepts is the operator's, though jobs proposed it."""
    if store.actor.trust == OPERATOR and over is not None:
        return store.actor
    row = None if over is None else store.find_exact(over.id)
    here = [source for source in sources if store.find_exact(source) is not None]
    return acting_from(store, here, over=row, hash_="" if over is None else over.hash)
