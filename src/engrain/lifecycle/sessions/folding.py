"""Folds a session's recalls into the vault after it has ended (S3.5, DESIGN section 6).

Counters live in the session's journal while it lasts, so recalling rewrites no note. At its end
they go into this device's state, with the session's ordinal and hits, by which other entries age. A
`fold` record adds them to the T3 notes that were recalled, and to no others; for counters alone a
note is written at most once a day. After a crash each step is recognised by its result, so that a
session is counted once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from time import monotonic
from typing import TYPE_CHECKING, Any

from engrain.engine.core.outcomes import Outcome
from engrain.engine.core.recalled import Recall
from engrain.engine.core.store import Store, try_again
from engrain.engine.core.weighing import Weighing
from engrain.engine.recall.pipeline import recall_entries
from engrain.engine.verbs.forget import restore_entry
from engrain.engine.verbs.save import SaveRequest, save
from engrain.language.text.instants import format_instant
from engrain.lifecycle.jobs.table import Run
from engrain.lifecycle.policy import learned_parts
from engrain.lifecycle.sessions.recall import note_use, recall
from engrain.lifecycle.sessions.sessions import (
    DAY,
    END,
    FOLDED,
    MARKS,
    RECALLED,
    STOP,
    USED,
    begin_session,
    check_session,
    day_session,
    ids_of,
    start_session,
    sweep_left,
)
from engrain.model.errors import EngrainError, NotFoundError
from engrain.model.experience.patterns import ANTI_PATTERN, PATTERN
from engrain.model.note.documents import count_of, object_of
from engrain.model.note.entry import read_entry
from engrain.model.note.note import make_id
from engrain.model.note.strength import DAY as DAY_SECONDS
from engrain.model.note.strength import reinforce
from engrain.model.note.tiers import ACTIVE, ARCHIVE, LIVE
from engrain.model.run_result import RunResult
from engrain.seam.changes import Write
from engrain.seam.journal import Event
from engrain.state.local_state import Count

if TYPE_CHECKING:
    from engrain.engine.core.store import Store
    from engrain.model.note.field import Value


_ATTEMPTS = 8
_COUNTED = [(status, zone) for status in (ACTIVE, "archived") for zone in (LIVE, ARCHIVE)]
"""The status and the zone of entries that have counters."""
_MOST_FOLDS = 50
"""An entry's latest folds that are searched for a session."""
_KEPT_DAYS = 90.0
"""Days for which the journal of a folded session is kept, with its context and transcript."""
_BIRTHS = "births"
_MAKING = (
    "save", "evolve", "import", "external", "restore", "consolidate", "learn", "today",
    "crystallize",
)  # fmt: skip
"""Changes that create an entry."""


class Recalls:
    """The recalls of one session since it was last folded: how often each entry came (`times`),
    which were found and used, when last, in which project; `part` counts its folds and `events`
    those in its journal."""

    __slots__ = ("at", "events", "found", "part", "project", "times", "used")

    def __init__(self, events: Sequence[Event]) -> None:
        self.times: dict[str, int] = {}
        self.found: dict[str, None] = {}
        self.used: set[str] = set()
        self.events = len(events)
        self.part = sum(event.name == FOLDED for event in events)
        self.at = events[-1].at if events else 0.0
        projects = {str(event.details["project"]) for event in events if "project" in event.details}
        # A day's session may have been in several projects, and then ages what has none.
        self.project = projects.pop() if len(projects) == 1 else ""
        folded = [event.details.get("events") for event in events if event.name == FOLDED]
        # Events may have come during a fold, which names the number that it covers.
        done = max((count for count in folded if isinstance(count, int)), default=0)
        for event in events[done:]:
            if event.name == RECALLED:
                leading = ids_of(event, "leading")
                for id_ in leading:
                    self.times[id_] = self.times.get(id_, 0) + 1
                self.found.update(dict.fromkeys((*leading, *ids_of(event, "again"))))
            elif event.name == USED:
                self.used.update(ids_of(event))


def fold_session(store: Store, session: str) -> list[str]:
    """Fold a closed session; return the ids of the entries that gain by it."""
    ids = _apply_journal(store, session)
    counted = write_counts(store)
    return [id_ for id_ in ids if id_ in counted]


def _apply_journal(store: Store, session: str) -> list[str]:
    """Move a session's recalls from its journal into this device's state; return the ids of the
    entries that it recalled or used."""
    session = store.device.journal.name_of(session)
    recalls = Recalls(store.device.journal.read(session))
    name = session if recalls.part == 0 else f"{session}#{recalls.part}"
    ids = [id_ for id_ in recalls.found if id_ in recalls.times or id_ in recalls.used]
    ids += sorted(id_ for id_ in recalls.used if id_ not in recalls.found)
    _restore_used(store, sorted(recalls.used))
    times = {id_: max(1, recalls.times.get(id_, 0)) for id_ in ids}
    store.device.local.add_counts(
        Count(name, id_, times[id_], id_ in recalls.used, recalls.at) for id_ in ids
    )
    note_births(store)
    hits = {*recalls.found, *recalls.used}
    at = recalls.at or store.clock.now()
    store.device.local.end_session(session, recalls.project, at, hits, recalls.used)
    store.device.journal.append(
        session, Event(FOLDED, store.clock.now(), {"events": recalls.events})
    )
    if len(store.device.journal.read(session)) == recalls.events + 1:
        store.device.journal.close(session)
        store.device.journal.close_session(session)
    return ids


def _restore_used(store: Store, ids: Sequence[str]) -> None:
    store.require_index()
    for id_ in ids:
        if any(row.status == "archived" and row.tier == "T3" for row in store.index.lookup(id_)):
            # An entry that was edited since, or whose original is gone, stays as it is.
            with suppress(EngrainError):
                restore_entry(store, id_)


def note_births(store: Store) -> None:
    """Note at which session this device made its new entries: their dates are by a clock that may
    have been wrong."""
    store.require_index()
    device = store.backend.device
    known = store.device.local.read_note(_BIRTHS)
    # A device that took a new id begins a chain of its own.
    after = known[1] if isinstance(known, list) and known[:1] == [device] else 0
    changes = store.index.changes(device=device, after=after)
    if changes:
        made = {c.entry for c in changes if c.before_hash is None and c.op in _MAKING}
        store.device.local.touch(made)
        store.device.local.write_note(_BIRTHS, [device, max(change.n for change in changes)])


def fold_pending(store: Store, run: Run | None = None) -> tuple[list[str], bool]:
    """Fold every closed session that is not folded; return their names, and whether the time ran
    out first."""
    folded: list[str] = []
    unfinished = False
    for session in store.device.journal.closed():
        unfinished = run is not None and run.out_of_time()
        if unfinished:
            break
        if run is None or not run.dry_run:
            _apply_journal(store, session)
        folded.append(session)
    if folded and not (run and run.dry_run):
        write_counts(store)
    return folded, unfinished


def run(store: Store, run: Run) -> RunResult:
    """Run the job: close abandoned sessions, fold them, drop old journals."""
    now = store.clock.now()
    if run.dry_run:
        left = [*store.device.journal.closed(), *_days_over(store, now)]
        return RunResult({"folded": len(left)}, [f"fold {session}" for session in left])
    sweep_left(store.device.journal, now)
    for session in _days_over(store, now):
        store.device.journal.close(session)
    folded, unfinished = fold_pending(store, run)
    write_counts(store)
    dropped = store.device.journal.drop_settled(now - _KEPT_DAYS * DAY_SECONDS)
    return RunResult(
        {"folded": len(folded), "journals dropped": dropped},
        [f"folded {session}" for session in folded],
        unfinished=unfinished,
    )


def begin(
    store: Store, session: str | None = None, *, project: str | None = None, current: bool = True
) -> str:
    """Begin a session, by an id of the caller's or a new one, and return the id; the `current` one
    is meant where none is named. Abandoned sessions are closed. Raises UsageError."""
    now = store.clock.now()
    session = check_session(session) if session else make_id(now, store.entropy.draw(10))
    project = (store.project if project is None else project) or ""
    if current:
        begin_session(store.device.journal, session, now, project=project)
    else:
        start_session(store.device.journal, session, now, source="startup", project=project)
    fold_pending(store)
    return session


def end(store: Store, session: str | None = None) -> list[str]:
    """End a session, the current one if none is named, and fold it and earlier ended ones; return
    the ids of the entries that gained by it. Raises NotFoundError."""
    session = check_session(session) if session else store.device.journal.current()
    if not session or not store.device.journal.read(session):
        raise NotFoundError(
            f"no session {session!r} has begun" if session else "no session has begun",
            remedy="`engrain agent begin` begins one",
        )
    store.device.journal.append(session, Event(END, store.clock.now(), {}))
    store.device.journal.close(session)
    if store.device.journal.current() == session:
        store.device.journal.set_current("")
    raised = fold_session(store, session)
    fold_pending(store)
    return raised


def fold_ended(store: Store, deadline: float | None = None) -> list[str]:
    """Fold the sessions that have ended, until `deadline` (a moment of `time.monotonic`); return
    their ids."""
    late = (lambda: False) if deadline is None else (lambda: monotonic() > deadline)
    return fold_pending(store, Run(out_of_time=late))[0]


def _days_over(store: Store, now: float) -> list[str]:
    open_ = store.device.journal.idle_since(float("inf"))
    return [name for name in open_ if name.startswith(DAY) and name < day_session(now)]


def write_counts(store: Store) -> set[str]:
    """Add the recalls of ended sessions to the counters of notes in one commit, each note once a
    day; the rest waits on this device. Return the ids of the entries that gain by it, now or later.
    Raises ConflictError where others keep writing them."""
    if not store.device.local.counts():
        return set()
    store.require_index()
    weighing = Weighing(store)

    def write() -> set[str]:
        due, counted, gaining = _sort_counts(store)
        writes: list[Write] = []
        written: list[Count] = []
        for counts in due:
            found = _count_in(store, weighing, counts)
            if found is not None:
                writes.append(found)
                written += counts
                gaining.add(counts[0].entry)
            else:
                counted += counts  # it is not the agent's own, or gone or broken since
        written.sort(key=lambda count: count.at)
        sessions = dict.fromkeys(count.session for count in written)
        if writes:
            store.commit("fold", writes, reason=" ".join(["session", *sessions]))
        store.device.local.drop_counts([*counted, *written])
        return gaining

    return try_again(write, _ATTEMPTS, lambda _: store.upkeep.drain())


def _sort_counts(store: Store) -> tuple[list[list[Count]], list[Count], set[str]]:
    """Return the waiting counts of each entry that are due now, those that a record has already,
    and the ids of entries whose counts keep waiting, since a device wrote them today."""
    today = store.now[:10]
    by_entry: dict[str, list[Count]] = {}
    for count in store.device.local.counts():
        by_entry.setdefault(count.entry, []).append(count)
    due: list[list[Count]] = []
    counted: list[Count] = []
    waiting: set[str] = set()
    for id_, counts in by_entry.items():
        folds = store.index.changes(entry=id_, op="fold", limit=_MOST_FOLDS)
        known = {name for fold in folds for name in fold.reason.split()[1:]}
        left = [count for count in counts if count.session not in known]
        counted += [count for count in counts if count.session in known]
        if left and any(format_instant(fold.at)[:10] == today for fold in folds[:1]):
            waiting.add(id_)
        elif left:
            due.append(left)
    return due, counted, waiting


def _count_in(store: Store, weighing: Weighing, counts: Sequence[Count]) -> Write | None:
    """Return the write that raises an entry's counters; None for an entry that is not the agent's
    own, or that is gone or broken since."""
    id_ = counts[0].entry
    row = store.find_exact(id_)
    if row is None or row.tier != "T3" or (row.status, row.zone) not in _COUNTED:
        return None
    try:
        stored = store.backend.read(row.locator)
        entry = read_entry(row.locator, stored.raw)
    except EngrainError:
        return None
    if entry.id != id_:
        return None
    weight = weighing.weight_of(entry)
    for count in counts:
        weight = reinforce(weight, used=count.used)
    changes: dict[str, Value] = {
        "id": entry.id,
        "weight": weight,
        "recall_count": entry.recall_count + sum(count.times for count in counts),
        "last_recalled": format_instant(counts[-1].at),
        "sessions_since_recall": 0,
    }
    uses = [count for count in counts if count.used]
    patterns = row.kind in (PATTERN, ANTI_PATTERN)
    if uses and (patterns or row.imported):
        changes["last_used"] = format_instant(uses[-1].at)
    if uses and patterns:
        changes["usage_count"] = count_of(entry.fields.get("usage_count")) + len(uses)
    store.preserve(row.locator, stored, id_)
    return Write(row.locator, entry.note.patch(changes).raw, id_, stored.hash)


class OpenSession:
    """A session of the caller's own, by its `id`, for a `with` block: it ends with it.

    with memory.sessions.open() as session:
        session.recall("nightly job lock")
    """

    def __init__(self, open_store: Callable[[], Store], *, project: str | None = None) -> None:
        self.id = begin(open_store(), project=project, current=False)
        self._open_store = open_store

    def __enter__(self) -> OpenSession:
        return self

    def __exit__(self, *_: object) -> None:
        end(self._open_store(), self.id)

    def recall(self, query: str, **options: Any) -> Recall:
        """Recall as `Memory.recall` does, within this session: noted, bounded, and nothing
        twice."""
        return recall(self._open_store(), query, recall_entries, session=self.id, **options)

    def save(self, text: str, **options: Any) -> Outcome:
        """Save as `Memory.save` does, of something said in this session: what short entries of one
        session leave out is understood from those beside them."""
        given = {"source": "session", "ref": self.id, **options}
        return save(self._open_store(), SaveRequest(text, **given))

    def used(self, *ids: str) -> None:
        """Note that entries proved useful: they gain more weight than those that only came."""
        note_use(self._open_store(), self.id, ids)


@dataclass(slots=True, eq=False)
class Marked:
    """A session by its `name` in the journals: its `host`, `transcript` and `project` as its hooks
    noted them, "" for none; whether it is `over`, or only a turn of it; `at` is its last mark, in
    epoch seconds. `stamp` is when its journal was written last, 0 while it is open, and how many
    marks it had: clocks are set back."""

    name: str
    host: str
    transcript: str
    project: str
    over: bool
    at: float
    stamp: tuple[float, float]


LEARNED_FROM = "learned"
"""The note of the job that learns from sessions."""


def has_unlearned(store: Store) -> bool:
    """Whether a session waits to be learned from, where the operator agreed to that. Raises
    ConfigError."""
    return bool(learned_parts(store.settings)) and any(MarkedSessions(store, LEARNED_FROM).list())


class MarkedSessions:
    """The sessions to learn from, for who keeps the note of a name on this device about those that
    it has learned from."""

    def __init__(self, store: Store, note: str) -> None:
        self._store = store
        self._note = note
        self.kept = object_of(store.device.local.read_note(note))
        self.known = {
            name: (stamp[0], stamp[1])
            for name, stamp in object_of(self.kept.get("sessions")).items()
            if isinstance(stamp, list) and len(stamp) == 2
        }

    def list(self) -> Iterator[Marked]:
        """Yield those with a transcript and a mark that is not known: first those that are over,
        the longest ago before the others, then the open ones that are between two turns."""
        journal = self._store.device.journal
        for name, written in journal.ended().items():
            if self.known.get(name, (0.0, 0.0))[0] != written:
                yield from self._look(name, written)
        for name in journal.idle_since(float("inf")):
            yield from self._look(name, 0.0)

    def mark(self, session: Marked, **more: Any) -> None:
        """Keep that a session was learned from, and `more` beside it."""
        self.known[session.name] = session.stamp
        journal = self._store.device.journal
        there = {*journal.ended(), *journal.idle_since(float("inf"))}
        kept = {name: list(stamp) for name, stamp in self.known.items() if name in there}
        self.write_fields(**more, sessions=kept)

    def write_fields(self, **more: Any) -> None:
        """Write fields beside the sessions; the other fields of the note stay as they are."""
        local = self._store.device.local
        self.kept = {**object_of(local.read_note(self._note)), **more}
        local.write_note(self._note, self.kept)

    def _look(self, name: str, written: float) -> Iterator[Marked]:
        events = self._store.device.journal.read(name)
        marks = [event.at for event in events if event.name in MARKS]
        stamp = (written, float(len(marks)))
        if name in self.known and self.known[name][1] == stamp[1]:
            self.known[name] = stamp  # what else was written into it is no news
        elif marks and (written or events[-1].name == STOP):
            told: dict[str, str] = {}
            for event in events:
                told |= {k: v for k, v in event.details.items() if isinstance(v, str) and v}
            host, path, project = (told.get(k, "") for k in ("host", "transcript", "project"))
            if path:
                yield Marked(name, host, path, project, written > 0, marks[-1], stamp)
