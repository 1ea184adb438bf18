"""How far entries have aged on this device: sessions and days since each was recalled last (S3.4,
DESIGN section 6).

Sessions are counted by their ordinals, which no clock can move. A session ages the entries of its
project and those that have none. Days are counted along the sessions: two that are far apart count
for a week only, whether the operator was away or the clock had jumped.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Mapping, Sequence
from itertools import accumulate

from engrain.engine.core.store import Store
from engrain.model.note.entry import Entry
from engrain.model.note.strength import DAY
from engrain.seam.local_state import Session
from engrain.seam.rows import Filter, Row

LONGEST_PAUSE = 90 * DAY
"""Between two sessions so far apart, time did not pass as it does while there is work."""
PAUSE = 7 * DAY
"""What such a pause counts for."""
_GRAIN = 1.0  # seconds that a time loses when written to a file


class Ageing:
    """The ages of entries at `now`, by the sessions that ended here and what they recalled."""

    def __init__(self, sessions: Sequence[Session], recalls: Mapping[str, int], now: float) -> None:
        self._recalls = recalls
        self._now = now
        self._times = [session.at for session in sessions]
        self._ordinals = [session.ordinal for session in sessions]
        self._by_project: dict[str, list[int]] = {}
        for session in sessions:
            self._by_project.setdefault(session.project, []).append(session.ordinal)
        # The latest session at or before a moment is found in these, whatever the clock did.
        self._earliest_behind = list(accumulate(reversed(self._times), min))[::-1]
        self._passed = list(accumulate(map(_count_gap, self._times, self._times[1:]), initial=0.0))

    def age(self, entry: str, project: str, born: float | None) -> tuple[int, float]:
        """Sessions in the entry's scope, and days, since it was recalled last; `born` is when it
        was made, or recalled on another device, by its file."""
        at = self._now if born is None else born
        since = bisect_right(self._ordinals, self._recalls.get(entry, 0))
        if since and at <= self._times[since - 1] + _GRAIN:
            at = self._times[since - 1]  # recalled here, and by that session's own clock
        else:
            since = bisect_right(self._earliest_behind, at)
        ordinals = self._in_scope(project)
        last = self._ordinals[since - 1] if since else 0
        return len(ordinals) - bisect_right(ordinals, last), self._days(since, at)

    def sessions_in(self, project: str, last: int) -> Sequence[int]:
        """The ordinals of the last so many sessions that an entry of a project is aged by."""
        return self._in_scope(project)[-last:] if last else []

    def _in_scope(self, project: str) -> list[int]:
        return self._by_project.get(project, []) if project else self._ordinals

    def _days(self, since: int, at: float) -> float:
        """Return the days from `at`, which is in or after the `since`-th session, to now."""
        if since == len(self._times):  # also without any session
            return _count_gap(at, self._now) / DAY
        passed = self._passed[-1] - self._passed[since] + _count_gap(at, self._times[since])
        return (passed + _count_gap(self._times[-1], self._now)) / DAY


def age_on_this_device(store: Store) -> Ageing:
    """Return the ages of a store's entries as of now."""
    return Ageing(
        store.device.local.sessions(), store.device.local.last_recalls(), store.clock.now()
    )


def last_seen(created: float | None, last_recalled: float | None) -> float | None:
    """Return the moment from which an entry ages where this device has not recalled it."""
    return max((at for at in (created, last_recalled) if at is not None), default=None)


def sessions_counter(store: Store) -> Callable[[Entry], int]:
    """Return a function that counts the sessions since an entry was recalled: those that its file
    had counted when it was written, and those on this device since."""
    ageing = age_on_this_device(store)

    def count(entry: Entry) -> int:
        born = last_seen(entry.created, entry.last_recalled)
        return entry.sessions_since_recall + ageing.age(entry.id, entry.project or "", born)[0]

    return count


def count_since_recall(store: Store, rows: Sequence[Row]) -> dict[str, int]:
    """Count, by id, the sessions in an entry's scope since its last recall, or since it was made,
    with those that its file had counted on other devices. The index must be ready."""
    ageing = age_on_this_device(store)
    counters = store.index.counters(Filter(), [row.id for row in rows])
    counted = {}
    for row in rows:
        _, last, before = counters.get(row.id, (0, None, 0))
        since, _ = ageing.age(row.id, row.project or "", last_seen(row.created, last))
        counted[row.id] = before + since
    return counted


def _count_gap(start: float, end: float) -> float:
    """Return the seconds that the time between two moments counts for."""
    gap = max(0.0, end - start)
    return gap if gap <= LONGEST_PAUSE else PAUSE
