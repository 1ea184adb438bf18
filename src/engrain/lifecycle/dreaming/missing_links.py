"""Missing links: notes that speak of another by its title and do not link to it, proposed to the
operator (S1.11, S1.17)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice

from engrain.engine.core.active_notes import ActiveNotes, Memo
from engrain.engine.core.store import Store
from engrain.engine.links.suggestions import Suggestion, suggest_links
from engrain.lifecycle.dreaming.finding import LINK as KIND
from engrain.lifecycle.dreaming.finding import DreamFinding
from engrain.lifecycle.reviewing import staging
from engrain.lifecycle.reviewing.actions import join_ids

LINK = "link"
"""The action: of two entries the first gets a link to the second."""
_RELATED = "related_to"


def suggest_and_propose(
    store: Store, reference: str | None = None, *, limit: int | None = None, propose: bool = False
) -> tuple[list[Suggestion], list[Suggestion]]:
    """List the links that could be made, the surest first, from or to one entry if it is named;
    and, with `propose`, those of them that were newly proposed to the operator. Raises
    NotFoundError, IndexUnavailableError."""
    store.require_index(scan=True)
    about = None if reference is None else store.find_one(reference).id
    found = list(islice(suggest_links(store, ActiveNotes(store), about=about), limit))
    proposed = [
        one
        for one in found
        if propose
        and staging.propose(store, LINK, join_ids([one.source, one.target]), reason_of(one))
    ]
    return found, proposed


def reason_of(suggestion: Suggestion) -> str:
    """Return the reason why a link is suggested, in a line."""
    return f"the text says “{suggestion.words}”, which is the title of {suggestion.target}"


def find_missing_links(store: Store, memos: Iterable[Memo], _: float) -> Iterator[DreamFinding]:
    """Yield the mentions of other notes' titles, the surest first."""
    for one in suggest_links(store, memos):
        pair, evidence = (one.source, one.target), [(one.source, one.quote)]
        yield DreamFinding(KIND, pair, LINK, one.score, reason_of(one), evidence)
