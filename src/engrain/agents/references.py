"""What CONTINUITY.md references: memories that fit the work and mistakes to avoid, by their ids
(S2.1)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING

from engrain.agents.harness import rewrite_notes
from engrain.engine.core.outcomes import UPDATED
from engrain.engine.core.recalled import TaskRecall
from engrain.engine.core.scope import Scope
from engrain.engine.recall.pipeline import RecallRequest, choose_profile, recall_entries
from engrain.language.text.tokens import estimate_tokens
from engrain.model.errors import EngrainError, IndexUnavailableError
from engrain.model.experience.continuity import (
    MISTAKES,
    RELEVANT,
    drop_lines,
    make_reference,
    name_reference,
)
from engrain.seam.rows import Filter

if TYPE_CHECKING:
    from engrain.engine.core.recalled import Recalled
    from engrain.engine.core.store import Store
    from engrain.model.note.entry import Entry
    from engrain.model.note.note import Note


_WITHHELD = "from outside; read it by its id"
"""Replaces a title from outside, since CONTINUITY.md is read as the agent's own words."""
_PLAIN = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.")
_LONGEST_ID = 64
"""The most characters of an id from outside, so that it can't carry a message either."""


def find_memories(
    store: Store, work: str, project: str | None = None, deadline: float | None = None
) -> tuple[Sequence[Recalled], Sequence[Recalled]] | None:
    """Return the memories and skills for the work, and the mistakes to avoid; None if the index
    can't answer now. This strengthens no entry, since nobody has read it yet. Imported entries
    are left out until somebody has used them."""
    if not work.strip():
        return (), ()
    scope = Scope(project=project, known=True)
    request = RecallRequest(work, choose_profile("task"), scope, scan=False, deadline=deadline)
    try:
        found = recall_entries(store, request)
    except IndexUnavailableError:
        return None
    assert isinstance(found, TaskRecall), "the profile's own answer"
    return (*found.results, *found.skills), found.avoid_these


def refer(entries: Iterable[Recalled], most: int) -> list[str]:
    """Return references to entries, each once, within `most` tokens."""
    lines: dict[str, None] = {}
    for found in entries:
        row = found.row
        if row.source != "external":
            line = make_reference(row.id, row.title, row.kind, row.slug)
        elif len(row.id) <= _LONGEST_ID and _PLAIN.issuperset(row.id):
            line = make_reference(row.id, _WITHHELD, row.kind)
        else:
            continue
        most -= 0 if line in lines else estimate_tokens(line)
        if most < 0:
            break
        lines[line] = None
    return list(lines)


def drop_references(store: Store, ids: Sequence[str]) -> list[str]:
    """Remove the lines that name some entries from every CONTINUITY.md before they are
    erased; return the places that changed. The index must be ready."""
    rows = [row for row in map(store.find_exact, ids) if row is not None]
    opening = tuple(
        line
        for row in rows
        for line in (name_reference(row.id), name_reference(row.id, row.kind, row.slug))
    )

    def change(entry: Entry | None) -> Note | None:
        if entry is None:
            return None
        body = entry.note.body
        for name in (RELEVANT, MISTAKES):
            body = drop_lines(body, name, opening)
        return None if body == entry.note.body else entry.note.with_body(body)

    changed: list[str] = []
    for row in store.index.find(Filter(kinds=("continuity",))) if opening else ():
        with suppress(EngrainError):  # one that can't be read is listed among what erasing leaves
            outcome = rewrite_notes(store, {row.locator: change}).get(row.locator)
            if outcome is not None and outcome.outcome == UPDATED:
                changed.append(row.locator)
    return changed
