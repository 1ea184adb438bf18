"""Mistakes to avoid: anti-patterns and learnings, by the task's words and by the type of action
(S2.10, S2.7)."""

from __future__ import annotations

from engrain.engine.recall.profiles import Collection
from engrain.model.errors import EngrainError
from engrain.model.json_note import JsonNote
from engrain.model.parsing import parse_note

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from engrain.engine.recall.ranking import Ranked
    from engrain.engine.store import Store
    from engrain.model.note import Note
    from engrain.seam.rows import Filter, Row

_ANTI_PATTERN = "anti-pattern"
_LEARNING = "learning"

MISTAKES = Collection("avoid", (_ANTI_PATTERN, _LEARNING), 5)
ACTION = 1.5
"""What it counts for that a mistake was met at the type of action that is at hand."""
_MOST_READ = 200
"""Of the anti-patterns, so many of the newest are asked for their actions."""


def list_by_action(store: Store, action: str, only: Filter) -> dict[str, Row]:
    """The newest anti-patterns that were met at an action of this type, by id."""
    wanted = action.strip().casefold()
    found = {}
    for row in store.index.find(only.replace(kinds=(_ANTI_PATTERN,)), _MOST_READ):
        note = _read(store, row)
        actions = note.fields.get("actions") if note else None
        if isinstance(actions, list) and wanted in (str(one).casefold() for one in actions):
            found[row.id] = row
    return found


def drop_told(store: Store, ranked: list[Ranked], loaded: Sequence[str]) -> list[Ranked]:
    """Mistakes without the learnings whose anti-pattern, made of the same errors, is among them or
    among what the reader has already."""
    told = {item.row.id for item in ranked} | set(loaded)
    kept = []
    for item in ranked:
        note = _read(store, item.row) if item.row.kind == _LEARNING else None
        if not isinstance(note, JsonNote) or note.document.get("anti_pattern") not in told:
            kept.append(item)
    return kept


def _read(store: Store, row: Row) -> Note | None:
    try:
        return parse_note(store.backend.read(row.locator).raw, row.locator)
    except EngrainError:
        return None  # gone or broken since: who fills the answer notices
