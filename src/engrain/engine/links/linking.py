"""`link`: adds and removes typed links between entries, at both ends (S2.9), and finds circles of
supersessions (S1.15).

Four of the seven relations have an inverse; both ends are written in one commit, so that undoing
takes both back. A link that a person or another system wrote at one end only is mirrored on demand.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TypeAlias

from engrain.engine.core.contradictions import find_target
from engrain.engine.core.drawing import draw_links
from engrain.engine.core.outcomes import UNCHANGED, UPDATED, Outcome
from engrain.engine.core.scope import counted_origin, counted_successions
from engrain.engine.core.store import Store, try_again
from engrain.engine.core.successions import RELATIONS as REPLACING
from engrain.engine.core.successions import SUPERSEDES
from engrain.index.succession import list_claims
from engrain.model.errors import ConflictError, MalformedError, NotFoundError, UsageError
from engrain.model.graphs import find_circles
from engrain.model.links.link import INVERSE, MADE, MIRRORED, RELATIONS
from engrain.model.note.documents import list_of
from engrain.model.note.entry import Entry, read_entry
from engrain.model.note.field import Value
from engrain.model.note.tiers import ACTIVE, EXTERNAL, LIVE, ORIGINS
from engrain.seam.changes import Write
from engrain.seam.references import SuccessionClaim
from engrain.seam.rows import Row

Links: TypeAlias = "list[Value]"
Change: TypeAlias = "Callable[[Row, Entry], Links | None]"
"""Returns the links that an entry must have, None where it has them."""

_MIRROR: Mapping[str, Value] = {MADE: MIRRORED}
_AT_ONCE = 100
"""Entries that one commit changes at most."""


def link_entries(
    store: Store,
    reference: str,
    target: str,
    relation: str,
    *,
    remove: bool = False,
    mirrored: bool = False,
) -> Outcome:
    """Add a typed link, and its inverse at the other end if the relation has one, or remove both;
    an existing link is `unchanged`. `mirrored` marks the inverse as generated.

    Raises UsageError for an unknown relation, an entry and itself, a link in a text, or a circle of
    supersessions.
    """
    check_relation(relation)
    row, to = store.find_one(reference), store.find_one(target)
    if row.id == to.id:
        raise UsageError("an entry can't link to itself", path=row.locator)
    ends = {row.id: (relation, to)}
    if inverse := INVERSE.get(relation):
        ends[to.id] = (inverse, row)
    rows = [one for one in (row, to) if one.id in ends]
    older = to if relation == SUPERSEDES else row
    _refuse_outsider(store, rows, older if relation in REPLACING and not remove else None)

    def change(one: Row, entry: Entry) -> Links | None:
        how, other = ends[one.id]
        if remove:
            links = _given(entry)
            kept = [item for item in links if not _is(store, item, how, other)]
            return kept if len(kept) < len(links) else None
        mark = _MIRROR if mirrored and one.id != row.id else None
        return _with(store, entry, how, other, mark=mark)

    changed = _rewrite(store, rows, change)
    if remove and not changed:
        _refuse_written(store, row, to, relation)
    outcome = UPDATED if changed else UNCHANGED
    return Outcome(outcome, store.read_entry(row.locator), other=to.id)


def mend_inverses(store: Store, ids: Iterable[str]) -> int:
    """Add the missing inverses of these entries' links at the other ends, marked as mirrored;
    return the number of changed entries. The index must be ready."""
    wanted: dict[str, tuple[Row, list[tuple[str, Row]]]] = {}
    for id_ in ids:
        row = store.find_exact(id_)
        live = row is not None and row.status != "deleted"
        for target, relation in store.index.links_from(row.locator) if row and live else ():
            other = find_target(store, target) if relation in INVERSE else None
            if row and other and other.id != row.id and not _is_outside(store, other):
                wanted.setdefault(other.id, (other, []))[1].append((INVERSE[relation], row))

    def change(one: Row, entry: Entry) -> Links | None:
        links: Links | None = None
        for how, other in wanted[one.id][1]:
            links = _with(store, entry, how, other, links, _MIRROR) or links
        return links

    return _rewrite_present(store, [row for row, _ in wanted.values()], change)


def draw_entries(store: Store, ids: Iterable[str]) -> int:
    """Draw the typed links of these entries, whose ends may have come after them; return the number
    of changed entries. The index must be ready."""

    def change(_: Row, entry: Entry) -> Links | None:
        drawn = draw_links(store, entry.note, entry)
        return None if drawn is entry.note else _given(entry)

    rows = [row for id_ in ids if (row := store.find_exact(id_)) and not _is_outside(store, row)]
    return _rewrite_present(store, rows, change)


def list_one_sided(store: Store) -> list[tuple[Row, str, Row]]:
    """List links between active entries whose inverse is missing: (entry, relation, other)."""
    said: dict[tuple[str, str, str], tuple[Row, Row]] = {}
    for relation in INVERSE:
        for row, target in store.index.related(relation):
            other = find_target(store, target) if row.status == ACTIVE else None
            if other and other.status == ACTIVE and other.id != row.id:
                said[row.id, relation, other.id] = (row, other)
    return [
        (row, relation, other)
        for (one, relation, two), (row, other) in said.items()
        if (two, INVERSE[relation], one) not in said
        and not _links_to_predecessor(store, other, INVERSE[relation], row)
    ]


def _links_to_predecessor(store: Store, row: Row, relation: str, successor: Row) -> bool:
    """Whether an entry links to the one that `successor` replaced, whose links it took over."""
    replaced = store.read_entry(successor.locator).supersedes
    return (replaced, relation) in store.index.links_from(row.locator)


def _rewrite(store: Store, rows: Sequence[Row], change: Change, *, lenient: bool = False) -> int:
    """Change the links of entries in one commit, by compare and swap, and again after a conflict;
    return the number of changed entries. `lenient` leaves out those whose file is gone or broken.
    """

    def rewrite() -> int:
        writes: list[Write] = []
        for row in rows:
            try:
                stored = store.backend.read(row.locator)
                entry = read_entry(row.locator, stored.raw)
            except (NotFoundError, MalformedError):
                if lenient:
                    continue
                raise
            links = change(row, entry)
            if links is not None:
                store.preserve(row.locator, stored, entry.id)
                fields: dict[str, Value] = {"id": entry.id, "updated": store.now}
                fields |= {"links": links} if links else {}
                note = entry.note.patch(fields, () if links else ("links",))
                raw = draw_links(store, note, entry).raw
                writes.append(Write(row.locator, raw, entry.id, stored.hash))
        if writes:
            store.commit("link", writes)
        return len(writes)

    return try_again(rewrite)


def _rewrite_present(store: Store, rows: Sequence[Row], change: Change) -> int:
    return sum(
        _rewrite(store, rows[start : start + _AT_ONCE], change, lenient=True)
        for start in range(0, len(rows), _AT_ONCE)
    )


def _with(
    store: Store,
    entry: Entry,
    relation: str,
    to: Row,
    links: Links | None = None,
    mark: Mapping[str, Value] | None = None,
) -> Links | None:
    links = _given(entry) if links is None else links
    if any(_is(store, item, relation, to) for item in links):
        return None
    return [*links, {"to": to.id, "relation": relation, **(mark or {})}]


def _given(entry: Entry) -> Links:
    return [*list_of(entry.fields.get("links"))]


def _is(store: Store, item: Value, relation: str, to: Row) -> bool:
    """Whether a written link is one of a relation to an entry; a bare one is `related_to`."""
    if isinstance(item, dict):
        target, how = item.get("to"), str(item.get("relation") or "related_to")
    else:
        target, how = item, "related_to"
    if how != relation or not isinstance(target, str):
        return False
    if target == to.id:
        return True
    end = find_target(store, target)
    return end is not None and end.id == to.id


def _refuse_outsider(store: Store, rows: Sequence[Row], older: Row | None) -> None:
    """Raise ConflictError where an external actor would change one of `rows` in T2, or say that
    another entry replaced `older`, which is not external."""
    remedy = "have the operator link the two"
    for row in rows:
        if _is_outside(store, row):
            why = f"{row.id} is the operator's: what comes from outside does not link it"
            raise ConflictError(why, path=row.locator, remedy=remedy)
    if older and store.actor.trust == EXTERNAL != counted_origin(older, store):
        why = f"{older.id} is not from outside: what comes from there does not say what replaced it"
        raise ConflictError(why, path=older.locator, remedy=remedy)


def _is_outside(store: Store, row: Row) -> bool:
    return store.actor.trust == EXTERNAL and row.tier == "T2"


def _refuse_written(store: Store, row: Row, to: Row, relation: str) -> None:
    for one, how, other in ((row, relation, to), (to, INVERSE.get(relation), row)):
        for target, said in store.index.links_from(one.locator):
            end = find_target(store, target) if said == how else None
            if end and end.id == other.id:
                raise UsageError(
                    f"the link stands in the text of {one.id}",
                    path=one.locator,
                    remedy=f"take it out with `engrain edit {one.id}`",
                )


def check_relation(relation: str) -> None:
    """Raise UsageError for an unknown relation."""
    if relation not in RELATIONS:
        raise UsageError(
            f"{relation!r} is not a relation", remedy="use one of " + ", ".join(RELATIONS)
        )


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
        # By whose hand a note in T3 was changed counts for no succession: the operator is asked.
        origin = counted_origin(row, store) if row.tier == "T2" else row.source
        return ORIGINS.index(origin)

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


def _read_claims(store: Store) -> tuple[list[SuccessionClaim], dict[int, Row]]:
    with store.index.view() as view:
        claims = view.ask(list_claims)
        rows = view.rows(list({n for one in claims for n in (one.older, one.newer)}))
    gone = {number for number, row in rows.items() if row.status == "deleted"}
    return [one for one in claims if gone.isdisjoint((one.older, one.newer))], rows
