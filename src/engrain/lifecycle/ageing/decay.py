"""`decay`: entries of the agent's own that have faded go into the archive (S3.6, S1.9, S1.17).

By the rule of `model.strength`: no recall in so many sessions of its scope and so many days, a low
weight, few recalls. What the operator stated is only ever proposed for the archive, and so is
everything where `archive.t3 = stage`.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial

from engrain.engine.core.store import JOBS, Actor, Store
from engrain.engine.core.weighing import Weighing
from engrain.engine.verbs.archive import archive_entry
from engrain.lifecycle.ageing.sessions import age_on_this_device, last_seen
from engrain.lifecycle.jobs.job import Report, Run
from engrain.lifecycle.jobs.table import Step, do_steps
from engrain.lifecycle.policy import archives_by_itself, read_decay_rule
from engrain.lifecycle.reviewing.staging import propose
from engrain.model.errors import EngrainError
from engrain.model.note.kinds import kind_of
from engrain.model.note.strength import Use, has_faded, may_fade
from engrain.model.note.tiers import ACTIVE, LIVE
from engrain.seam.rows import Filter, Row

_OWN = Filter(statuses=(ACTIVE,), zones=(LIVE,), tiers=("T3",))


@dataclass(slots=True, eq=False)
class Faded:
    """An entry that has faded, and by what."""

    row: Row
    use: Use
    weight: float

    @property
    def reason(self) -> str:
        """Why, in words."""
        return (
            f"not recalled in {self.use.sessions} sessions and {self.use.days:.0f} days, "
            f"weight {self.weight:.2f}, {self.use.recalls} recalls"
        )


def find_faded(store: Store) -> Iterator[Faded]:
    """The entries of the agent's own that have faded, in the order of their ids."""
    rule = read_decay_rule(store.settings)
    ageing = age_on_this_device(store)
    counters = store.index.counters(_OWN)
    weighing = Weighing(store)
    for row in sorted(store.index.find(_OWN), key=lambda row: row.id):
        retention = kind_of(row.kind).retention
        recalls, last, before = counters.get(row.id, (0, None, 0))
        sessions, days = ageing.age(row.id, row.project or "", last_seen(row.created, last))
        use = Use(recalls, before + sessions, days)
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


def run(store: Store, run: Run) -> Report:
    """The job: archive what has faded, or propose that."""
    store.require_index(scan=True)
    by_itself = archives_by_itself(store.settings)
    store = store.acting_as(Actor(JOBS))
    steps = [_make_step(store, faded, by_itself) for faded in find_faded(store)]
    return do_steps(run, steps, ("archived", "proposed"))


def _make_step(store: Store, faded: Faded, by_itself: bool) -> Step:
    id_, reason = faded.row.id, faded.reason
    if by_itself and faded.row.source != "operator":
        archive = partial(archive_entry, store, id_, reason=reason)
        return Step("archived", f"{id_}: {reason}", archive)
    return Step("proposed", f"{id_}: {reason}", partial(propose, store, "archive", id_, reason))
