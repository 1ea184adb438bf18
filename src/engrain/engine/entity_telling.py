"""An entity told as a person would (S4.1, S4.5)."""

from __future__ import annotations

from engrain.engine.entities import open_entity
from engrain.engine.entity_files import read_summary
from engrain.model.entities import SUMMARY
from engrain.model.entity_summary import read_stamp, stamp_of, write_summary
from engrain.model.facts import ACTIVE
from engrain.seam.locator import Locator

TYPE_CHECKING = False
if TYPE_CHECKING:
    from engrain.engine.store import Store
    from engrain.model.entities import Entity

_MOST_CHANGES = 8
"""Of so many of its latest changes one may have left a summary as it is."""


def tell_entity(store: Store, reference: str, as_of: float | None = None) -> str:
    """The summary of an entity: the file where that is up to date or somebody wrote it, else one
    made now, without the line that says so. With `as_of` (epoch seconds) it is of what held then.
    Raises NotFoundError, UsageError."""
    filed = open_entity(store, reference)
    return tell_read(store, filed.entity, filed.locator, as_of)[0]


def tell_read(
    store: Store, entity: Entity, locator: Locator, as_of: float | None = None
) -> tuple[str, bool]:
    """The same of an entity that was read just now from its place, and whether Engrain wrote it:
    a text by another program's hand has the origin of nothing that is known."""
    now = store.clock.now()
    if as_of is None:
        text, ours = _read_summary(store, entity, locator, now)
        return (_body(text), ours) if text else (_body(write_summary(entity, now)), True)
    held = [
        fact.replace(status=ACTIVE, valid_to=None, disputes=())
        for fact in entity.facts
        if fact.held_at(as_of)
    ]
    return _body(write_summary(entity.replace(facts=held), as_of)), True


def _read_summary(store: Store, entity: Entity, locator: Locator, now: float) -> tuple[str, bool]:
    stored = read_summary(store, locator.folder)
    if stored is None:
        return "", False
    text = stored.raw.decode(errors="replace")
    if read_stamp(text) not in (None, stamp_of(entity, now)):
        return "", False
    changes = store.index.changes(
        locator=Locator(f"{locator.folder}/{SUMMARY}"), limit=_MOST_CHANGES
    )
    return text, any(one.attested and one.after_hash == stored.hash for one in changes)


def _body(summary: str) -> str:
    """A summary without the line that says that it is generated."""
    first, _, rest = summary.partition("\n")
    return rest if read_stamp(first) else summary
