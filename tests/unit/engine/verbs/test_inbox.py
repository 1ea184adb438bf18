"""An entry that waits in the inbox is filed."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from engrain import Memory
from engrain.engine.core.outcomes import UNCHANGED, UPDATED
from engrain.engine.verbs.inbox import file_entry
from engrain.model.errors import ConflictError
from engrain.model.note.tiers import ACTIVE, INBOX
from support.vaults import make_memory
from unit.lifecycle.sessions.living import entry_of, isolate, store_of


@pytest.fixture
def memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Memory]:
    isolate(tmp_path, monkeypatch)
    with make_memory(tmp_path) as memory:
        yield memory


def test_one_that_is_filed_lies_with_its_kind_and_recall_finds_it(memory: Memory) -> None:
    waits = memory.save("Under the harbour light.", title="Lighthouse", kind="fix", status=INBOX)
    assert [found.row.id for found in memory.recall("lighthouse").results] == []
    filed = file_entry(store_of(memory), waits.id)
    assert (filed.outcome, filed.locator) == (UPDATED, "Memory/fix/lighthouse.md")
    assert entry_of(memory, waits.id).status == ACTIVE
    assert [found.row.id for found in memory.recall("lighthouse").results] == [waits.id]
    assert file_entry(store_of(memory), waits.id).outcome == UNCHANGED


def test_where_its_name_is_taken_both_are_kept(memory: Memory) -> None:
    there = memory.save("One.", title="Lighthouse", kind="fix")
    waits = memory.save("Two.", title="Lighthouse", kind="fix", status=INBOX)
    file_entry(store_of(memory), waits.id)
    assert entry_of(memory, there.id).text.strip() == "One."
    assert entry_of(memory, waits.id).path.startswith("Memory/fix/lighthouse--")


def test_filing_is_taken_back_by_undo(memory: Memory) -> None:
    waits = memory.save("Two.", title="Lighthouse", kind="fix", status=INBOX)
    file_entry(store_of(memory), waits.id)
    memory.undo()
    assert entry_of(memory, waits.id).path == "Memory/_inbox/lighthouse.md"


def test_one_that_changed_since_or_does_not_wait_is_refused(memory: Memory) -> None:
    store = store_of(memory)
    waits = memory.save("Two.", title="Lighthouse", kind="fix", status=INBOX)
    with pytest.raises(ConflictError, match="has changed since"):
        file_entry(store, waits.id, expect="other")
    live = memory.save("x", title="Harbour", kind="fix")
    memory.forget(live.id)
    with pytest.raises(ConflictError, match="does not wait"):
        file_entry(store, live.id)
