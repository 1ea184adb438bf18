"""What a dream's findings come to once they are accepted: the planners of its actions (S1.17)."""

from __future__ import annotations

from collections.abc import Sequence

from engrain.engine.core.contradictions import CONTRADICTS
from engrain.engine.core.moving import free_place, kind_folder, settle
from engrain.engine.core.store import Store
from engrain.lifecycle.dreaming.tidying import fold_tag
from engrain.lifecycle.reviewing.actions import Rewrite, require_active, revise, stamp
from engrain.lifecycle.reviewing.merging import (
    SUPERSEDES,
    given_links,
    plan_redirects,
    plan_retirements,
)
from engrain.model.errors import ConflictError
from engrain.model.note.entry import Entry
from engrain.model.note.field import Value
from engrain.model.note.json_note import JsonNote
from engrain.model.note.tiers import ACTIVE, ARCHIVE


def plan_contradiction(store: Store, entries: Sequence[Entry]) -> list[Rewrite]:
    """Let each of two entries say that it contradicts the other, which leaves open which is right.
    Raises ConflictError where they say so already, or one is not active."""
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


def plan_compaction(store: Store, entries: Sequence[Entry]) -> list[Rewrite]:
    """Retire all entries of a chain but the last, which then names them; links to them lead to it.
    Raises ConflictError where the last is not active, or nothing is left to do."""
    *older, newest = entries
    require_active([newest])
    _require_notes(entries)
    gone = [entry for entry in older if entry.zone != ARCHIVE or entry.status == ACTIVE]
    led_on = plan_redirects(store, older, newest)
    if not gone and not led_on:
        raise ConflictError(f"what {newest.id} replaces is retired", path=newest.path)
    known = {*newest.links, (newest.supersedes or "", SUPERSEDES)}
    named: list[Value] = [*given_links(newest)]
    named += [
        {"to": entry.id, "relation": SUPERSEDES}
        for entry in older
        if (entry.id, SUPERSEDES) not in known
    ]
    stays = [revise(store, newest, {"links": named})] if len(named) > len(newest.links) else []
    return [*stays, *plan_retirements(store, gone, newest.id), *led_on]


def plan_retagging(store: Store, entries: Sequence[Entry]) -> list[Rewrite]:
    """Tags of all but the last entry get the form that the last one has. Raises ConflictError where
    they have it."""
    *changed, model = entries
    forms = {fold_tag(tag): tag for tag in model.tags}
    rewrites = []
    for entry in changed:
        tags = [*dict.fromkeys(forms.get(fold_tag(tag), tag) for tag in entry.tags)]
        if tags != list(entry.tags) and entry.status == ACTIVE:
            rewrites.append(revise(store, entry, {"tags": [*tags]}))
    if not rewrites:
        raise ConflictError(f"no tag has another form than in {model.id}", path=model.path)
    return rewrites


def plan_refiling(store: Store, entries: Sequence[Entry]) -> list[Rewrite]:
    """An entry of the agent's own moves to the folder of its kind. Raises ConflictError where it is
    there, or is none of its own."""
    require_active(entries)
    rewrites = []
    for entry in entries:
        folder = kind_folder(entry)
        if entry.tier != "T3" or entry.path.startswith(folder + "/"):
            raise ConflictError(f"{entry.id} is filed correctly already", path=entry.path)
        place = free_place(store, folder, entry)
        rewrites.append(Rewrite(entry, settle(entry, stamp(store, entry, {}), place), place))
    return rewrites


def _require_notes(entries: Sequence[Entry]) -> None:
    for entry in entries:
        if isinstance(entry.note, JsonNote):
            raise ConflictError(f"{entry.id} is a record", path=entry.path)
