"""Finds and breaks circles of supersessions, and lists replacements that do not count (S1.15,
S2.9)."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from engrain.engine.core.contradictions import find_target
from engrain.engine.core.scope import counted_origin, counted_successions
from engrain.engine.core.store import Store
from engrain.engine.core.successions import RELATIONS, SUPERSEDES
from engrain.model.graphs import find_circles
from engrain.model.links.link import TYPED, parse_links
from engrain.model.note.documents import list_of
from engrain.model.note.entry import Entry, read_entry
from engrain.model.note.field import Value
from engrain.model.note.note import Note
from engrain.model.note.tiers import ACTIVE, LIVE, ORIGINS
from engrain.seam.graph import Claim
from engrain.seam.rows import Row
from engrain.seam.storage import Write


def list_circles(store: Store) -> list[list[Row]]:
    """List the entries that supersede one another in a circle, oldest first. The index must be
    ready."""
    claims, rows = _read_claims(store)
    onward: dict[int, list[int]] = {}
    for one in claims:
        onward.setdefault(one.older, []).append(one.newer)
    circles = [[rows[number] for number in circle] for circle in find_circles(onward)]
    return sorted(
        (sorted(circle, key=lambda row: (row.created or 0.0, row.id)) for circle in circles),
        key=lambda rows: rows[0].id,
    )


def list_doubtful(store: Store) -> list[tuple[Row, Row]]:
    """List pairs of active entries (older, newer) whose supersession does not count because the
    newer comes from a less trusted origin. The index must be ready."""

    def rank(row: Row) -> int:
        return ORIGINS.index(counted_origin(row, store.settings))

    claims, rows = _read_claims(store)
    bit = counted_successions(store.settings)
    circles = {row.id: n for n, circle in enumerate(list_circles(store)) for row in circle}
    found = {}
    for one in claims:
        older, newer = rows[one.older], rows[one.newer]
        in_force = all(row.status == ACTIVE and row.zone == LIVE for row in (older, newer))
        circular = circles.get(older.id, -1) == circles.get(newer.id)
        doubtful = not one.counts & bit and rank(newer) > rank(older)
        if in_force and doubtful and not circular:
            found[older.id, newer.id] = (older, newer)
    return list(found.values())


def mend_circles(store: Store) -> int:
    """Remove from every circle the claims that an older entry replaced a newer one, in one change;
    return the number of changed files. The index must be ready."""
    store = store.as_one_change()
    changed = 0
    for circle in list_circles(store):
        order = {row.id: place for place, row in enumerate(circle)}
        writes: list[Write] = []
        for row in circle:
            stored = store.backend.read(row.locator)
            entry = read_entry(row.locator, stored.raw)
            if entry.id == row.id and (note := _without_wrong(store, entry, order)) is not None:
                store.preserve(row.locator, stored, entry.id)
                writes.append(Write(row.locator, note.raw, entry.id, stored.hash))
        if writes:
            store.commit("link", writes, reason="a circle of what supersedes what")
            changed += len(writes)
    return changed


def _read_claims(store: Store) -> tuple[list[Claim], dict[int, Row]]:
    """Read the claims between entries that were not forgotten, and their rows by number."""
    with store.index.view() as view:
        claims = view.claims()
        rows = view.rows(list({n for one in claims for n in (one.older, one.newer)}))
    gone = {number for number, row in rows.items() if row.status == "deleted"}
    return [one for one in claims if gone.isdisjoint((one.older, one.newer))], rows


def _without_wrong(store: Store, entry: Entry, order: Mapping[str, int]) -> Note | None:
    """Return a note without claims that lead from a later entry of a circle to an earlier one; None
    where it has none. A link in its text becomes a plain one."""
    here = order[entry.id]

    def is_wrong(relation: str, target: str) -> bool:
        if relation not in RELATIONS:
            return False
        end = find_target(store, target)
        other = None if end is None else order.get(end.id)
        return other is not None and (other > here if relation == SUPERSEDES else other < here)

    def clean(relation: str, value: Value) -> Value:
        items = value if isinstance(value, list) else [value]
        kept = [
            one for one in items if not (isinstance(one, str) and is_wrong(relation, _bare(one)))
        ]
        return value if len(kept) == len(items) else kept if isinstance(value, list) else None

    note = entry.note
    fields: dict[str, Value] = {}
    for relation in RELATIONS:
        given = note.fields.get(relation)
        if (left := clean(relation, given)) != given:
            fields[relation] = left
    links = list_of(note.fields.get("links"))
    kept = [
        one
        for one in links
        if not (
            isinstance(one, dict) and is_wrong(str(one.get("relation")), str(one.get("to") or ""))
        )
    ]
    if len(kept) < len(links):
        fields["links"] = kept
    body = _untype(note.body, is_wrong)
    if not fields and body == note.body:
        return None
    if body != note.body:
        note = note.with_body(body)
    fields["updated"] = store.now
    gone = [key for key, value in fields.items() if value in (None, [])]
    return note.patch({key: fields[key] for key in fields if key not in gone}, gone)


def _bare(written: str) -> str:
    """Return the name in a field, which may be a wikilink."""
    return next((link.target for link in parse_links(written)), written)


def _untype(body: str, is_wrong: Callable[[str, str], bool]) -> str:
    """Remove the relation from links in a text where it is wrong."""
    for link in reversed(parse_links(body)):
        if link.relation and is_wrong(link.relation, link.target):
            start = body.index("[[", link.offset) + 2
            typed = TYPED.match(body, start)
            if typed:
                body = body[:start] + body[typed.end() :]
    return body
