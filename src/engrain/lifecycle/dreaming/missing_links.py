"""Missing links: notes that speak of another by its title and do not link to it, proposed to the
operator (S1.11, S1.17)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice

from engrain.engine.core.active_notes import ActiveNotes, Memo
from engrain.engine.core.store import Store
from engrain.engine.links.suggestions import Suggestion, link_mention, name_now, suggest_links
from engrain.engine.lint.links import respell_links
from engrain.lifecycle.dreaming.finding import LINK as KIND
from engrain.lifecycle.dreaming.finding import DreamFinding
from engrain.lifecycle.reviewing import staging
from engrain.lifecycle.reviewing.actions import FileRewrite, join_ids, revise
from engrain.model.errors import ConflictError
from engrain.model.note.documents import list_of
from engrain.model.note.entry import Entry
from engrain.seam.locator import Locator

LINK = "link"
"""The action: of two entries the first gets a link to the second."""
_RELATED = "related_to"


def plan_link(store: Store, entries: Sequence[Entry]) -> list[FileRewrite]:
    """Plan a link from the first of two entries to the second: in the text that mentions it, else
    as `related_to` in both. Raises ConflictError where they are not two notes, or are linked
    already."""
    if len(entries) != 2 or not all(entry.path.endswith(".md") for entry in entries):
        raise ConflictError("a link is made between two notes")
    source, target = entries
    if _are_linked(store, source, target):
        raise ConflictError(f"{source.id} and {target.id} are linked", path=source.path)
    note = link_mention(store, source, target)
    if note is not None:
        return [FileRewrite(source, note, Locator(source.path))]
    return [_relate(store, source, target), _relate(store, target, source)]


def plan_relinking(store: Store, entries: Sequence[Entry]) -> list[FileRewrite]:
    """Links in the first of two entries that misspell a name of the second lead to it. Raises
    ConflictError where there are none."""
    if len(entries) != 2:
        raise ConflictError("a link leads from one entry to another")
    source, target = entries
    with store.index.view() as view:
        label_first = view.label_first
    name = name_now(store, target.path)
    note = respell_links(source, target, name, label_first=label_first)
    if note is None:
        raise ConflictError(f"no link in {source.id} misspells {target.id}", path=source.path)
    return [FileRewrite(source, note, Locator(source.path))]


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


def _relate(store: Store, entry: Entry, other: Entry) -> FileRewrite:
    links = list_of(entry.fields.get("links"))
    return revise(store, entry, {"links": [*links, {"to": other.id, "relation": _RELATED}]})


def _are_linked(store: Store, one: Entry, two: Entry) -> bool:
    with store.index.view() as view:
        numbers = [view.number(entry.path) for entry in (one, two)]
        known = [number for number in numbers if number is not None]
        return any(
            edge.target in known and edge.source != edge.target for edge in view.edges_from(known)
        )


def find_missing_links(store: Store, memos: Iterable[Memo], _: float) -> Iterator[DreamFinding]:
    """Yield the mentions of other notes' titles, the surest first."""
    for one in suggest_links(store, memos):
        pair, evidence = (one.source, one.target), [(one.source, one.quote)]
        yield DreamFinding(KIND, pair, LINK, one.score, reason_of(one), evidence)
