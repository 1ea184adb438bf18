"""Marks recalled commitments with their state, so that a kept one does not look open (S3.8)."""

from __future__ import annotations

from collections.abc import Iterable

from engrain.engine.core.recalled import Recalled
from engrain.engine.core.store import Store
from engrain.model.errors import EngrainError
from engrain.model.experience.commitments import KIND, read_standing
from engrain.model.note.json_note import parse_note

_NEVER = float("inf")


def mark_standing(store: Store, recalled: Iterable[Recalled]) -> dict[str, float]:
    """Set the `standing` of each commitment, and return by id when it is due in epoch seconds,
    infinity if it has no due date."""
    due: dict[str, float] = {}
    for found in recalled:
        if found.row.kind != KIND:
            continue
        try:
            note = parse_note(store.backend.read(found.row.locator).raw, found.row.locator)
        except EngrainError:
            continue  # gone since
        found.standing, at = read_standing(note.front, store.clock.now())
        due[found.row.id] = _NEVER if at is None else at
    return due
