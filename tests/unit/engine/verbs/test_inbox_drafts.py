"""A draft in staging becomes an entry like any other (S1.17)."""

from __future__ import annotations

from pathlib import Path

import pytest

from engrain import ConflictError, Memory
from engrain.engine.verbs.inbox import adopt_entry
from unit.engine.core.vault_files import put

PLACE = "Memory/_dream-staging/hoist.md"
DRAFT = (
    "---\nid: d1\nkind: procedural\nstatus: proposed\n---\n# Hoist a sail\n\n## Steps\n1. Pull\n"
)


def test_a_draft_moves_to_its_kinds_folder_and_is_active(memory: Memory, vault: Path) -> None:
    put(vault, PLACE, DRAFT)
    outcome = adopt_entry(memory._ready(scan=True), "d1", "it works")
    assert outcome.locator == "Memory/procedural/hoist.md"
    assert "status: active\n" in (vault / outcome.locator).read_text()
    assert not (vault / PLACE).exists()
    change = memory.history("d1")[0]
    assert (change.op, change.reason) == ("adopt", "it works")
    memory.undo(change.change)
    assert (vault / PLACE).read_text() == DRAFT


def test_adopted_twice_is_unchanged(memory: Memory, vault: Path) -> None:
    put(vault, PLACE, DRAFT)
    adopt_entry(memory._ready(scan=True), "d1")
    assert adopt_entry(memory._ready(), "d1").outcome == "unchanged"


@pytest.mark.parametrize(
    ("place", "text"),
    [
        (PLACE, DRAFT.replace("proposed", "archived")),
        ("Memory/procedural/hoist.md", DRAFT),
        (PLACE, DRAFT.replace("proposed", "active")),
    ],
)
def test_what_is_no_draft_is_refused(memory: Memory, vault: Path, place: str, text: str) -> None:
    put(vault, place, text)
    with pytest.raises(ConflictError, match="is no draft"):
        adopt_entry(memory._ready(scan=True), "d1")
    assert (vault / place).read_text() == text


def test_one_that_is_not_what_was_meant_is_refused(memory: Memory, vault: Path) -> None:
    put(vault, PLACE, DRAFT)
    with pytest.raises(ConflictError, match="has changed since"):
        adopt_entry(memory._ready(scan=True), "d1", expect="0" * 64)
