"""`patterns`: those that say the same become one (loki's "Merging Duplicate Patterns").

What the operator wrote, and two that come from different hands, are only proposed: the operator's
word decides which of them is true.
"""

from __future__ import annotations

from engrain.engine.core.attesting import OPERATOR, effective_trust
from engrain.engine.core.store import JOBS, Actor, Store
from engrain.engine.links.linking import mend_inverses
from engrain.lifecycle.consolidating.merges import OP, find_merges
from engrain.lifecycle.jobs.job import Report, Run
from engrain.lifecycle.reviewing.joining import Merge, plan_merge
from engrain.lifecycle.reviewing.joint import commit_rewrites, join_ids
from engrain.lifecycle.reviewing.staging import propose
from engrain.model.errors import ConflictError
from engrain.model.note.entry import Entry
from engrain.seam.locator import Locator


def run(store: Store, run: Run) -> Report:
    """The job."""
    store.require_index(scan=True)
    store = store.acting_as(Actor(JOBS))
    counts = {"merged": 0, "proposed": 0}
    lines: list[str] = []
    for merge in list(find_merges(store)):
        if run.out_of_time():
            return Report(counts, lines, unfinished=True)
        by_itself = _is_ours(store, merge)
        try:
            if not run.dry_run:
                if by_itself:
                    whole = store.as_one_change()
                    commit_rewrites(
                        whole, OP, plan_merge(store, _reread(store, merge)), merge.reason
                    )
                    mend_inverses(whole, [merge.kept.id])
                elif propose(store, OP, _name(merge), merge.reason) is None:
                    continue
        except ConflictError:
            continue  # it changed just now, and the next run looks again
        word = "merged" if by_itself else "proposed"
        counts[word] += 1
        lines.append(f"{word} {merge.other.id}: {merge.reason}")
    return Report(counts, lines)


def _is_ours(store: Store, merge: Merge) -> bool:
    """Whether both come from the same hand, and that is not the operator's."""
    rows = [store.find_exact(entry.id) for entry in (merge.kept, merge.other)]
    origins = {"" if row is None else effective_trust(store, row) for row in rows}
    written = {"" if row is None else row.source for row in rows}
    return len(origins) == 1 and "" not in origins and OPERATOR not in written


def _name(merge: Merge) -> str:
    return join_ids([merge.other.id, merge.kept.id])


def _reread(store: Store, merge: Merge) -> list[Entry]:
    """The two as they are now, the kept one last: an earlier merge may have changed it."""
    entries = [store.read_entry(Locator(entry.path)) for entry in (merge.other, merge.kept)]
    if [entry.id for entry in entries] != [merge.other.id, merge.kept.id]:
        raise ConflictError(f"{merge.other.id} was moved just now", path=merge.other.path)
    return entries
