"""The job `triage`: moves entries out of the inbox (S1.20, DESIGN section 14).

It proposes to absorb an entry that repeats an active one, and to file one that was met in three
sessions, or recalled. It archives one that was not met for `inbox.days`, which can be undone. What
was rejected is not proposed again.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial

from engrain.engine.core.store import JOBS, Actor, Store
from engrain.engine.verbs.archive import EXTRACT, archive_entry
from engrain.lifecycle.jobs.job import Report, Run
from engrain.lifecycle.jobs.table import Step, do_steps
from engrain.lifecycle.policy import archives_by_itself, inbox_days
from engrain.lifecycle.reviewing.actions import LiveTitles
from engrain.lifecycle.reviewing.proposals import REJECTED
from engrain.lifecycle.reviewing.staging import list_proposals, propose
from engrain.model.errors import EngrainError
from engrain.model.note.documents import count_of
from engrain.model.note.strength import DAY
from engrain.model.note.tiers import INBOX
from engrain.seam.rows import Filter, Row

FILE = "file"
ABSORB = "absorb"
ARCHIVE = "archive"
OFTEN = 3
"""Sessions in which an entry must be met to be proposed."""
_WAITING = Filter(statuses=(INBOX,), zones=(INBOX,))


@dataclass(slots=True, eq=False, kw_only=True)
class Standing:
    """The state of one waiting entry: the sessions in which it was `seen`, whether it was
    `recalled`, the `days` since it was met, the id of the active entry that says the same ("" for
    none), and whether the operator was `asked` about it or `refused` it."""

    seen: int = 1
    recalled: bool = False
    days: float = 0.0
    same_as: str = ""
    asked: bool = False
    refused: bool = False


def choose(standing: Standing, most_days: float) -> tuple[str, str] | None:
    """Choose the action for a waiting entry, and the reason, as a pure policy: `absorb`, `file` or
    `archive`; None to let it wait."""
    if standing.asked:
        return None
    if standing.same_as and not standing.refused:
        return ABSORB, f"says what {standing.same_as} says"
    if not standing.refused:
        if standing.seen >= OFTEN:
            return FILE, f"met in {standing.seen} sessions"
        if standing.recalled:
            return FILE, "recalled from the inbox"
    if standing.days > most_days:
        return ARCHIVE, f"not met for {standing.days:.0f} days"
    return None


def run(store: Store, run: Run) -> Report:
    """Run the job; `engrain reflect --triage` does the same."""
    store.require_index(scan=True)
    return do_steps(run, _find_steps(store), ("proposed", "archived"))


def triage(store: Store, *, dry_run: bool = False) -> Report:
    """Look through the inbox: propose entries that were met often or repeat others, archive those
    not met for `inbox.days`. With `dry_run` nothing is written. Raises LockedError."""
    return run(store, Run(dry_run=dry_run))


def _find_steps(store: Store) -> Iterator[Step | None]:
    own = store.acting_as(Actor(JOBS))
    most_days, by_itself = inbox_days(store.settings), archives_by_itself(store.settings)
    inbox = _Inbox(store)
    for row in sorted(store.index.find(_WAITING), key=lambda row: row.id):
        standing = inbox.look_at(row)
        chosen = None if standing is None else choose(standing, most_days)
        if chosen is None:
            yield None
            continue
        action, reason = chosen
        if action == ARCHIVE and by_itself and row.source != "operator":
            archive = partial(archive_entry, own, row.id, reason=reason, summarizer=EXTRACT)
            yield Step("archived", f"{row.id}: {reason}", archive)
        else:
            ask = partial(propose, own, action, row.id, reason)
            yield Step("proposed", f"{row.id}: {action}: {reason}", ask)


class _Inbox:
    """The live titles, recalls and proposals by which waiting entries are judged."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._live = LiveTitles(store)
        self._recalled = store.local.last_recalls()
        actions = (FILE, ABSORB, ARCHIVE)
        proposals = [one for one in list_proposals(store, decided=None) if one.action in actions]
        self._asked = {one.target for one in proposals if one.open}
        self._refused = {one.target for one in proposals if one.decision == REJECTED}

    def look_at(self, row: Row) -> Standing | None:
        """Return an entry's state, None for one that can't be read, which `doctor` reports."""
        try:
            entry = self._store.read_entry(row.locator)
        except EngrainError:
            return None
        now = self._store.clock.now()
        since = max((at for at in (row.created, row.updated) if at is not None), default=now)
        same = self._live.find(row)
        return Standing(
            seen=max(1, count_of(entry.fields.get("seen"))),
            recalled=entry.recall_count > 0 or row.id in self._recalled,
            days=(now - since) / DAY,
            same_as=same.id if same else "",
            asked=row.id in self._asked,
            refused=row.id in self._refused,
        )
