"""The table of actions that may be proposed: how each is previewed and done (S1.17).

A proposal is a file that anybody may have written. Only an action of this table is ever done, only
to the entries that the proposal names, and only while they are as they were when it was proposed.
Each has a planner, which returns what becomes of every file. The preview comes from it, and so does
the change of several entries.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from functools import partial

from engrain.engine.core.attesting import attest_entry
from engrain.engine.core.contradictions import CONTRADICTS
from engrain.engine.core.moving import refuse_changed
from engrain.engine.core.store import Store
from engrain.engine.entities.files import write_entity
from engrain.engine.entities.resolution import open_entity
from engrain.engine.history.history import bytes_after
from engrain.engine.links.suggestions import link_mention
from engrain.engine.verbs.archive import EXTRACT, archive_entry, retire
from engrain.engine.verbs.inbox import file_entry, plan_filing
from engrain.lifecycle.reviewing.actions import Action, FileRewrite, require_active, revise
from engrain.lifecycle.reviewing.merging import given_links, plan_compaction, plan_merge
from engrain.model.errors import ConflictError, EngrainError, UsageError
from engrain.model.facts.entity import FACTS, Entity, read_entity
from engrain.model.facts.fact import Fact
from engrain.model.facts.intake import FactIntake
from engrain.model.note.documents import list_of
from engrain.model.note.entry import Entry, read_entry
from engrain.model.note.field import Value
from engrain.model.note.json_note import JsonNote
from engrain.model.note.tiers import ORIGINS
from engrain.seam.locator import Locator

_RELATED = "related_to"


def _plan_archive(store: Store, entries: Sequence[Entry]) -> list[FileRewrite]:
    (entry,) = entries
    folder, note = retire(entry, EXTRACT, store.clock.now())
    return [FileRewrite(entry, note, _into(folder, entry))]


def _plan_attest(store: Store, entries: Sequence[Entry]) -> list[FileRewrite]:
    """Show the entry against the last bytes that somebody attested."""
    (entry,) = entries
    place = Locator(entry.path)
    changes = store.index.changes(locator=place)
    own = next((one for one in changes if one.op != "external" and one.after_hash), None)
    before = None
    if own is not None:
        with suppress(EngrainError):  # it was erased
            before = read_entry(place, bytes_after(store, own))
    return [FileRewrite(before, entry.note, place)]


def _attest(store: Store, id_: str, reason: str, *, expect: str) -> None:  # noqa: ARG001
    attest_entry(store, id_, reason)


def _plan_filing(store: Store, entries: Sequence[Entry]) -> list[FileRewrite]:
    """Show the whole text, which nobody has seen yet: recall does not search that folder."""
    (entry,) = entries
    folder, note = plan_filing(entry, store.clock.now())
    return [FileRewrite(None, note, _into(folder, entry))]


def _into(folder: str, entry: Entry) -> Locator:
    return Locator(f"{folder}/{entry.path.rpartition('/')[2]}")


def _plan_settling(store: Store, entries: Sequence[Entry]) -> list[FileRewrite]:
    (entry,) = entries
    note = entry.note
    if not isinstance(note, JsonNote):
        return []
    entity = read_entity(note.document, note.own)
    settled = _settle(entity, store.clock.now())
    if settled is entity:
        return []
    after = note.with_document(settled.document()).patch({FACTS: settled.bookkeeping()})
    return [FileRewrite(entry, after, Locator(entry.path))]


def _apply_settling(store: Store, id_: str, reason: str, *, expect: str) -> None:
    """Settle an entity whose substance is still `expect`. Raises ConflictError where it is not."""
    store.require_index()
    filed = open_entity(store, id_)
    refuse_changed(read_entry(filed.locator, filed.stored.raw), expect)
    settled = _settle(filed.entity, store.clock.now())
    write_entity(store, filed.slug, filed, settled, {}, reason=reason)


def _settle(entity: Entity, now: float) -> Entity:
    """Return the entity without disputes: the facts with the most trusted origin hold, of several
    such the latest. `engrain fact settle` decides otherwise."""

    def weight(fact: Fact) -> tuple[int, float, int, str]:
        return -ORIGINS.index(fact.trust), fact.since or 0.0, fact.seen, fact.id

    intake = FactIntake(entity.facts, entity.names, now)
    settled = False
    while disputed := [fact for fact in intake.facts if fact.active and fact.disputes]:
        if not intake.settle(max(disputed, key=weight).id):
            break
        settled = True
    return entity.replace(facts=intake.facts) if settled else entity


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


ACTIONS: dict[str, Action] = {
    # The change must be the one that was shown, so no model writes the summary.
    "archive": Action("archive", _plan_archive, partial(archive_entry, summarizer=EXTRACT)),
    "attest": Action("attest", _plan_attest, _attest),
    "file": Action("adopt", _plan_filing, file_entry),
    "settle": Action("learn", _plan_settling, _apply_settling),
    "merge": Action("merge", plan_merge),
    "compact": Action("compact", plan_compaction),
    "contradict": Action("link", plan_contradiction),
    "link": Action("link", plan_link),
}


def find_action(name: str) -> Action:
    """Find an action of the table. Raises UsageError."""
    try:
        return ACTIONS[name]
    except KeyError:
        raise UsageError(
            f"{name!r} is no action", remedy="use one of " + ", ".join(ACTIONS)
        ) from None
