"""The jobs `decay`, `episodes` and `triage`: faded entries of the agent's own, old episodes, and
entries that waited too long in the inbox go into the archive (S3.6, S1.9, S1.17, S1.20, S2.11,
DESIGN sections 5 and 14).

An entry fades by the rule of `model.strength`: no recall in a number of sessions of its scope and
of days, a low weight, few recalls. An episode is kept in full for a week, then as a summary, and is
archived after a month unless something learned from it still refers to it. Its age counts from the
latest of three times: when it happened, when it was filed, and when somebody undid a step of this
job. The operator's entries are only proposed, and so is everything with `archive.t3 = stage`.

Triage proposes to file an entry of the inbox that was met in three sessions, recalled, or is the
lesson of a task. It archives one that was not met for `inbox.days`.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial

from engrain.engine.core.outcomes import UNCHANGED, Outcome
from engrain.engine.core.store import JOBS, Actor, Store
from engrain.engine.core.weighing import Weighing
from engrain.engine.episodes.episode import KIND, WHOLE, content_hash
from engrain.engine.indexes import write_episode_index
from engrain.engine.verbs.archive import archive_entry
from engrain.engine.verbs.records import read_rows, update_record
from engrain.language.text.instants import read_instant
from engrain.lifecycle.ageing.heat import age_on_this_device, last_seen
from engrain.lifecycle.jobs.table import JobStep, Run, do_steps
from engrain.lifecycle.policy import archives_by_itself, episode_days, read_decay_rule
from engrain.lifecycle.reviewing.staging import REJECTED, list_proposals, propose
from engrain.model.errors import EngrainError
from engrain.model.experience.episode import summarize_episode
from engrain.model.note.documents import count_of, object_of, texts_of
from engrain.model.note.json_note import JsonNote
from engrain.model.note.strength import DAY, EntryUse, has_faded, may_fade
from engrain.model.note.tiers import ACTIVE, INBOX, LIVE, OPERATOR, kind_of
from engrain.model.run_result import RunResult
from engrain.model.settings import read_number
from engrain.seam.rows import Filter, Row

_OWN = Filter(statuses=(ACTIVE,), zones=(LIVE,), tiers=("T3",))


@dataclass(slots=True, eq=False)
class Faded:
    """An entry that has faded, with its use and weight."""

    row: Row
    use: EntryUse
    weight: float

    @property
    def reason(self) -> str:
        """The reason in words."""
        return (
            f"not recalled in {self.use.sessions} sessions and {self.use.days:.0f} days, "
            f"weight {self.weight:.2f}, {self.use.recalls} recalls"
        )


def find_faded(store: Store) -> Iterator[Faded]:
    """Yield the agent's own entries that have faded, in the order of their ids."""
    rule = read_decay_rule(store.settings)
    ageing = age_on_this_device(store)
    counters = store.index.counters(_OWN)
    weighing = Weighing(store)
    for row in sorted(store.index.find(_OWN), key=lambda row: row.id):
        retention = kind_of(row.kind).retention
        recalls, last, before = counters.get(row.id, (0, None, 0))
        sessions, days = ageing.age(row.id, row.project or "", last_seen(row.created, last))
        use = EntryUse(recalls, before + sessions, days)
        if row.always_load or not may_fade(use, rule, retention, row.confidence):
            continue
        weight = row.weight
        if weight is None:
            try:
                weight = weighing.weight_of(store.read_entry(row.locator))
            except EngrainError:
                continue  # what can't be read is for `doctor` to report
        if has_faded(use, weight, rule, retention, row.confidence):
            yield Faded(row, use, weight)


def run_decay(store: Store, run: Run) -> RunResult:
    """Run the job `decay`: archive faded entries, or propose that."""
    store.require_index(scan=True)
    by_itself = archives_by_itself(store.settings)
    store = store.acting_as(Actor(JOBS))
    steps = [
        _archive_or_propose(
            store, run, one.row, one.reason, f"{one.row.id}: {one.reason}", by_itself
        )
        for one in find_faded(store)
    ]
    return do_steps(run, steps, ("archived", "proposed"))


def _archive_or_propose(
    store: Store, run: Run, row: Row, reason: str, about: str, by_itself: bool
) -> JobStep:
    """Make the step that archives an entry; without `by_itself`, and for the operator's entries, it
    only proposes that."""
    if by_itself and row.source != OPERATOR:
        return JobStep("archived", about, partial(archive_entry, store, row.id, reason=reason))
    ask = partial(propose, store, "archive", row.id, reason, capped=not run.asked)
    return JobStep("proposed", about, ask)


LEARNED = ("pattern", "anti-pattern", "learning", "procedural")
"""Kinds of entries whose episodes are not archived."""
_REFERRING = ("derived_from", "source_episodes", "sources")
_TAKEN_BACK = ("undo", "restore")


@dataclass(slots=True, eq=False)
class Old:
    """An episode that is due: its row, its age in days, and whether it goes into the archive or is
    summarised."""

    row: Row
    days: float
    archive: bool


def find_old(store: Store) -> Iterator[Old]:
    """Yield the episodes that are due, in the order of their ids."""
    now = store.clock.now()
    full, summary = episode_days(store.settings)
    only = Filter(kinds=(KIND,), statuses=(ACTIVE,), zones=(LIVE,), until=now - full * DAY)
    referred: set[str] | None = None
    for row, entry in read_rows(store, sorted(store.index.find(only), key=lambda row: row.id)):
        note = entry.note
        if not isinstance(note, JsonNote):
            continue
        days = (now - _since(store, row, note)) / DAY
        if days <= full:
            continue
        archive = days > summary
        if archive:
            referred = _find_referred(store) if referred is None else referred
            archive = row.id not in referred
        if archive or summarize_episode(note.document)[1]:
            yield Old(row, days, archive)


def run_episodes(store: Store, run: Run) -> RunResult:
    """Run the job `episodes`: summarise old ones, archive older ones, and write their index."""
    store.require_index(scan=True)
    by_itself = archives_by_itself(store.settings)
    store = store.acting_as(Actor(JOBS))
    steps = []
    for old in find_old(store):
        id_, reason = old.row.id, f"{old.days:.0f} days old, and nothing refers to it"
        if old.archive:
            steps.append(_archive_or_propose(store, run, old.row, reason, id_, by_itself))
        else:
            steps.append(JobStep("summarised", id_, partial(_summarize, store, old)))
    report = do_steps(run, steps, ("summarised", "archived", "proposed"))
    if not run.dry_run and not report.unfinished:
        report.counts["index files"] = write_episode_index(store)
    return report


def _summarize(store: Store, old: Old) -> Outcome | None:
    """Summarise an episode; return None where another process did."""

    def cut(note: JsonNote) -> JsonNote:
        document, left_out = summarize_episode(note.document)
        if not left_out:
            return note
        omitted = dict(object_of(note.own.get("omitted")))
        omitted["actions"] = left_out + count_of(omitted.get("actions"))
        whole = note.own.get(WHOLE) or content_hash(note.document)
        return note.with_document(document).patch({"omitted": omitted, WHOLE: whole})

    reason = f"{old.days:.0f} days old"
    outcome = update_record(store, old.row.locator, cut, "summarize", reason=reason)
    return None if outcome.outcome == UNCHANGED else outcome


def _since(store: Store, row: Row, note: JsonNote) -> float:
    moments = [row.created, read_instant(note.own.get("filed"))]
    for change in store.index.changes(entry=row.id, limit=1):
        if change.op in _TAKEN_BACK:
            moments.append(change.at)
    return max((at for at in moments if at is not None), default=store.clock.now())


def _find_referred(store: Store) -> set[str]:
    referred: set[str] = set()
    learned = Filter(kinds=LEARNED, statuses=(ACTIVE,), zones=(LIVE,))
    for row, entry in read_rows(store, store.index.find(learned)):
        referred.update(store.index.sources_of(row.id))
        said = {**entry.fields, **entry.note.document}
        for name in _REFERRING:
            referred.update(texts_of(said.get(name)))
    return referred


FIX = "fix"
FILE = "file"
ARCHIVE = "archive"
OFTEN = 3
"""Sessions in which an entry must be met to be proposed."""
_WAITING = Filter(statuses=(INBOX,), zones=(INBOX,))


@dataclass(slots=True, eq=False, kw_only=True)
class WaitingEntry:
    """The state of one waiting entry: the sessions in which it was `seen`, whether it was
    `recalled`, whether it is the `lesson` of a task, the `days` since it was met, and whether the
    operator was `asked` about it or `refused` it."""

    seen: int = 1
    recalled: bool = False
    lesson: bool = False
    days: float = 0.0
    asked: bool = False
    refused: bool = False


def choose(standing: WaitingEntry, most_days: float) -> tuple[str, str] | None:
    """Choose the action for a waiting entry, and the reason, as a pure policy: `file` or `archive`;
    None to let it wait."""
    if standing.asked:
        return None
    if not standing.refused:
        if standing.seen >= OFTEN:
            return FILE, f"met in {standing.seen} sessions"
        if standing.recalled:
            return FILE, "recalled from the inbox"
        if standing.lesson:
            return FILE, "what a task taught"
    if standing.days > most_days:
        return ARCHIVE, f"not met for {standing.days:.0f} days"
    return None


def run_triage(store: Store, run: Run) -> RunResult:
    """Run the job: look through the inbox, propose entries that were met often, and archive those
    not met for `inbox.days`."""
    store.require_index(scan=True)
    return do_steps(run, _find_steps(store, run), ("proposed", "archived"))


def _find_steps(store: Store, run: Run) -> Iterator[JobStep | None]:
    own = store.acting_as(Actor(JOBS))
    most_days, by_itself = (
        read_number(store.settings, "inbox.days"),
        archives_by_itself(store.settings),
    )
    inbox = _Inbox(store)
    for row in sorted(store.index.find(_WAITING), key=lambda row: row.id):
        standing = inbox.look_at(row)
        chosen = None if standing is None else choose(standing, most_days)
        if chosen is None:
            yield None
            continue
        action, reason = chosen
        if action == ARCHIVE and by_itself and row.source != OPERATOR:
            archive = partial(archive_entry, own, row.id, reason=reason)
            yield JobStep("archived", f"{row.id}: {reason}", archive)
        else:
            ask = partial(propose, own, action, row.id, reason, capped=not run.asked)
            yield JobStep("proposed", f"{row.id}: {action}: {reason}", ask)


class _Inbox:
    """The recalls and proposals by which waiting entries are judged."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._recalled = store.device.local.last_recalls()
        actions = (FILE, ARCHIVE)
        proposals = [one for one in list_proposals(store, decided=None) if one.action in actions]
        self._asked = {one.target for one in proposals if one.open}
        self._refused = {one.target for one in proposals if one.decision == REJECTED}

    def look_at(self, row: Row) -> WaitingEntry | None:
        """Return an entry's state, None for one that can't be read, which `doctor` reports."""
        try:
            entry = self._store.read_entry(row.locator)
        except EngrainError:
            return None
        now = self._store.clock.now()
        since = max((at for at in (row.created, row.updated) if at is not None), default=now)
        return WaitingEntry(
            seen=max(1, count_of(entry.fields.get("seen"))),
            recalled=entry.recall_count > 0 or row.id in self._recalled,
            lesson=row.kind == FIX and bool(entry.derived_from),
            days=(now - since) / DAY,
            asked=row.id in self._asked,
            refused=row.id in self._refused,
        )
