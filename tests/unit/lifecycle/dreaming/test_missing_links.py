"""Missing links: what the dream is told of are mentions that are meant beyond doubt."""

from __future__ import annotations

from engrain import Memory
from engrain.engine.core.active_notes import ActiveNotes
from engrain.lifecycle.dreaming.finders import find_missing_links
from engrain.lifecycle.dreaming.run import LINK, DreamFinding
from engrain.lifecycle.reviewing.table import ACTIONS


def find(memory: Memory) -> list[DreamFinding]:
    store = memory._ready(scan=True)
    return list(find_missing_links(store, ActiveNotes(store), 0.0))


def test_a_mention_is_found_with_the_note_that_would_change_first(memory: Memory) -> None:
    target = memory.save("It runs.", title="Nightly ledger backup", kind="fix").id
    source = memory.save("The nightly ledger backup failed.", title="Disk", kind="fix").id
    (found,) = find(memory)
    assert (found.kind, found.entries) == (LINK, (source, target))
    assert found.action in ACTIONS
    assert 0.75 <= found.score <= 1
    assert found.evidence == ((source, "The nightly ledger backup failed."),)
    assert "nightly ledger backup" in found.reason
