"""Links from entries to the operator's own notes (S1.7).

Such a link is `{to: "personal:<place>"}` in an entry's frontmatter. It is shown as it stands and
never followed: neither the index nor any verb over the vault knows what is behind it.
"""

from __future__ import annotations

from engrain.engine.core.outcomes import UNCHANGED, UPDATED, Outcome
from engrain.engine.core.store import Store
from engrain.language.text.instants import format_instant
from engrain.model.errors import UsageError
from engrain.model.links.link import RELATIONS
from engrain.model.note.entry import read_entry
from engrain.model.note.field import Value
from engrain.model.note.tiers import PERSONAL
from engrain.seam.storage import Stored


def check_relation(relation: str) -> None:
    """Raises UsageError for what is no relation."""
    if relation not in RELATIONS:
        raise UsageError(
            f"{relation!r} is not a relation", remedy="use one of " + ", ".join(RELATIONS)
        )


def link_personal(store: Store, reference: str, place: str, relation: str) -> Outcome:
    """Add to an entry a link to the operator's note at `place`, which the caller has checked; one
    that is there already is `unchanged`. Raises UsageError for what is no relation."""
    check_relation(relation)
    row = store.find_one(reference)
    target = PERSONAL + place
    outcome = UPDATED

    def add(stored: Stored) -> bytes:
        nonlocal outcome
        entry = read_entry(row.locator, stored.raw)
        if (target, relation) in entry.links:
            outcome = UNCHANGED
            return stored.raw
        given = entry.fields.get("links")
        links: list[Value] = [
            *(given if isinstance(given, list) else ()),
            {"to": target, "relation": relation},
        ]
        now = format_instant(store.clock.now())
        return entry.note.patch({"id": entry.id, "links": links, "updated": now}).raw

    store.update(row.locator, add, "link", row.id)
    return Outcome(outcome, store.read_entry(row.locator), row.locator, other=target)
