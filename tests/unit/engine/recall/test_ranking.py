"""What an entry counts for beside what it says: pages of links, and long ones."""

from __future__ import annotations

from pathlib import Path

from engrain import Memory
from engrain.engine.recall.ranking import HUB
from unit.engine.core.vault_files import find, put

SENTENCE = "The walrus ferry crosses the fjord at dawn."
OTHER = "The captain sells tickets on board, in coins only, and dogs travel free of charge. " * 4
QUERY = "crossings: when does the walrus ferry cross the fjord"


def put_index(vault: Path, links: int) -> None:
    """A page that quotes the sentence beside a link to the note it is from, among others."""
    lines = [f"- [[note-{n}]]: Entry number {n}." for n in range(1, links)]
    text = "\n".join([f"- [[note-0]]: {SENTENCE}", *lines])
    put(vault, "Memory/notes/index.md", f"---\nid: index\nkind: memory\n---\n# Crossings\n{text}\n")


def put_notes(vault: Path, notes: int) -> None:
    for n in range(notes):
        text = f"{SENTENCE} {OTHER}" if n == 0 else f"Another matter, {n}."
        put(
            vault, f"Memory/notes/note-{n}.md",
            f"---\nid: note-{n}\nkind: memory\n---\n# Note {n}\n{text}\n",
        )  # fmt: skip


def test_a_note_comes_before_the_page_of_links_that_quotes_it(memory: Memory, vault: Path) -> None:
    put_notes(vault, HUB)
    put_index(vault, HUB)
    assert find(memory, QUERY) == ["Note 0", "Crossings"]
    [_, hub] = memory.recall(QUERY, explain=True).results
    assert hub.reasons is not None
    assert "hub" in hub.reasons.priors


def test_a_page_with_few_links_is_no_page_of_links(memory: Memory, vault: Path) -> None:
    put_notes(vault, HUB)
    put_index(vault, HUB - 1)
    assert find(memory, QUERY) == ["Crossings", "Note 0"]


def test_a_page_of_links_is_found_for_what_only_it_says(memory: Memory, vault: Path) -> None:
    put_notes(vault, HUB)
    put_index(vault, HUB)
    assert find(memory, "which entry number 3 of the crossings")[0] == "Crossings"


def test_of_a_short_and_a_long_entry_that_say_the_same_the_short_one_comes_first(
    memory: Memory,
) -> None:
    memory.save(SENTENCE + " It is blue.\n\nOther things happen too.\n\n" * 80, title="Long")
    memory.save(SENTENCE + " It is blue.", title="Short")
    assert find(memory, QUERY) == ["Short", "Long"]
