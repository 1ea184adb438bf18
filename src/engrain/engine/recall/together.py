"""Recalls from several vaults at once: the session's own vault, and others that are only read.

Scores of two vaults can't be compared, since each measures how rare a word is among its own
entries. So the lists are merged by rank: all first entries, then all second ones, as reciprocal
rank fusion does for disjoint lists (Cormack, Clarke and Büttcher 2009). At one rank the vault with
the higher relevance comes first, since relevance is calibrated in each vault. The budget is applied
after the merge.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from threading import Event, Thread

from engrain.engine.core.outcomes import Recall, Recalled, TaskRecall
from engrain.engine.core.store import Other, Store
from engrain.engine.recall.mistakes import MOST_MISTAKES
from engrain.engine.recall.packing import Packer, compared_text
from engrain.engine.recall.pipeline import NEAREST, recall_entries
from engrain.engine.recall.profiles import Request
from engrain.engine.recall.task import MOST_SKILLS, SHARES
from engrain.model.errors import EngrainError, StorageError

PATIENCE = 15.0
"""The seconds to wait for another vault if the request has no deadline."""
_KEPT = 0.02
"""The seconds before the deadline that are kept for the merge."""


class _Asked:
    """A question that another vault is working on, in a thread of its own."""

    def __init__(self, other: Other, request: Request) -> None:
        self.name = other.name
        self._other = other
        self._request = request
        self._answered = Event()
        self._outcome: Recall | EngrainError = StorageError("it did not answer in time")
        self._was_late = other.is_late
        if not self._was_late:
            Thread(target=self._ask, daemon=True).start()

    def _ask(self) -> None:
        try:
            self._outcome = recall_entries(self._other.open(), self._request)
        except EngrainError as error:
            self._outcome = error
        except Exception as error:
            self._outcome = StorageError(f"{type(error).__name__}: {error}")
        self._other.is_late = False
        self._answered.set()

    def wait(self, until: float) -> Recall | EngrainError:
        """Return the answer, or the error that says why there is none. `until` is a moment of
        `time.monotonic`. A vault that still works on an earlier question is not asked."""
        if not self._was_late and not self._answered.wait(max(0.0, until - time.monotonic())):
            self._other.is_late = True
            if self._answered.is_set():  # it came just now
                self._other.is_late = False
        return self._outcome


def recall_together(store: Store, request: Request) -> Recall:
    """Recall from the store and from the other vaults at the same time, and merge the answers.
    Vaults that don't answer are named in `unanswered`. Raises UsageError, IndexUnavailableError if
    the store itself fails."""
    asked = [_Asked(other, request) for other in store.also]
    own = recall_entries(store, request)
    until = request.deadline - _KEPT if request.deadline else time.monotonic() + PATIENCE
    found, unanswered = [(store.backend.describe(), own)], []
    for one in asked:
        outcome = one.wait(until)
        if isinstance(outcome, EngrainError):
            unanswered.append((one.name, outcome.message))
        else:
            found.append((one.name, outcome))
    recall = merge_recalls(found, request)
    recall.unanswered = tuple(unanswered)
    return recall


def merge_recalls(found: Sequence[tuple[str, Recall]], request: Request) -> Recall:
    """Merge the recalls of several vaults, given with their names, the own vault first."""
    recalls = [recall for _, recall in found]
    for name, recall in found:
        for one in (*recall.given, *recall.nearest):
            one.vault = name
    own = recalls[0]
    best = max(recalls, key=lambda recall: recall.relevance)
    merged = TaskRecall() if isinstance(own, TaskRecall) else Recall(())
    merged.relevance = best.relevance
    merged.embedder, merged.model = own.embedder, own.model
    merged.explanation = own.explanation
    merged.again = tuple(id_ for recall in recalls for id_ in recall.again)
    merged.elsewhere = sum(recall.elsewhere for recall in recalls)
    merged.over_budget = sum(recall.over_budget for recall in recalls)
    degraded = [f"{name}: {one.degraded}" for name, one in found if one.degraded]
    merged.degraded = "; ".join(degraded) or None
    _pack(recalls, request, merged)
    if not merged.given and any(recall.rejected for recall in recalls):
        merged.rejected = True
        merged.withheld = sum(recall.withheld for recall in recalls)
        merged.nearest = tuple(_by_rank(recalls, "nearest")[:NEAREST])
    return merged


def _pack(recalls: Sequence[Recall], request: Request, merged: Recall) -> None:
    """Put into `merged` the entries that fit the limit and the budget, without copies."""
    profile = request.profile
    if not isinstance(merged, TaskRecall):
        packer = Packer(profile.limit, profile.budget, request.kinds)
        merged.results = _take(_by_rank(recalls, "results"), packer, merged)
        return
    shares = [
        None if profile.budget is None else int(share * profile.budget) for share in SHARES.values()
    ]
    packer = Packer(profile.limit, shares[0], request.kinds)
    merged.results = _take(_by_rank(recalls, "results"), packer, merged)
    packer = packer.next_part(MOST_MISTAKES, shares[1], None)
    merged.avoid_these = _take(_by_rank(recalls, "avoid_these"), packer, merged)
    packer = packer.next_part(MOST_SKILLS, shares[2], None)
    merged.skills = _take(_by_rank(recalls, "skills"), packer, merged)


def _take(ranked: Sequence[Recalled], packer: Packer, merged: Recall) -> tuple[Recalled, ...]:
    taken = []
    for found in ranked:
        whole = compared_text(found.row.title, found.text)
        if packer.refuse(found.row.kind, whole):
            continue
        if not packer.fits(found.tokens):
            merged.over_budget += 1
            continue
        packer.take(found.row.kind, whole, found.tokens)
        taken.append(found)
    merged.tokens += packer.tokens
    return tuple(taken)


def _by_rank(recalls: Sequence[Recall], part: str) -> list[Recalled]:
    """Return the entries of one part of the answers in the order of their ranks."""
    ranked = [
        (rank, -recall.relevance, number, found)
        for number, recall in enumerate(recalls)
        for rank, found in enumerate(getattr(recall, part))
    ]
    ranked.sort(key=lambda one: one[:3])
    return [found for *_, found in ranked]
