"""Ledgers: each agent's own checkpoint, merged into what is there by compare and swap (S2.5)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from engrain.engine.core.outcomes import Outcome
from engrain.engine.core.redaction import clean_name
from engrain.engine.core.store import Store
from engrain.engine.verbs.records import compose_record, list_records, put_record, read_record
from engrain.model.errors import ConflictError, EngrainError, NotFoundError
from engrain.model.experience.ledger import FOLDER, KIND, Progress, advance, fresh_ledger
from engrain.model.note.json_note import JsonNote
from engrain.model.note.names import file_stem
from engrain.model.note.tiers import ACTIVE
from engrain.seam.locator import Locator, make_locator


def save_ledger(store: Store, /, agent: str = "", **progress: Any) -> Outcome:
    """Write down where an agent stands, in the ledger that is its alone (S2.5). `progress` is what
    `model.experience.ledger.Progress` takes; what it does not say stays. Raises UsageError,
    ConflictError where others keep winning."""
    agent = clean_name(store, agent or store.actor.agent, "the agent of a ledger")
    news = Progress(**progress)

    def change(note: JsonNote) -> JsonNote:
        now = store.now
        after = note.with_document(advance(note.document, news, now))
        return after.patch({"status": ACTIVE}, ("deleted_at",))

    def begin() -> JsonNote:
        document = advance(fresh_ledger(agent), news, store.now)
        return compose_record(store, KIND, document, project=store.project, source=KIND)

    place = _find(store, agent) or _own_place(agent)
    return put_record(store, place, begin, change, "work", f"the ledger of {agent}")


def show_ledger(store: Store, agent: str = "") -> Mapping[str, Any]:
    """Read an agent's ledger, as the document it is. Raises NotFoundError."""
    agent = clean_name(store, agent or store.actor.agent, "the agent of a ledger")
    place = _find(store, agent)
    if place is None:
        raise NotFoundError(
            f"{agent} has no ledger", remedy="`engrain ledger list` shows those there are"
        )
    return read_record(store, place)[1].document


def list_ledgers(store: Store) -> list[Mapping[str, Any]]:
    """List every agent's ledger that can be read, the latest first. The index must be ready."""
    found = sorted(
        list_records(store, KIND), key=lambda pair: (-(pair[0].created or 0.0), pair[0].locator)
    )
    return [note.document for _, note in found]


def _own_place(agent: str) -> Locator:
    return make_locator(f"{FOLDER}/{file_stem(agent)}.json")


def _find(store: Store, agent: str) -> Locator | None:
    """Where an agent's ledger is: in its own file, or in one that another program named."""
    own = _own_place(agent)
    try:
        if read_record(store, own)[1].document.get("agent_id") == agent:
            return own
    except NotFoundError:
        pass
    else:
        raise ConflictError(f"{own} is the ledger of another agent", path=own)
    try:
        store.require_index()
        found = list_records(store, KIND)
    except EngrainError:
        return None
    return next(
        (row.locator for row, note in found if note.document.get("agent_id") == agent), None
    )
