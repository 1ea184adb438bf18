"""The job `patterns`: merge patterns that say the same (loki's "Merging Duplicate Patterns").

If one is the operator's, or the two differ in origin, the merge is only proposed to the operator.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import partial
from itertools import combinations

from engrain.engine.core.attesting import effective_trust
from engrain.engine.core.contradictions import CONTRADICTS
from engrain.engine.core.store import JOBS, Actor, Store
from engrain.engine.history.history import taken_back
from engrain.engine.links.linking import mend_inverses
from engrain.engine.verbs.records import read_rows
from engrain.language.lexicons import read_words
from engrain.language.text.clustering import ClusterItem, find_clusters
from engrain.language.text.folding import distinguishes, fold
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
from engrain.model.experience.traces import goal_words
from engrain.model.experience.wording import same_said
from engrain.model.note.entry import Entry
from engrain.model.note.tiers import ACTIVE, LIVE, OPERATOR
from engrain.model.run_result import RunResult
from engrain.seam.locator import Locator
from engrain.seam.rows import Filter

ALIKE = 0.9
"""The least likeness of two patterns that are merged."""
_WEIGHTS = {"said": 1.0, "how": 1.0}
_TOKEN = re.compile(r"(?:(?<![\w-])--?(?=[a-z]))?[^\W_][\w.'’-]*")
# Of two words that say the opposite one is here: where only one text has it, they differ.
_TURNING = read_words("experience", "words")["turning"]


def find_alike(patterns: Mapping[str, Pattern | AntiPattern]) -> Iterator[tuple[str, str]]:
    """Yield (kept, other) ids of patterns that say the same; the first of a group is kept."""
    ranks = {id_: rank for rank, id_ in enumerate(patterns)}
    items = [
        ClusterItem(id_, {"said": goal_words(_said(one)), "how": goal_words(_how(one))})
        for id_, one in patterns.items()
    ]
    for cluster in find_clusters(items, _WEIGHTS, ALIKE):
        taken: set[str] = set()
        for first, other in combinations(sorted(cluster, key=ranks.__getitem__), 2):
            if not {first, other} & taken and not _differ(patterns[first], patterns[other]):
                taken.add(other)
                yield first, other


def text_of(one: Pattern | AntiPattern) -> str:
    """Return the whole text of a pattern or anti-pattern."""
    return f"{_said(one)}\n{_how(one)}"


def _said(one: Pattern | AntiPattern) -> str:
    if isinstance(one, Pattern):
        return "\n".join((one.pattern, *one.conditions))
    return f"{one.what_fails}\n{one.why}"


def _how(one: Pattern | AntiPattern) -> str:
    if isinstance(one, Pattern):
        return f"{one.correct_approach}\n{one.incorrect_approach}"
    return one.prevention


def _differ(one: Pattern | AntiPattern, other: Pattern | AntiPattern) -> bool:
    """Whether two that read alike say different things."""
    if _telling(text_of(one)) != _telling(text_of(other)):
        return True
    if not isinstance(one, Pattern) or not isinstance(other, Pattern):
        return False
    pairs = (
        (one.correct_approach, other.incorrect_approach),
        (other.correct_approach, one.incorrect_approach),
    )
    # One that avoids what it does itself avoids nothing.
    own = same_said(one.correct_approach, one.incorrect_approach)
    return not own and any(do and avoid and same_said(do, avoid) for do, avoid in pairs)


def _telling(text: str) -> set[str]:
    """Return the words that make a statement another one when they are added or left out."""
    words = {word.rstrip(".'’-") for word in _TOKEN.findall(fold(text))}
    return {
        word
        for word in words
        if distinguishes(word) or word in _TURNING or word.endswith(("n't", "n’t"))
    }


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
