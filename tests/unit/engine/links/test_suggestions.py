"""Links that could be made: whole titles of other notes in a text that has no link to them."""

from __future__ import annotations

from pathlib import Path

import pytest

from engrain import Memory
from engrain.engine.core.active_notes import ActiveNotes
from engrain.engine.links.suggestions import Suggestion, suggest_links
from support.vaults import make_memory
from unit.engine.core.vault_files import put


def save(memory: Memory, title: str, text: str, project: str = "") -> str:
    return memory.save(text, title=title, kind="fix", project=project).id


def suggest(memory: Memory) -> list[Suggestion]:
    store = memory._ready(scan=True)
    return list(suggest_links(store, ActiveNotes(store)))


def test_a_mention_of_a_title_suggests_a_link_with_its_words_and_its_line(memory: Memory) -> None:
    target = save(memory, "Nightly ledger backup", "It runs at two.")
    source = save(memory, "Disk full", "First.\n\nThen the nightly ledger backup failed.")
    (found,) = suggest(memory)
    assert (found.source, found.target) == (source, target)
    assert found.words == "nightly ledger backup"
    assert found.quote == "Then the nightly ledger backup failed."


@pytest.mark.parametrize("linking", ["source", "target"])
def test_notes_of_which_one_links_the_other_get_no_suggestion(memory: Memory, linking: str) -> None:
    target = save(memory, "Nightly ledger backup", "It runs at two.")
    source = save(memory, "Disk full", "The nightly ledger backup failed.")
    ends = (source, target) if linking == "source" else (target, source)
    memory.link(*ends, "elaborates")
    assert suggest(memory) == []


def test_a_name_that_two_notes_have_means_neither(memory: Memory) -> None:
    save(memory, "Nightly ledger backup", "One.")
    save(memory, "Nightly ledger backup", "Another.")
    save(memory, "Disk full", "The nightly ledger backup failed.")
    assert suggest(memory) == []


def test_a_note_does_not_mention_itself(memory: Memory) -> None:
    save(memory, "Nightly ledger backup", "The nightly ledger backup runs at two.")
    assert suggest(memory) == []


def test_a_phrase_that_many_notes_have_is_no_name(memory: Memory) -> None:
    save(memory, "Open questions", "A form.")
    for number in range(20):
        save(memory, f"Talk {number} with the desk", f"There are open questions, item{number}.")
    assert suggest(memory) == []


def test_templates_are_no_ends(memory: Memory, vault: Path) -> None:
    put(vault, "templates/meeting.md", "# Weekly planning meeting\n")
    save(memory, "Friday", "Before the weekly planning meeting we ate.")
    assert suggest(memory) == []


def test_twice_over_the_same_vault_it_says_the_same(tmp_path: Path) -> None:
    with make_memory(tmp_path) as memory:
        names = [f"Procedure {word} of ledger" for word in ("alder", "birch", "cedar", "elm")]
        for name in names:
            save(memory, name, " and ".join(names))
        told = [(one.source, one.target) for one in suggest(memory)]
        assert len(told) == 12
        assert [(one.source, one.target) for one in suggest(memory)] == told


def test_only_titles_are_names(memory: Memory, vault: Path) -> None:
    put(vault, "Memory/fix/ledger-lock-order.md", "---\naliases: [Quorum handbook]\n---\n# Locks\n")
    save(memory, "One", "We went by the quorum handbook, and it is about the ledger lock order.")
    assert suggest(memory) == []
