"""The operator's say over their own notes: what is done there, and on whose word (S1.7)."""

from __future__ import annotations

from engrain.engine.core.outcomes import Outcome
from engrain.engine.core.store import Store
from engrain.engine.links.linking import check_relation
from engrain.engine.links.linking import link_personal as add_link
from engrain.model.errors import UsageError
from engrain.seam.personal import Personal


def require_say(personal: Personal, authorize: bool, verb: str, place: str) -> None:
    """Raises UsageError, and logs the refused use, unless the operator asked for it; ConfigError
    where there is no root."""
    if not authorize:
        personal.refuse(verb, place, UsageError.code)
        raise UsageError(
            f"would {verb} {place[:200]!a} among the operator's own notes, "
            "and nothing says that they asked for it",
            remedy="if they did, repeat it with --authorize (Python: authorize=True)",
        )
    personal.check()


def link_note(
    store: Store, personal: Personal, reference: str, place: str, relation: str
) -> Outcome:
    """Link an entry to a note that is there. Raises NotFoundError, UsageError."""
    check_relation(relation)
    store.find_one(reference)
    personal.look(place, "link")
    return add_link(store, reference, place, relation)
