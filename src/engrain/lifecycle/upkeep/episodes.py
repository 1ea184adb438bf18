"""`episodes`: traces of tasks are kept in full for a week, then as summaries, and after a month go
into the archive, unless something that was learned from one still refers to it (S2.11, DESIGN
section 5).

Ages count from the latest of three: when it happened, when it was filed, and when somebody took a
step of this job back.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial

from engrain.engine.core.outcomes import UNCHANGED, Outcome
from engrain.engine.core.store import JOBS, Actor, Store
from engrain.engine.episodes.episode import KIND, WHOLE, content_hash
from engrain.engine.episodes.recording import recover_episodes
from engrain.engine.maps.indexes import write_episode_index
from engrain.engine.verbs.archive import archive_entry
from engrain.engine.verbs.records import read_rows, update_record
from engrain.language.text.instants import read_instant
from engrain.lifecycle.jobs.job import Report, Run
from engrain.lifecycle.jobs.table import Step, do_steps
from engrain.lifecycle.policy import archives_by_itself, episode_days
from engrain.lifecycle.reviewing.staging import propose
from engrain.model.experience.episode import summarize_episode
from engrain.model.note.documents import count_of, object_of, texts_of
from engrain.model.note.json_note import JsonNote
from engrain.model.note.strength import DAY
from engrain.model.note.tiers import ACTIVE, LIVE
from engrain.seam.rows import Filter, Row

LEARNED = ("pattern", "anti-pattern", "learning", "procedural")
"""Kinds that keep the episodes they were learned from out of the archive."""
_REFERRING = ("derived_from", "source_episodes", "sources")
_TAKEN_BACK = ("undo", "restore")


@dataclass(slots=True, eq=False)
class Old:
    """An episode that is due: its row, its age in days, and whether it goes into the archive, or
    is only to be summarised."""

    row: Row
    days: float
    archive: bool


def find_old(store: Store) -> Iterator[Old]:
    """The episodes that are due, in the order of their ids."""
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


def run(store: Store, run: Run) -> Report:
    """The job: summarise old episodes, archive older ones, and write their index."""
    store.require_index(scan=True)
    by_itself = archives_by_itself(store.settings)
    store = store.acting_as(Actor(JOBS))
    steps = [_make_step(store, old, by_itself) for old in find_old(store)]
    report = do_steps(run, steps, ("summarised", "archived", "proposed"))
    if not run.dry_run and not report.unfinished:
        report.counts["index files"] = write_episode_index(store)
    return report


def _make_step(store: Store, old: Old, by_itself: bool) -> Step:
    id_, reason = old.row.id, f"{old.days:.0f} days old, and nothing refers to it"
    if not old.archive:
        return Step("summarised", id_, partial(_summarize, store, old))
    if by_itself and old.row.source != "operator":
        return Step("archived", id_, partial(archive_entry, store, id_, reason=reason))
    return Step("proposed", id_, partial(propose, store, "archive", id_, reason))


def run_recordings(store: Store, run: Run) -> Report:
    """The job that files what dead processes left."""
    if run.dry_run:
        left = 0
        for recording in store.recordings.claim_left():
            recording.release()
            left += 1
        return Report({"filed": left})
    filed = recover_episodes(store)
    return Report({"filed": len(filed)}, [f"filed {one.id}" for one in filed])


def _summarize(store: Store, old: Old) -> Outcome | None:
    """Summarise an episode; None where another did."""

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
    """The moment from which an episode's age counts."""
    moments = [row.created, read_instant(note.own.get("filed"))]
    for change in store.index.changes(entry=row.id, limit=1):
        if change.op in _TAKEN_BACK:
            moments.append(change.at)
    return max((at for at in moments if at is not None), default=store.clock.now())


def _find_referred(store: Store) -> set[str]:
    """The ids of episodes that something live was learned from."""
    referred: set[str] = set()
    learned = Filter(kinds=LEARNED, statuses=(ACTIVE,), zones=(LIVE,))
    for row, entry in read_rows(store, store.index.find(learned)):
        note = entry.note
        referred.update(store.index.sources_of(row.id))
        said = {**note.fields, **note.document} if isinstance(note, JsonNote) else note.fields
        for name in _REFERRING:
            referred.update(texts_of(said.get(name)))
    return referred
