"""The table of actions that may be proposed: how each is previewed and done (S1.17).

A proposal is a file that anybody may have written. Only an action of this table is ever done, only
to the entries that the proposal names, and only while they are as they were when it was proposed.
Each has a planner, which returns what becomes of every file. The preview comes from it, and so does
the change of several entries. In a merge of entries that say the same one is kept and takes over
what the others have (S2.11): its text stays as it is, and the others go into the archive whole.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress

from engrain.engine.core.attesting import attest_entry
from engrain.engine.core.contradictions import CONTRADICTS
from engrain.engine.core.moving import free_place, write_inherited
from engrain.engine.core.store import Store
from engrain.engine.history.history import bytes_after
from engrain.engine.links.backlinks import Pointing, find_backlinks
from engrain.engine.links.suggestions import link_mention
from engrain.engine.verbs.archive import archive_entry, retire
from engrain.engine.verbs.inbox import file_entry, plan_filing
from engrain.engine.verbs.save import check_size
from engrain.language.text.folding import safe_component
from engrain.lifecycle.reviewing.actions import Action, FileRewrite, require_active, revise
from engrain.model.errors import ConflictError, EngrainError, UsageError
from engrain.model.experience.patterns import (
    ANTI_PATTERN,
    PATTERN,
    Pattern,
    last_use,
    read_either,
    sources_of,
)
from engrain.model.links.relinking import aliases_of, called
from engrain.model.note.documents import list_of, object_of
from engrain.model.note.entry import Entry, read_entry
from engrain.model.note.field import Value
from engrain.model.note.json_note import JsonNote
from engrain.model.note.note import Note
from engrain.model.note.tiers import ACTIVE, ARCHIVE, LIVE, archive_folder, split_ending
from engrain.seam.locator import Locator, make_locator

SUPERSEDES, SUPERSEDED_BY = "supersedes", "superseded_by"
_PATTERNS = (PATTERN, ANTI_PATTERN)


def plan_merge(store: Store, entries: Sequence[Entry]) -> list[FileRewrite]:
    """Plan the merge of entries that say the same: the last takes over what the others have. Raises
    ConflictError where one is not active, or is of another sort."""
    *others, first = entries
    if not others:
        raise ConflictError(f"{first.id} alone is not merged", path=first.path)
    require_active(entries)
    for entry in entries:
        if _sort_of(entry) != _sort_of(first):
            raise ConflictError(f"{entry.id} and {first.id} are of different sorts")
    kept = first
    for other in others:
        joined = kept.note.patch({"id": kept.id, **join_fields(kept, other)})
        kept = Entry(first.path, joined, "")
    whole = kept.note.patch({"updated": store.now})
    check_size(whole)
    # A citation of a pattern means the pattern of that time; a link to a note means its content.
    led_on = [] if first.kind in _PATTERNS else plan_redirects(store, others, first)
    gone = plan_retirements(store, others, first.id)
    return [FileRewrite(first, whole, Locator(first.path)), *gone, *led_on]


def plan_compaction(store: Store, entries: Sequence[Entry]) -> list[FileRewrite]:
    """Plan the retirement of all entries of a chain but the last, which then names them; links to
    them lead to it. Raises ConflictError where the last is not active, or nothing is left to do."""
    *older, newest = entries
    require_active([newest])
    for entry in entries:
        if isinstance(entry.note, JsonNote):
            raise ConflictError(f"{entry.id} is a record", path=entry.path)
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


def plan_retirements(store: Store, entries: Sequence[Entry], by: str) -> list[FileRewrite]:
    """Plan the retirement of entries that the entry `by` replaces."""
    now = store.now
    gone: dict[Locator, FileRewrite] = {}
    for entry in entries:
        folder = archive_folder(entry.path)
        if entry.zone == ARCHIVE:
            folder = entry.path.rpartition("/")[0]
        place = Locator(entry.path)
        if place.folder != folder:
            place = free_place(store, folder, entry)
        if place in gone:  # another of them has its name
            stem, ending = split_ending(entry.path)
            place = make_locator(f"{folder}/{safe_component(f'{stem}--{entry.id}')}{ending}")
        # Its links to the kept entry no longer hold, such as that it replaced it.
        links: list[Value] = [link for link in given_links(entry) if link["to"] != by]
        links.append({"to": by, "relation": SUPERSEDED_BY})
        note = entry.note.patch({"id": entry.id, "status": "superseded", "links": links})
        note = write_inherited(entry, note.patch({"updated": now}), place)
        gone[place] = FileRewrite(entry, note, place)
    return [*gone.values()]


def given_links(entry: Entry) -> list[dict[str, Value]]:
    """Return an entry's links with all their fields."""
    written = entry.fields.get("links")
    if isinstance(written, list) and len(written) == len(entry.links):
        return [
            {**object_of(link), "to": to, "relation": relation}
            for link, (to, relation) in zip(written, entry.links, strict=True)
        ]
    return [{"to": to, "relation": relation} for to, relation in entry.links]


def join_fields(kept: Entry, other: Entry) -> dict[str, Value]:
    """Return the fields that the kept entry takes over from the other: of a note also its title, as
    an alias. Both have the links of both, without links to each other."""
    if kept.kind in _PATTERNS:
        fields = _join_patterns(kept, other)
    else:
        aliases = aliases_of(kept)
        known = (kept.title, *aliases)
        new = [name for name in (other.title, *aliases_of(other)) if name not in known]
        fields = {"aliases": [*aliases, *dict.fromkeys(new)]} if new else {}
        fields["tags"] = [*dict.fromkeys((*kept.tags, *other.tags))]
    theirs = [link for link in given_links(other) if link["relation"] != SUPERSEDED_BY]
    both = [*given_links(kept), *theirs]
    links = [link for link in both if link["to"] not in (kept.id, other.id)]
    links.append({"to": other.id, "relation": SUPERSEDES})
    fields |= {
        "derived_from": [*dict.fromkeys((*kept.derived_from, *other.derived_from))],
        "links": [*{(str(link["to"]), str(link["relation"])): link for link in links}.values()],
    }
    return {key: value for key, value in fields.items() if value not in (None, [])}


def _join_patterns(kept: Entry, other: Entry) -> dict[str, Value]:
    one, two = read_either(kept), read_either(other)
    name = "source_episodes" if isinstance(one, Pattern) else "sources"
    fields: dict[str, Value] = {
        name: [*dict.fromkeys((*sources_of(one), *sources_of(two)))],
        "usage_count": one.usage_count + two.usage_count,
        "last_used": last_use(one.last_used, two.last_used),
    }
    if not isinstance(one, Pattern) and not isinstance(two, Pattern):
        fields["actions"] = [*sorted({*one.actions, *two.actions})]
    return fields


def _sort_of(entry: Entry) -> str:
    """Return what entries must share to be merged: patterns their kind, notes "note"; other records
    are never merged."""
    if entry.kind in _PATTERNS:
        return entry.kind
    return entry.id if isinstance(entry.note, JsonNote) else "note"


_MOST = 200
"""Notes whose links are redirected at once; links of others lead to the archived entry."""
_KEPT = ("derived_from", "supersedes", "superseded_by", "contradicts")
"""Relations that stay with the entry that they name."""


def plan_redirects(store: Store, gone: Sequence[Entry], by: Entry) -> list[FileRewrite]:
    """Plan that live notes which link to one of `gone` link to `by`. Links in those entries
    themselves and in records stay."""
    own = {entry.id for entry in (*gone, by)}
    notes: dict[Locator, tuple[Entry, Note]] = {}
    with store.index.view() as view:
        for entry in gone:
            number = view.number(entry.path)
            if number is None:
                continue
            pointing = Pointing(called(entry), called(by), ("", ""))
            for locator, id_, meant in find_backlinks(view, number):
                if len(notes) == _MOST:
                    break
                if id_ in own:
                    continue
                try:
                    if locator in notes:
                        first, note = notes[locator]
                    else:
                        first = store.read_entry(locator)
                        note = first.note
                    note = pointing.rewrite(Entry(locator, note, ""), meant)[0]
                except EngrainError:
                    continue  # it went, or is a record, or can't be changed safely
                notes[locator] = first, _lead_on(note, entry.id, by.id)
    now = store.now
    return [
        FileRewrite(entry, note.patch({"id": entry.id, "updated": now}), locator)
        for locator, (entry, note) in notes.items()
        if note.raw != entry.note.raw and (entry.status, entry.zone) == (ACTIVE, LIVE)
    ]


def _lead_on(note: Note, old: str, new: str) -> Note:
    """Change the links of the frontmatter that name the id `old` to `new`."""
    given = list_of(note.fields.get("links"))
    links: list[Value] = []
    for item in given:
        to = item.get("to") if isinstance(item, dict) else item
        kept = isinstance(item, dict) and item.get("relation") in _KEPT
        if to == old and not kept:
            item = {**item, "to": new} if isinstance(item, dict) else new
            if item in given or item in links:
                continue
        links.append(item)
    return note if links == given else note.patch({"links": links})


_RELATED = "related_to"


def _plan_archive(store: Store, entries: Sequence[Entry]) -> list[FileRewrite]:
    (entry,) = entries
    folder, note = retire(entry, store.clock.now())
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
    "archive": Action("archive", _plan_archive, archive_entry),
    "attest": Action("attest", _plan_attest, _attest),
    "file": Action("adopt", _plan_filing, file_entry),
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
