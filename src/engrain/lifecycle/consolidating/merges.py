"""Patterns that say the same: which they are. Of each group the most confident one is kept."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial

from engrain.engine.core.contradictions import CONTRADICTS
from engrain.engine.core.store import Store
from engrain.engine.history.history import taken_back
from engrain.engine.verbs.records import read_rows
from engrain.lifecycle.reviewing.joining import Merge
from engrain.model.errors import EngrainError
from engrain.model.experience.likeness import Compare, find_alike
from engrain.model.experience.patterns import (
    ANTI_PATTERN,
    PATTERN,
    AntiPattern,
    Pattern,
    read_either,
    sources_of,
)
from engrain.model.note.entry import Entry
from engrain.model.note.tiers import ACTIVE, LIVE
from engrain.model.note.vectors import dot
from engrain.seam.embedder import Embedder
from engrain.seam.rows import Filter

OP = "merge"

_KINDS = (PATTERN, ANTI_PATTERN)


def find_merges(store: Store) -> Iterator[Merge]:
    """What is to be merged, each with one that ranks before it, within its kind and project; what
    was taken back once is not found again. The index is to be ready."""
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
