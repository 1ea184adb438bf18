"""Lists episodes, and reads one whole (S2.2)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from engrain.engine.core.scope import Scope
from engrain.engine.core.store import Store
from engrain.engine.episodes.episode import KIND
from engrain.engine.episodes.recording import recover_episodes
from engrain.engine.verbs.listing import Listing, list_entries
from engrain.model.errors import NotFoundError, UsageError
from engrain.model.experience.episode import OUTCOMES
from engrain.model.note.field import Value
from engrain.model.note.json_note import JsonNote


def list_episodes(
    store: Store,
    outcome: str | None = None,
    *,
    scope: Scope | None = None,
    limit: int | None = None,
) -> Listing:
    """List episodes newest first, those that dead processes left included; with one `outcome` if
    that is named. Of `scope` the kinds and tags are set here. Raises UsageError."""
    if outcome is not None and outcome not in OUTCOMES:
        raise UsageError(
            f"{outcome[:40]!r} is no outcome", remedy="use one of " + ", ".join(OUTCOMES)
        )
    recover_episodes(store)
    wanted = (scope or Scope()).widened(archive=False, inbox=False)
    wanted.kinds = (KIND,)
    wanted.tags = () if outcome is None else (outcome,)
    return list_entries(store, scope=wanted, limit=limit)


def read_filed(store: Store, reference: str) -> tuple[str, Mapping[str, Any], Mapping[str, Value]]:
    """An episode's id, its document with loki's fields, and what stands beside those:
    `omitted`, `metrics`, where it came from. Raises NotFoundError."""
    row = store.find_one(reference)
    entry = store.read_entry(row.locator)
    if not isinstance(entry.note, JsonNote) or entry.kind != KIND:
        raise NotFoundError(
            f"{row.id} is a {entry.kind}, no episode",
            path=row.locator,
            remedy="`engrain episode list` shows them",
        )
    return entry.id, entry.note.document, entry.note.own
