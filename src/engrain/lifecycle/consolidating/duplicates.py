"""The job `patterns`: merge patterns that say the same in the same words (loki's "Merging
Duplicate Patterns").

If one is the operator's, or the two differ in origin, the merge is only proposed to the operator.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import partial

from engrain.engine.core.attesting import effective_trust
from engrain.engine.core.contradictions import CONTRADICTS
from engrain.engine.core.store import JOBS, Actor, Store
from engrain.engine.history.history import taken_back
from engrain.engine.links.linking import mend_inverses
from engrain.engine.verbs.records import read_rows
from engrain.language.text.folding import fold
from engrain.lifecycle.jobs.table import JobStep, Run, do_steps
from engrain.lifecycle.reviewing.actions import commit_rewrites, join_ids
from engrain.lifecycle.reviewing.staging import propose
from engrain.lifecycle.reviewing.table import Merge, plan_merge
from engrain.model.errors import ConflictError
from engrain.model.experience.patterns import (
    ANTI_PATTERN,
    PATTERN,
    AntiPattern,
    Pattern,
    read_either,
    sources_of,
)
from engrain.model.note.entry import Entry
from engrain.model.note.tiers import ACTIVE, LIVE, OPERATOR
from engrain.model.run_result import RunResult
from engrain.seam.locator import Locator
from engrain.seam.rows import Filter

_TOKEN = re.compile(r"(?:(?<![\w-])--?(?=[a-z]))?[^\W_][\w.'’-]*")
"""A word, or an option of a command."""


def find_alike(patterns: Mapping[str, Pattern | AntiPattern]) -> Iterator[tuple[str, str]]:
    """Yield (kept, other) ids of patterns with the same words; the first of a group is kept."""
    firsts: dict[tuple[tuple[str, ...], ...], str] = {}
    for id_, one in patterns.items():
        words = tuple(tuple(_TOKEN.findall(fold(text))) for text in _texts_of(one))
        first = firsts.setdefault(words, id_)
        if first != id_ and any(words):
            yield first, id_


def _texts_of(one: Pattern | AntiPattern) -> Sequence[str]:
    if isinstance(one, Pattern):
        return (
            one.pattern,
            "\n".join(one.conditions),
            one.correct_approach,
            one.incorrect_approach,
        )
    return one.what_fails, one.why, one.prevention


OP = "merge"

_KINDS = (PATTERN, ANTI_PATTERN)


def find_merges(store: Store) -> Iterator[Merge]:
    """Find pairs of patterns that say the same, within a kind and project: the better one is kept.
    A merge that was undone once is not found again. The index has to be ready."""
    groups: dict[tuple[str, str], list[Entry]] = {}
    only = Filter(kinds=_KINDS, statuses=(ACTIVE,), zones=(LIVE,), tiers=("T3",))
    for row, entry in read_rows(store, sorted(store.index.find(only), key=lambda row: row.id)):
        if entry.id == row.id:
            groups.setdefault((entry.kind, entry.project or ""), []).append(entry)
    for _, entries in sorted(groups.items(), key=lambda item: item[0]):
        by_id = {entry.id: entry for entry in entries}
        read = sorted(map(read_either, entries), key=_rank)
        for kept, other in find_alike({one.id: one for one in read}):
            merge = Merge(by_id[kept], by_id[other])
            said = [*merge.kept.links, *merge.other.links]
            opposed = any((id_, CONTRADICTS) in said for id_ in (kept, other))
            if not opposed and not any(taken_back(store, other, OP)):
                yield merge


def _rank(one: Pattern | AntiPattern) -> tuple[float, int, str]:
    return -(one.confidence or 0.0), -len(sources_of(one)), one.id


def run(store: Store, run: Run) -> RunResult:
    """Run the job: merge patterns that say the same, or propose that."""
    store.require_index(scan=not run.scanned)
    store = store.acting_as(Actor(JOBS))
    merges = list(find_merges(store))
    # Each step is made after the one before: an earlier merge may change an entry's origin.
    steps = (_make_step(store, merge) for merge in merges)
    return do_steps(run, steps, ("merged", "proposed"))


def _make_step(store: Store, merge: Merge) -> JobStep:
    about = f"{merge.other.id}: {merge.reason}"
    ids = [merge.other.id, merge.kept.id]
    rows = [row for row in map(store.find_exact, ids) if row is not None]
    one_origin = len({effective_trust(store, row) for row in rows}) == 1
    if len(rows) == 2 and one_origin and all(row.source != OPERATOR for row in rows):
        return JobStep("merged", about, partial(_merge, store, merge))
    return JobStep("proposed", about, partial(propose, store, OP, join_ids(ids), merge.reason))


def _merge(store: Store, merge: Merge) -> str:
    # Read again: an earlier merge may have changed one of them.
    entries = [store.read_entry(Locator(entry.path)) for entry in (merge.other, merge.kept)]
    if [entry.id for entry in entries] != [merge.other.id, merge.kept.id]:
        raise ConflictError(f"{merge.other.id} was moved just now", path=merge.other.path)
    whole = store.as_one_change()
    commit_rewrites(whole, OP, plan_merge(store, entries), merge.reason)
    mend_inverses(whole, [merge.kept.id])
    return merge.kept.id
