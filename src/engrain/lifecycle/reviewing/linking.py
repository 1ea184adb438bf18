"""Plans the links that proposals make: to a note that another mentions, and between two that
contradict each other (S1.11, S1.17)."""

from __future__ import annotations

from collections.abc import Sequence

from engrain.engine.core.contradictions import CONTRADICTS
from engrain.engine.core.store import Store
from engrain.engine.links.suggestions import link_mention
from engrain.lifecycle.reviewing.actions import FileRewrite, require_active, revise
from engrain.lifecycle.reviewing.merging import given_links
from engrain.model.errors import ConflictError
from engrain.model.note.documents import list_of
from engrain.model.note.entry import Entry
from engrain.model.note.field import Value
from engrain.seam.locator import Locator

_RELATED = "related_to"


def plan_contradiction(store: Store, entries: Sequence[Entry]) -> list[FileRewrite]:
    """Plan that each of two entries says that it contradicts the other. Raises ConflictError where
    they say so already, or one is not active."""
    if len(entries) != 2:
        raise ConflictError("two entries contradict each other")
    one, other = entries
    require_active(entries)
    rewrites = []
    for entry, to in ((one, other.id), (other, one.id)):
        if (to, CONTRADICTS) not in entry.links:
            said: Value = {"to": to, "relation": CONTRADICTS}
            rewrites.append(revise(store, entry, {"links": [*given_links(entry), said]}))
    if not rewrites:
        raise ConflictError(f"{one.id} says that it contradicts {other.id}", path=one.path)
    return rewrites


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
