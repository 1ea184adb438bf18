"""`show`: one entry whole, with what it links to and what links to it (S3.5)."""

from __future__ import annotations

from engrain.engine.core.contradictions import list_contradicting
from engrain.engine.core.outcomes import Shown
from engrain.engine.core.scope import counted_origin, counted_successions
from engrain.engine.core.store import Store
from engrain.seam.graph import LINKED


def show_entry(store: Store, reference: str) -> Shown:
    """One entry whole, read from the store."""
    store.require_index()
    row = store.find_one(reference)
    entry = store.read_entry(row.locator)
    with store.index.view() as view:
        number = view.number(row.locator)
        written = [] if number is None else view.links_of(number)
        ends = view.rows([one.end for one in written if one.end is not None])
    links = [
        (one.reference.target, one.reference.relation, ends.get(one.end or 0))
        for one in written
        if one.reference.origin in LINKED
    ]
    origin = counted_origin(row, store.settings)
    return Shown(
        entry,
        row.locator,
        links,
        store.index.links_to(row),
        origin=origin,
        attested=row.attested,
        contradicts=list_contradicting(store, row),
        replaced=bool(row.replaced & counted_successions(store.settings)),
    )
