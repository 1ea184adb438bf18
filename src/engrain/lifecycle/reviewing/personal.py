"""The operator's say over their own notes: what is done there, and on whose word (S1.7)."""

from __future__ import annotations

from collections.abc import Sequence

from engrain.engine.core.outcomes import Outcome
from engrain.engine.core.store import Store
from engrain.engine.links.linking import check_relation
from engrain.engine.links.linking import link_personal as add_link
from engrain.lifecycle.reviewing.actions import OpenPersonal
from engrain.model.errors import UsageError
from engrain.seam.personal import Personal, Use


def require_say(personal: Personal, authorize: bool, verb: str, place: str) -> None:
    """Check that the operator asked for this use of their own notes. Raises UsageError, and logs
    the refusal, if not; ConfigError where there is no root."""
    if not authorize:
        personal.refuse(verb, place, UsageError.code)
        raise UsageError(
            f"would {verb} {place[:200]!a} in the operator's personal notes without authorization",
            remedy="if the operator asked for it, repeat with --authorize (Python: authorize=True)",
        )
    personal.check()


def open_notes(
    _: Store,
    open_personal: OpenPersonal,
    *,
    authorize: bool = False,
    verb: str = "use",
    place: str = "",
) -> Personal:
    """Open the operator's own notes (S1.7), which no other function reaches. `authorize` says that
    the operator asked for it; `verb` and `place` name what for, in the log and in the error. Raises
    UsageError without; ConfigError where `personal.root` is not set or can't be used."""
    personal = open_personal()
    require_say(personal, authorize, verb, place)
    return personal


def list_uses(_: Store, open_personal: OpenPersonal, since: float | None = None) -> Sequence[Use]:
    """List every use of the operator's own notes from `since` on (epoch seconds), refused ones
    too, as this device logged them."""
    return open_personal().uses(since)


def link_note(
    store: Store,
    open_personal: OpenPersonal,
    reference: str,
    place: str,
    relation: str = "related_to",
    *,
    authorize: bool = False,
) -> Outcome:
    """Link an entry to one of the operator's own notes. Raises NotFoundError, UsageError, and
    as `open_notes` does."""
    personal = open_notes(store, open_personal, authorize=authorize, verb="link", place=place)
    store.require_index()
    check_relation(relation)
    store.find_one(reference)
    personal.look(place, "link")
    return add_link(store, reference, place, relation)
