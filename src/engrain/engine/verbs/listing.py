"""`list` and `show`: entries by filter, and one entry with its links (S3.5)."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress
from dataclasses import KW_ONLY, dataclass, replace

from engrain.engine.core.contradictions import list_contradicting
from engrain.engine.core.references import list_named
from engrain.engine.core.scope import (
    Scope,
    count_origins,
    counted_origin,
    counted_successions,
    filter_for,
)
from engrain.engine.core.store import Store
from engrain.index.links import list_links
from engrain.model.errors import EngrainError, UsageError
from engrain.model.note.entry import Entry, read_entry
from engrain.model.note.note import split_note
from engrain.model.note.tiers import ACTIVE, SUPERSEDED
from engrain.seam.locator import Locator
from engrain.seam.rows import LINKED, Row
from engrain.seam.storage import Stored


@dataclass(slots=True)
class Listing:
    """The newest entries that match a filter, up to the limit, and their number without it."""

    rows: tuple[Row, ...]
    total: int


def list_entries(store: Store, *, scope: Scope | None = None, limit: int | None = None) -> Listing:
    """Return entries by filter, newest first. An active entry that another replaced is included,
    with the status superseded."""
    if limit is not None and limit < 0:
        raise UsageError(f"a limit of {limit} makes no sense")
    scope = scope or Scope()
    only = filter_for(store, scope)
    counted = only.successions
    if not scope.statuses:
        # With the archive, superseded entries are listed too: the status shows which they are.
        more = (SUPERSEDED,) if scope.include_archive else ()
        only = replace(only, successions=0, statuses=(*only.statuses, *more))
    store.require_index(look=True)
    rows = store.freshness.read_fresh(lambda: store.index.find(only, limit), lambda rows: rows)
    origin = count_origins(store)
    for row in rows:
        row.status = row.status_for(counted)
        row.source = origin(row)
    return Listing(tuple(rows), store.index.count(only))


def list_newest(
    store: Store, kinds: Iterable[str], limit: int | None = None
) -> dict[str, tuple[Row, ...]]:
    """Return the newest active entries of each kind, of all projects. Nothing is counted, so this
    takes no longer in a large vault."""
    found = {kind: filter_for(store, Scope(kinds=(kind,), all_projects=True)) for kind in kinds}
    store.require_index(look=True)
    return store.freshness.read_fresh(
        lambda: {kind: tuple(store.index.find(only, limit)) for kind, only in found.items()},
        lambda listed: [row for rows in listed.values() for row in rows],
    )


def name_sources(store: Store, ids: Iterable[str]) -> dict[str, dict[str, str]]:
    """Return for each entry its sources that still exist, as titles by id."""
    store.require_index()
    sources = {id_: store.index.sources_of(id_) for id_ in ids}
    rows = {name: store.find_exact(name) for names in sources.values() for name in names}
    return {
        id_: {row.id: row.title for name in names if (row := rows[name])}
        for id_, names in sources.items()
    }


def name_entries(store: Store, ids: Iterable[str]) -> dict[str, str]:
    """Return the titles of entries by id; for an entry that no longer exists, the id."""
    store.require_index()
    return {id_: row.title if (row := store.find_exact(id_)) else id_ for id_ in ids}


def read_texts(store: Store, rows: Iterable[Row]) -> dict[str, str]:
    """Read the texts of entries by their places; a file that can't be read is left out."""
    found: dict[str, str] = {}
    for place, stored in store.backend.read_all([row.locator for row in rows]):
        if isinstance(stored, Stored):
            with suppress(EngrainError):
                is_note = place.endswith(".md")
                note = split_note(stored.raw) if is_note else None
                found[place] = note.body if note else read_entry(place, stored.raw).text
    return found


def also_named(store: Store, reference: str, *meant: str) -> list[Row]:
    """Return the active entries that have a reference for a slug, title or alias too, though it
    means the entry with the id `meant`."""
    store.require_index()
    named = list_named(store.index, reference)
    return [row for row in named if row.id not in meant and row.status == ACTIVE]


@dataclass(slots=True)
class ShownEntry:
    """One entry with its `row` in the index, its origin and whether that is attested, the links
    from it (target, relation, entry) and to it, the active entries that contradict it, whether
    another entry replaced it, and the entries that say so."""

    entry: Entry
    locator: Locator
    links_from: tuple[tuple[str, str, Row | None], ...]
    links_to: tuple[tuple[Row, str], ...]
    _: KW_ONLY
    row: Row
    origin: str
    attested: bool
    contradicts: tuple[Row, ...] = ()
    replaced: bool = False
    successors: tuple[Row, ...] = ()


def show_entry(store: Store, reference: str) -> ShownEntry:
    """Return one entry, read from the store, with its links."""
    store.require_index()
    row = store.find_one(reference)
    entry = store.read_entry(row.locator)
    links, links_to = store.freshness.read_fresh(
        lambda: (_list_links(store, row.locator), store.index.links_to(row)),
        lambda found: [*(end for *_, end in found[0] if end), *(one for one, _ in found[1])],
    )
    origin = counted_origin(row, store)
    replaced = bool(row.replaced & counted_successions(store.settings))
    return ShownEntry(
        entry,
        row.locator,
        tuple(links),
        tuple(links_to),
        row=row,
        origin=origin,
        attested=row.attested,
        contradicts=tuple(list_contradicting(store, row)),
        replaced=replaced,
        successors=tuple(_list_successors(store, row, links))
        if replaced or entry.status == SUPERSEDED
        else (),
    )


def _list_successors(
    store: Store, row: Row, links: Iterable[tuple[str, str, Row | None]]
) -> list[Row]:
    """Return the entries that replaced an entry, as it says or as they say."""
    with store.index.view() as view:
        number = view.number(row.locator)
        edges = [] if number is None else view.edges_to([number])
        numbers = {edge.source for edge in edges if edge.relation == "supersedes"}
        rows = [*view.rows([*numbers]).values()]
    rows += [end for _, relation, end in links if relation == "superseded_by" and end]
    return [*{one.locator: one for one in rows}.values()]


def _list_links(store: Store, place: Locator) -> list[tuple[str, str, Row | None]]:
    """Return the links from an entry, as (target as written, relation, entry that is meant)."""
    with store.index.view() as view:
        number = view.number(place)
        written = [] if number is None else view.ask(list_links, number)
        ends = view.rows([one.end for one in written if one.end is not None])
    return [
        (one.reference.target, one.reference.relation, ends.get(one.end or 0))
        for one in written
        if one.reference.origin in LINKED
    ]
