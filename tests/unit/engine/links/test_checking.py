"""Where links lead, counted by state (S1.11)."""

from __future__ import annotations

from pathlib import Path

from engrain import Memory
from engrain.engine.links.checking import count_links
from engrain.model.note.note import MAX_NOTE_BYTES
from support.vaults import make_memory
from unit.engine.core.vault_files import put


def count(memory: Memory) -> tuple[int, int, int]:
    """The links of all notes that resolve, may mean several notes, and lead nowhere."""
    counts = count_links(memory._ready(scan=True))
    assert list(counts) == ["resolved", "ambiguous", "broken"]
    return counts["resolved"], counts["ambiguous"], counts["broken"]


def test_links_in_any_form_lead_to_their_note(memory: Memory, vault: Path) -> None:
    put(vault, "notes/Target Note.md", "---\naliases: [Nick]\n---\n# Its title\n\n## Part\n")
    put(
        vault,
        "notes/source.md",
        "[[Target Note]] [[target note]] [[Its title|x]] [[Nick]] [[Target Note#Part]]\n"
        "![[Target Note]] [[notes/Target Note]] [[elaborates:: Target Note]] [[old/Target Note]]\n"
        "[a](Target%20Note.md) [b](<../notes/Target Note.md#part>)\n",
    )
    assert count(memory) == (11, 0, 0)


def test_a_link_to_nothing_or_to_a_forgotten_note_is_broken(memory: Memory, vault: Path) -> None:
    memory.forget(memory.save("Text.", title="Gone", kind="fix").id)
    put(vault, "files/there.png", b"\x89PNG")
    put(vault, "large.md", "x" * (MAX_NOTE_BYTES + 1))
    put(
        vault,
        "source.md",
        "[[nobody]] [[gone]] ![[missing.png]] [[{{title}}]] [t](no.md)\n![[there.png]] [[large]]\n",
    )
    assert count(memory) == (2, 0, 5)


def test_a_name_of_several_notes_is_ambiguous_and_a_path_is_not(
    memory: Memory, vault: Path
) -> None:
    for folder in ("a", "b", "b/c"):
        put(vault, f"{folder}/same.md", f"# Of {folder}\n")
    put(vault, "b/source.md", "[[same]]\n[[a/same]]\n")
    assert count(memory) == (1, 1, 0)


def test_what_stands_in_code_is_no_link(memory: Memory, vault: Path) -> None:
    put(vault, "n.md", "# N\n")
    put(vault, "source.md", "`[[n]]` `[[example]]` <!-- [[n]] -->\n")
    assert count(memory) == (0, 0, 0)


def test_a_vault_of_dendron_is_read_in_its_own_order(memory: Memory, vault: Path) -> None:
    for name in ("dev.one", "dev.two"):
        put(vault, f"{name}.md", f"---\ntitle: {name}\n---\n\n## First part\n")
    put(
        vault,
        "dev.md",
        "[[Docs|dev.one]] [[More|dendron://this/dev.two#first-part]] ![[dev.one#first-part,1:#*]]\n"
        "[[Docs|dev.one#no-part]]\n[[Else|dendron://other/dev.three]]\n[[Gone|dendron://this/dev.no]]\n",
    )
    assert count(memory) == (4, 0, 2)


def test_links_to_the_operators_own_notes_are_not_followed(memory: Memory, vault: Path) -> None:
    put(vault, "one.md", "---\nlinks: [{to: 'personal:x.md', relation: related_to}]\n---\nText.\n")
    assert count(memory) == (0, 0, 0)


def test_a_store_without_files_of_other_kinds_is_checked_too(tmp_path: Path) -> None:
    with make_memory(tmp_path, backend="ram") as memory:
        memory.save("See [[nobody]] and ![[a.png]].", title="One", kind="fix")
        assert count(memory) == (0, 0, 2)


def test_a_path_of_a_note_that_can_not_be_read_means_no_other(memory: Memory, vault: Path) -> None:
    put(vault, "a/n.md", b"\xff\x00")
    put(vault, "b/n.md", "# N\n")
    put(vault, "c/n.md", "# N\n")
    put(vault, "by.md", "[[a/n|n]] [[d/n]] [t](a/n.md)\n")
    assert count(memory) == (2, 1, 0)


def test_what_people_read_of_a_link_is_no_file_that_it_leads_to(
    memory: Memory, vault: Path
) -> None:
    put(vault, "photo.png", b"\x89PNG")
    put(vault, "bad.md", b"\xff\x00")
    put(vault, "by.md", "[[gone|photo.png]] [[lost|bad]] [[photo.png|bad]]\n")
    assert count(memory) == (1, 0, 2)


def test_proposals_are_no_notes_whose_links_anybody_wrote(memory: Memory, vault: Path) -> None:
    put(vault, "n.md", "# N\n")
    put(vault, "Memory/_dream-staging/run/x.md", "---\nkind: proposal\n---\n[[n]] [[no]]\n")
    assert count(memory) == (0, 0, 0)
