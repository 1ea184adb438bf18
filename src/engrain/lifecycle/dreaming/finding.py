"""What a dream finds, and what finds it.

Glossary
--------
finding     something about one entry or several, with the action that would put it in order.
finder      goes over all notes and finds everything of one sort, in a fixed order: twice over the
            same vault it finds the same. It never compares each with each.
action      a row of `lifecycle.actions.ACTIONS`. What each does to which of a finding's entries:
            merge: the last takes over what the others have, which are retired; contradict: each of
            two says that it contradicts the other; compact: all but the last, oldest first, are
            retired in its favour; link: the first links to the second; insight: a note is made of
            what all of them say; retag: of all but the last, tags get the form that the last has;
            refile, archive: the one entry.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from engrain.engine.core.active_notes import ActiveNotes
from engrain.engine.core.store import Store
from engrain.language.text.lines import quote_links

Finder: TypeAlias = "Callable[[Store, ActiveNotes, float], Iterator['Finding']]"
"""`find(store, memos, now)`: `memos` may be gone over several times, and come in the order of
their ids; `now` is the moment at which the dream began, in epoch seconds."""


DUPLICATE, CONTRADICTION, CHAIN, LINK, INSIGHT, TIDY = (
    "duplicate", "contradiction", "chain", "link", "insight", "tidy",
)  # fmt: skip
KINDS = (DUPLICATE, CONTRADICTION, CHAIN, LINK, INSIGHT, TIDY)

LEFT_ALONE = frozenset(
    ("anti-pattern", "checkpoint", "continuity", "daily", "entity", "episode", "features",
     "handoff", "ledger", "pattern", "plan", "progress", "proposal", "roadmap")
)  # fmt: skip
"""Kinds of which one is another by when or by whom it was written, or that are merged by their own
rules."""


@dataclass(slots=True, eq=False)
class Finding:
    """One finding: the ids of its entries, first the entry that would be changed; the action; the
    score from 0 to 1, which says how sure it is; a reason in one line without links; as
    evidence (id of an entry, words quoted from it); and since when it holds, in epoch seconds: what
    is due later than now is no finding yet."""

    kind: str
    entries: tuple[str, ...]
    action: str
    score: float
    reason: str
    evidence: Sequence[tuple[str, str]] = ()
    due: float = 0.0

    def __post_init__(self) -> None:
        self.reason = quote_links(" ".join(self.reason.split()))
        self.evidence = tuple(self.evidence)
