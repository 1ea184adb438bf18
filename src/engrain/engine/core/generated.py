"""Generated files, which are made from entries and rewritten only when they would change."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any

from engrain.engine.core.store import Store
from engrain.model.errors import ConflictError, EngrainError
from engrain.model.note.documents import parse_object
from engrain.model.note.ids import path_id
from engrain.seam.locator import Locator
from engrain.seam.storage import Write


def read_generated(store: Store, place: Locator) -> dict[str, Any]:
    """The object in a generated file; empty where none can be read."""
    try:
        return parse_object(store.backend.read(place).raw)
    except EngrainError:
        return {}


def write_generated(store: Store, wanted: Mapping[Locator, bytes | None]) -> int:
    """Write generated files in one commit, or remove them (None), where they would change; returns
    how many. Where another process writes one at this moment, they are left to that."""
    writes: list[Write] = []
    expected: dict[Locator, str | None] = {}
    for place, after in wanted.items():
        try:
            before = store.backend.read(place)
        except EngrainError:
            before = None
        if after != (None if before is None else before.raw):
            writes.append(Write(place, after, path_id(place)))
            expected[place] = None if before is None else before.hash
    if not writes:
        return 0
    try:
        store.commit("index", writes, expected)
    except ConflictError:
        return 0
    return len(writes)


def count_values(values: Iterable[object]) -> dict[str, int]:
    """How often each value occurs, by value; empty ones count as unknown."""
    return dict(sorted(Counter(str(value or "unknown") for value in values).items()))
