"""`commitment`: lists promises, and records whether one was kept or broken (S3.8)."""

from __future__ import annotations

from collections.abc import Sequence

from engrain.engine.core.attesting import acting_from
from engrain.engine.core.moving import stamp_id
from engrain.engine.core.outcomes import Outcome
from engrain.engine.core.scope import Scope, filter_for
from engrain.engine.core.store import Store
from engrain.engine.verbs.records import read_rows
from engrain.model.errors import UsageError
from engrain.model.experience.commitments import KIND, STATES, Commitment, read_state
from engrain.model.note.entry import Entry
from engrain.model.note.note import Note

_LIVING = ("active", "inbox", "archived")


def list_commitments(
    store: Store, states: Sequence[str] = (), *, all_projects: bool = False
) -> list[Commitment]:
    """Return the promises in these states (by default in any), open ones first, by due date. Raises
    UsageError for an unknown state."""
    for state in states:
        _check_state(state)
    scope = Scope(
        kinds=(KIND,),
        statuses=_LIVING,
        all_projects=all_projects,
        include_archive=True,
        include_inbox=True,
    )
    rows = store.index.find(filter_for(store, scope), None)
    found = [Commitment(entry) for _, entry in read_rows(store, rows)]
    return sorted((one for one in found if not states or one.state in states), key=Commitment.order)


def settle_commitment(store: Store, reference: str, state: str, note: str = "") -> Outcome:
    """Record that a promise is kept, broken, or open again, with `note` as the reason. Raises
    UsageError for an entry that is no commitment, or for an unknown state."""
    _check_state(state)
    row = store.find_one(reference)
    before = store.read_entry(row.locator)
    if before.kind != KIND:
        raise UsageError(
            f"{row.id} is a {before.kind}, not a {KIND}",
            path=row.locator,
            remedy="`engrain commitment list` shows them",
        )

    def settle(entry: Entry) -> Note:
        if read_state(entry) == state and entry.fields.get("state") in (state, None):
            return entry.note
        return stamp_id(entry, {"state": state, "updated": store.now})

    actor = acting_from(store, over=row, hash_=before.hash)
    return store.update(row.locator, settle, KIND, expect=before.hash, reason=note, actor=actor)


def _check_state(state: str) -> None:
    if state not in STATES:
        raise UsageError(f"{state!r} is no state", remedy="use one of " + ", ".join(STATES))
