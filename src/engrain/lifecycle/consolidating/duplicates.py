"""`patterns`: those that say the same become one (loki's "Merging Duplicate Patterns").

What the operator wrote, and two that come from different hands, are only proposed: the operator's
word decides which of them is true.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import TypeAlias

from engrain.engine.core.attesting import effective_trust
from engrain.engine.core.contradictions import CONTRADICTS
from engrain.engine.core.store import JOBS, Actor, Store
from engrain.engine.history.history import taken_back
from engrain.engine.links.linking import mend_inverses
from engrain.engine.verbs.records import read_rows
from engrain.language.lexicons import read_words
from engrain.language.text.clustering import Item, find_clusters
from engrain.language.text.folding import distinguishes, fold
from engrain.lifecycle.jobs.job import Report, Run
from engrain.lifecycle.jobs.table import Step, do_steps
from engrain.lifecycle.reviewing.actions import commit_rewrites, join_ids
from engrain.lifecycle.reviewing.merging import Merge, plan_merge
from engrain.lifecycle.reviewing.staging import propose
from engrain.model.errors import ConflictError, EngrainError
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
from engrain.model.note.vectors import dot
from engrain.seam.embedder import Embedder
from engrain.seam.locator import Locator
from engrain.seam.rows import Filter

Compare: TypeAlias = "Callable[[Sequence[str]], 'Callable[[int, int], float]']"
"""Of some texts, how alike the one of a number is to that of another."""


ALIKE = 0.9
"""How alike two that are merged are at least."""

_ALIKE_HOW = 0.7
"""How alike at least what they say to do is, by meaning: of a whole text it is the smaller part."""
_CANDIDATES = 0.6
_WEIGHTS = {"said": 1.0, "how": 1.0}
_TOKEN = re.compile(r"(?:(?<![\w-])--?(?=[a-z]))?[^\W_][\w.'’-]*")
# Of two words that say the opposite one is here: where only one text has it, they differ.
_TURNING = read_words("experience", "words")["turning"]


def find_alike(
    patterns: Mapping[str, Pattern | AntiPattern],
    rank: Callable[[str], object],
    compare: Compare | None = None,
) -> Iterator[tuple[str, str]]:
    """Yield (kept, other) ids of patterns that say the same; the first of a group is kept.
    `compare` compares by meaning; None leaves it to the words."""
    items = [
        Item(id_, {"said": goal_words(_said(one)), "how": goal_words(_how(one))})
        for id_, one in patterns.items()
    ]
    least = ALIKE if compare is None else _CANDIDATES
    for cluster in find_clusters(items, _WEIGHTS, least):
        ranked = sorted(cluster, key=rank)  # type: ignore[arg-type]
        reads_alike = _compare_by_meaning([patterns[id_] for id_ in ranked], compare)
        taken: set[int] = set()
        for first, kept in enumerate(ranked):
            for other in range(first + 1, len(ranked)):
                if first in taken or other in taken or not reads_alike(first, other):
                    continue
                if not _differ(patterns[kept], patterns[ranked[other]]):
                    taken.add(other)
                    yield kept, ranked[other]


def _compare_by_meaning(
    ranked: Sequence[Pattern | AntiPattern], compare: Compare | None
) -> Callable[[int, int], bool]:
    """Whether two of some, by number, read alike by meaning; all do where nothing shows it."""
    if compare is None:
        return lambda first, other: True  # noqa: ARG005 - as the other one is called
    whole, how = compare([text_of(one) for one in ranked]), compare([_how(one) for one in ranked])
    return lambda first, other: whole(first, other) >= ALIKE and how(first, other) >= _ALIKE_HOW


def text_of(one: Pattern | AntiPattern) -> str:
    """All that a pattern or anti-pattern says."""
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
    """The words of which one more or less turns what is said around."""
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
    compare = _comparing(store)
    for _, entries in sorted(groups.items(), key=lambda item: item[0]):
        by_id = {entry.id: entry for entry in entries}
        patterns = {id_: read_either(entry) for id_, entry in by_id.items()}

        def rank(
            id_: str, patterns: dict[str, Pattern | AntiPattern] = patterns
        ) -> tuple[float, int, str]:
            one = patterns[id_]
            return -(one.confidence or 0.0), -len(sources_of(one)), id_

        for kept, other in find_alike(patterns, rank, compare):
            merge = Merge(by_id[kept], by_id[other])
            if not _conflict(merge) and not any(taken_back(store, other, OP)):
                yield merge


def _conflict(merge: Merge) -> bool:
    """Whether somebody said that the two contradict each other."""
    said = [*merge.kept.links, *merge.other.links]
    return any(
        relation == CONTRADICTS and to in (merge.kept.id, merge.other.id) for to, relation in said
    )


def _comparing(store: Store) -> Compare | None:
    """How texts are compared by meaning; None where there is nothing to do it with."""
    if not store.vectors.exist():
        return None
    for link in store.vectors.links:
        if link.missing() is not None:
            continue
        try:
            embedder = link.open()
        except EngrainError:
            continue
        return partial(_compare, embedder)
    return None


def _compare(embedder: Embedder, texts: Sequence[str]) -> Callable[[int, int], float]:
    try:
        vectors = embedder.embed(texts)
    except EngrainError:
        return lambda _one, _other: 0.0  # nothing is merged that nobody could compare
    return lambda one, other: dot(vectors[one], vectors[other])


def run(store: Store, run: Run) -> Report:
    """The job: merge patterns that say the same, or propose that."""
    store.require_index(scan=True)
    store = store.acting_as(Actor(JOBS))
    merges = list(find_merges(store))
    # One after the other: an earlier merge may change whom a later one comes from.
    steps = (_make_step(store, merge) for merge in merges)
    return do_steps(run, steps, ("merged", "proposed"))


def _make_step(store: Store, merge: Merge) -> Step:
    about = f"{merge.other.id}: {merge.reason}"
    if _is_ours(store, merge):
        return Step("merged", about, partial(_merge, store, merge))
    target = join_ids([merge.other.id, merge.kept.id])
    return Step("proposed", about, partial(propose, store, OP, target, merge.reason))


def _merge(store: Store, merge: Merge) -> str:
    whole = store.as_one_change()
    commit_rewrites(whole, OP, plan_merge(store, _reread(store, merge)), merge.reason)
    mend_inverses(whole, [merge.kept.id])
    return merge.kept.id


def _is_ours(store: Store, merge: Merge) -> bool:
    """Whether both come from the same hand, and that is not the operator's."""
    rows = [store.find_exact(entry.id) for entry in (merge.kept, merge.other)]
    origins = {"" if row is None else effective_trust(store, row) for row in rows}
    written = {"" if row is None else row.source for row in rows}
    return len(origins) == 1 and "" not in origins and OPERATOR not in written


def _reread(store: Store, merge: Merge) -> list[Entry]:
    """The two as they are now, the kept one last: an earlier merge may have changed it."""
    entries = [store.read_entry(Locator(entry.path)) for entry in (merge.other, merge.kept)]
    if [entry.id for entry in entries] != [merge.other.id, merge.kept.id]:
        raise ConflictError(f"{merge.other.id} was moved just now", path=merge.other.path)
    return entries
