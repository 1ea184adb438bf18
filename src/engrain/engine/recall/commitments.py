"""Marks recalled commitments with their state, so that a kept one does not look open (S3.8)."""

from __future__ import annotations

from collections.abc import Iterable

from engrain.engine.core.recalled import Recalled
from engrain.engine.core.store import Store
from engrain.model.errors import EngrainError
from engrain.model.experience.commitments import KIND, read_standing

_NEVER = float("inf")


def mark_standing(store: Store, recalled: Iterable[Recalled]) -> dict[str, float]:
    """Set the `standing` of each commitment, and return by id when it is due in epoch seconds,
    infinity if it has no due date."""
    due: dict[str, float] = {}
    for found in recalled:
        if found.row.kind != KIND:
            continue
        try:
            fields = store.parse(
                store.backend.read(found.row.locator).raw, found.row.locator
            ).fields
        except EngrainError:
            continue  # gone or broken since
        found.standing, at = read_standing(fields, store.clock.now())
        due[found.row.id] = _NEVER if at is None else at
    return due
