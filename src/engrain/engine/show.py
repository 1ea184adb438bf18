"""`show`: one entry whole, with what it links to and what links to it (S3.5)."""

from __future__ import annotations

from engrain.engine.contradictions import list_contradicting
from engrain.engine.outcomes import Shown
from engrain.engine.scope import counted_origin
from engrain.model.folding import link_key
from engrain.model.links import candidates, parse_links
from engrain.model.tiers import ACTIVE, LIVE, PERSONAL

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from engrain.engine.store import Store
    from engrain.seam.rows import Row


def show_entry(store: Store, reference: str) -> Shown:
    """One entry whole, read from the store."""
    store.require_index()
    row = store.find_one(reference)
    entry = store.read_entry(row.locator)
    links = [
        (link.target, link.relation or "", _resolve(store, candidates(link)))
        for link in parse_links(entry.note.body)
    ]
    links += [(target, relation, _resolve(store, [target])) for target, relation in entry.links]
    origin = counted_origin(row, store.settings)
    return Shown(
        entry,
        row.locator,
        links,
        store.index.links_to(row),
        origin=origin,
        attested=row.attested,
        contradicts=list_contradicting(store, row),
    )


def _resolve(store: Store, names: Sequence[str]) -> Row | None:
    """The entry a link leads to: of those that go by the name, one that was not superseded. What
    is the operator's own is none."""
    names = [name for name in names if not name.startswith(PERSONAL)]
    rows = store.index.resolve([key for name in names for key in (name, link_key(name))])
    return min(rows, key=lambda row: (row.status != ACTIVE, row.zone != LIVE), default=None)
