"""What a session leaves is folded into the vault once it has ended (S3.5, DESIGN section 6).

Counters live in the session's journal while it lasts, so recalling rewrites nothing. At its end one
`fold` record adds them to the T3 notes it recalled, and to no others; then this device's state has
its ordinal and its hits, by which everything else ages. Each step is told by what it left, so that
after a crash the same session is folded once and not twice.
"""

from __future__ import annotations

from contextlib import suppress
from time import monotonic

from engrain.engine.core.weighing import Weighing
from engrain.language.text.instants import format_instant
from engrain.lifecycle.jobs.job import Report, Run
from engrain.lifecycle.sessions.sessions import (
    DAY,
    END,
    FOLDED,
    RECALLED,
    USED,
    begin_session,
    check_session,
    day_session,
    ids_of,
    start_session,
    sweep_left,
)
from engrain.model.errors import ConflictError, EngrainError, NotFoundError
from engrain.model.experience.patterns import ANTI_PATTERN, PATTERN
from engrain.model.note.documents import count_of
from engrain.model.note.entry import read_entry
from engrain.model.note.ids import make_id
from engrain.model.note.strength import DAY as DAY_SECONDS
from engrain.model.note.strength import reinforce
from engrain.model.note.tiers import ACTIVE, ARCHIVE, LIVE
from engrain.seam.journal import Event
from engrain.seam.storage import Write

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from engrain.engine.core.store import Store
    from engrain.model.note.field import Value

_ATTEMPTS = 8
_KEPT_DAYS = 90.0
"""Days for which the journal of a session that was folded is kept: it says what was in its context,
and where its transcript is."""


_BIRTHS = "births"
_MAKING = (
    "save", "evolve", "import", "external", "restore", "consolidate", "learn", "today",
    "crystallize",
)  # fmt: skip
"""Changes by which an entry comes to be here."""


class Recalls:
    """What one session recalled since it was last folded: how often each entry came, which were
    found, which were used, when last, in which project; `part` counts its folds and `events` those
    in its journal."""

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
        for event in events[_folded(events) :]:
            if event.name == RECALLED:
                leading = ids_of(event, "leading")
                for id_ in leading:
                    self.times[id_] = self.times.get(id_, 0) + 1
                self.found.update(dict.fromkeys((*leading, *ids_of(event, "again"))))
            elif event.name == USED:
                self.used.update(ids_of(event))


def _folded(events: Sequence[Event]) -> int:
    """How many of a session's events were folded; some may have come while it was done."""
    counts = [event.details.get("events") for event in events if event.name == FOLDED]
    return max((count for count in counts if isinstance(count, int)), default=0)


def fold_session(store: Store, session: str) -> list[str]:
    """Fold a session that is closed; the ids of the entries whose counters rose."""
    session = store.journal.name_of(session)
    recalls = Recalls(store.journal.read(session))
    name = session if recalls.part == 0 else f"{session}#{recalls.part}"
    ids = [id_ for id_ in recalls.found if id_ in recalls.times or id_ in recalls.used]
    ids += sorted(id_ for id_ in recalls.used if id_ not in recalls.found)
    _wake(store, sorted(recalls.used))
    raised = _fold(store, ids, recalls, f"session {name}") if ids else []
    note_births(store)
    hits = {*recalls.found, *recalls.used}
    at = recalls.at or store.clock.now()
    store.local.end_session(session, recalls.project, at, hits, recalls.used)
    store.journal.append(session, Event(FOLDED, store.clock.now(), {"events": recalls.events}))
    if len(store.journal.read(session)) == recalls.events + 1:
        store.journal.close(session)
        store.journal.settle(session)
    return raised


def _wake(store: Store, ids: Sequence[str]) -> None:
    """Bring back the originals of archived entries that were used: they are needed again."""
    from engrain.engine.verbs.forget import restore_entry

    store.require_index()
    for id_ in ids:
        if any(row.status == "archived" and row.tier == "T3" for row in store.index.lookup(id_)):
            # One that was edited since, or whose original is gone, stays as it is.
            with suppress(EngrainError):
                restore_entry(store, id_)


def note_births(store: Store) -> None:
    """Count entries that this device made as of the sessions that have ended by now: their dates
    are by a clock that may have been wrong."""
    store.require_index()
    device = store.backend.device
    known = store.local.read_note(_BIRTHS)
    if isinstance(known, int):
        known = [device, known]  # as older versions wrote it
    # A device that took a new id begins a chain of its own.
    after = known[1] if isinstance(known, list) and known[:1] == [device] else 0
    changes = store.index.changes(device=device, after=after)
    if changes:
        made = {c.entry for c in changes if c.before_hash is None and c.op in _MAKING}
        store.local.touch(made)
        store.local.write_note(_BIRTHS, [device, max(change.n for change in changes)])


def fold_pending(store: Store, run: Run | None = None) -> tuple[list[str], bool]:
    """Fold every session that is closed and was not folded; their names, and whether the time ran
    out first."""
    folded: list[str] = []
    for session in store.journal.closed():
        if run is not None and run.out_of_time():
            return folded, True
        if run is None or not run.dry_run:
            fold_session(store, session)
        folded.append(session)
    return folded, False


def run(store: Store, run: Run) -> Report:
    """The job: close the sessions that were left, fold them, drop old journals."""
    now = store.clock.now()
    if run.dry_run:
        left = [*store.journal.closed(), *_days_over(store, now)]
        return Report({"folded": len(left)}, [f"fold {session}" for session in left])
    sweep_left(store.journal, now)
    for session in _days_over(store, now):
        store.journal.close(session)
    folded, unfinished = fold_pending(store, run)
    dropped = store.journal.drop_settled(now - _KEPT_DAYS * DAY_SECONDS)
    return Report(
        {"folded": len(folded), "journals dropped": dropped},
        [f"folded {session}" for session in folded],
        unfinished=unfinished,
    )


def begin(
    store: Store, session: str | None = None, *, project: str | None = None, current: bool = True
) -> str:
    """Begin a session, by an id of the caller's or a new one, which is returned; as the `current`
    one it is meant where none is named. Sessions that were left are closed. Raises UsageError."""
    now = store.clock.now()
    session = check_session(session) if session else make_id(now, store.entropy.draw(10))
    project = (store.project if project is None else project) or ""
    if current:
        begin_session(store.journal, session, now, project=project)
    else:
        start_session(store.journal, session, now, source="startup", project=project)
    fold_pending(store)
    return session


def end(store: Store, session: str | None = None) -> list[str]:
    """End a session, the current one if none is named, and fold what it recalled into the vault,
    and those before it that ended without; the ids of the entries that gained by it. Raises
    NotFoundError."""
    session = check_session(session) if session else store.journal.current()
    if not session or not store.journal.read(session):
        raise NotFoundError(
            f"no session {session!r} has begun" if session else "no session has begun",
            remedy="`engrain session begin` begins one",
        )
    store.journal.append(session, Event(END, store.clock.now(), {}))
    store.journal.close(session)
    if store.journal.current() == session:
        store.journal.set_current("")
    raised = fold_session(store, session)
    fold_pending(store)
    return raised


def name_current(store: Store) -> str:
    """The id of the current session of this device, "" where none was begun."""
    return store.journal.current()


def fold_ended(store: Store, deadline: float | None = None) -> list[str]:
    """Fold the sessions that have ended and were not folded yet, until `deadline` (a moment of
    `time.monotonic`); their ids."""
    late = (lambda: False) if deadline is None else (lambda: monotonic() > deadline)
    return fold_pending(store, Run(out_of_time=late))[0]


def _days_over(store: Store, now: float) -> list[str]:
    """The sessions of days that are over."""
    today = day_session(now)
    return [
        name
        for name in store.journal.idle_since(float("inf"))
        if name.startswith(DAY) and name < today
    ]


def _fold(store: Store, ids: Sequence[str], recalls: Recalls, reason: str) -> list[str]:
    """Raise the counters in one commit, unless a record says that it was done."""
    store.require_index()
    weighing = Weighing(store)
    for attempt in range(_ATTEMPTS):
        if _was_folded(store, ids, reason):
            return []
        counted = [found for id_ in ids if (found := _count_in(store, weighing, id_, recalls))]
        writes = [write for write, _ in counted]
        expected = {write.locator: hash_ for write, hash_ in counted}
        if not writes:
            return []
        try:
            store.commit("fold", writes, expected, reason=reason)
        except ConflictError:
            if attempt == _ATTEMPTS - 1:
                raise
            store.upkeep.drain()
        else:
            return [write.entry for write in writes]
    raise AssertionError("the last attempt returns or raises")


def _count_in(
    store: Store, weighing: Weighing, id_: str, recalls: Recalls
) -> tuple[Write, str] | None:
    """An entry with its counters raised, and the hash of what it is now; None for one that is not
    the agent's own, or that is gone or broken since."""
    try:
        row = store.find_exact(id_)
        if row is None or row.tier != "T3" or row.status not in (ACTIVE, "archived"):
            return None
        if row.zone not in (LIVE, ARCHIVE):
            return None
        stored = store.backend.read(row.locator)
        entry = read_entry(row.locator, stored.raw)
    except EngrainError:
        return None
    if entry.id != id_:
        return None
    changes: dict[str, Value] = {
        "id": entry.id,
        "weight": reinforce(weighing.weight_of(entry), used=id_ in recalls.used),
        "recall_count": entry.recall_count + max(1, recalls.times.get(id_, 0)),
        "last_recalled": format_instant(recalls.at),
        "sessions_since_recall": 0,
    }
    if id_ in recalls.used and row.imported:
        changes["last_used"] = format_instant(recalls.at)
    if id_ in recalls.used and row.kind in (PATTERN, ANTI_PATTERN):
        changes["usage_count"] = count_of(entry.fields.get("usage_count")) + 1
        changes["last_used"] = format_instant(recalls.at)
    store.preserve(row.locator, stored, id_)
    return Write(row.locator, entry.note.patch(changes).raw, id_), stored.hash


def _was_folded(store: Store, ids: Sequence[str], reason: str) -> bool:
    return any(
        change.op == "fold" and change.reason == reason
        for id_ in ids
        for change in store.index.changes(entry=id_, limit=50)
    )
