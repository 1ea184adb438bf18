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


def test_words_that_only_sound_like_a_title_are_no_mention(memory: Memory) -> None:
    for title in ("git commit", "Install Harbour", "react-native"):
        memory.save("It has a page of its own.", title=title, kind="fix")
    text = "A Git commit is made. You have to install Harbour. It has a react-native style."
    source = memory.save(text, title="Notes", kind="fix").id
    other = memory.save("The react-native bridge.", title="More", kind="fix").id
    (found,) = find(memory)
    assert found.entries[0] in (source, other)
    assert "react-native" in found.reason, "once, and not for every note that mentions it"
