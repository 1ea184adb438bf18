"""`list`: entries by filter alone."""

from __future__ import annotations

from dataclasses import dataclass

from engrain.engine.core.scope import Scope, filter_for
from engrain.engine.core.store import Store
from engrain.model.errors import UsageError
from engrain.model.note.tiers import SUPERSEDED
from engrain.seam.rows import Row


@dataclass(slots=True, eq=False)
class Listing:
    """Entries by filter: as many as asked for, of `total`."""

    rows: tuple[Row, ...]
    total: int


def list_entries(store: Store, *, scope: Scope | None = None, limit: int | None = None) -> Listing:
    """List entries by filter alone, newest first. An active one that another entry replaced is
    among them, as superseded."""
    if limit is not None and limit < 0:
        raise UsageError(f"a limit of {limit} makes no sense")
    scope = scope or Scope()
    only = filter_for(store, scope)
    counted = only.successions
    if not scope.statuses:
        # What lies in the archive is all listed where that is asked for, and is told by its status.
        more = (SUPERSEDED,) if scope.include_archive else ()
        only = only.replace(successions=0, statuses=(*only.statuses, *more))
    store.require_index(scan=True)
    rows = store.index.find(only, limit)
    for row in rows:
        row.status = row.status_for(counted)
    return Listing(tuple(rows), store.index.count(only))
