"""An entity told as a person would (S4.1, S4.5)."""

from __future__ import annotations

from engrain.engine.entities import open_entity
from engrain.model.entities import SUMMARY
from engrain.model.entity_summary import read_stamp, stamp_of, write_summary
from engrain.model.errors import EngrainError
from engrain.model.facts import ACTIVE
from engrain.seam.locator import Locator

TYPE_CHECKING = False
if TYPE_CHECKING:
    from engrain.engine.store import Store
    from engrain.model.entities import Entity


def tell_entity(store: Store, reference: str, as_of: float | None = None) -> str:
    """The summary of an entity: the file where that is up to date or somebody wrote it, else one
    made now, without the line that says so. With `as_of` (epoch seconds) it is of what held then.
    Raises NotFoundError, UsageError."""
    filed = open_entity(store, reference)
    return tell_read(store, filed.entity, filed.locator, as_of)


def tell_read(store: Store, entity: Entity, locator: Locator, as_of: float | None = None) -> str:
    """The same of an entity that was read just now from its place."""
    now = store.clock.now()
    if as_of is None:
        return _body(_read_summary(store, entity, locator, now) or write_summary(entity, now))
    held = [
        fact.replace(status=ACTIVE, valid_to=None, disputes=())
        for fact in entity.facts
        if fact.held_at(as_of)
    ]
    return _body(write_summary(entity.replace(facts=held), as_of))


def _read_summary(store: Store, entity: Entity, locator: Locator, now: float) -> str:
    try:
        raw = store.backend.read(Locator(f"{locator.folder}/{SUMMARY}")).raw
    except EngrainError:
        return ""
    text = raw.decode(errors="replace")
    stamp = read_stamp(text)
    return text if stamp in (None, stamp_of(entity, now)) else ""


def _body(summary: str) -> str:
    """A summary without the line that says that it is generated."""
    first, _, rest = summary.partition("\n")
    return rest if read_stamp(first) else summary
