"""`rename`: a note gets another title, and every link to it follows in one change (S1.11)."""

from __future__ import annotations

from pathlib import Path
from threading import Barrier, Thread

import pytest

from engrain import ConflictError, Memory, NotFoundError, UsageError
from engrain.engine.links import renaming
from engrain.engine.links.checking import count_links
from support.vaults import make_memory, write_as
from unit.engine.core.vault_files import notes, put


def test_title_slug_and_file_change_and_the_id_stays(memory: Memory, vault: Path) -> None:
    saved = memory.save("Take it first.", title="Nightly lock", kind="fix")
    renamed = memory.rename(saved.id, "Morning lock")
    assert (renamed.id, renamed.locator) == (saved.id, "Memory/fix/morning-lock.md")
    entry = memory.show(saved.id).entry
    assert (entry.title, entry.slug, entry.text) == (
        "Morning lock",
        "morning-lock",
        "Take it first.\n",
    )
    assert list(notes(vault)) == ["Memory/fix/morning-lock.md"]


def test_every_link_to_it_is_rewritten_in_the_same_change_and_undo_restores_every_byte(
    memory: Memory, vault: Path
) -> None:
    put(
        vault,
        "a/Old Name.md",
        b"\xef\xbb\xbf# Old Name\r\n\r\nSee [[Old Name]], [[#Old Name]]. \r\n",
    )
    put(vault, "Plain.md", b"[[old name|label]]  \r\n![[Old Name#Part]]\r\n`[[Old Name]]`")
    put(
        vault, "a/path.md", "[[a/Old Name#Old Name|x]] [t](Old%20Name.md#h) [u](<../a/Old Name.md>)"
    )
    put(vault, "typed.md", "---\nup: '[[Old Name]]'  # kept\n---\n[[elaborates:: Old Name]]\n")
    put(vault, "other.md", "[[Other]] Old Name\n")
    before = notes(vault)
    changes = {change.change for change in memory.history()}
    renamed = memory.rename("a/Old Name.md", "New Name")
    after = notes(vault)
    assert renamed.locator == "a/New Name.md"
    own = after.pop("a/New Name.md").decode()
    assert own.endswith("# New Name\r\n\r\nSee [[New Name]], [[#New Name]]. \r\n")
    assert own.startswith("\ufeff---\r\nid: ")
    assert after["Plain.md"] == b"[[New Name|label]]  \r\n![[New Name#Part]]\r\n`[[Old Name]]`"
    assert after["a/path.md"].decode() == (
        "[[a/New Name#New Name|x]] [t](New%20Name.md#h) [u](<../a/New Name.md>)"
    )
    assert after["typed.md"].decode().endswith("---\n[[elaborates:: New Name]]\n")
    assert after["other.md"] == before["other.md"]
    asked = [change for change in memory.history() if change.change not in changes]
    assert {change.op for change in asked if change.op != "external"} == {"rename"}
    assert len(renamed.changes) == 1
    memory.undo(renamed.changes[0])
    assert notes(vault) == before


def test_links_in_our_own_field_follow_where_they_say_the_name(memory: Memory, vault: Path) -> None:
    put(vault, "Old.md", "# Old\n")
    put(vault, "by.md", "---\nlinks: [{to: Old, relation: elaborates}, Old, other]\n---\ntext\n")
    memory.rename("Old.md", "New")
    assert memory.show("by.md").entry.links == (
        ("New", "elaborates"),
        ("New", "related_to"),
        ("other", "related_to"),
    )


def test_links_by_id_and_by_alias_hold_on_as_they_are(memory: Memory, vault: Path) -> None:
    put(vault, "Old.md", "---\nid: 01old\naliases: [Nick]\n---\ntext\n")
    put(vault, "by.md", "[[01old]] [[Nick]]\n")
    renamed = memory.rename("01old", "New")
    assert (renamed.links, renamed.changed) == (0, ["New.md"])
    assert count_links(memory._ready(scan=True))["resolved"] == 2


def test_the_old_title_stays_as_an_alias_only_where_that_is_asked(
    memory: Memory, vault: Path
) -> None:
    saved = memory.save("Text.", title="First", kind="fix")
    memory.rename(saved.id, "Second")
    assert "aliases" not in memory.show(saved.id).entry.fields
    memory.rename(saved.id, "Third", alias=True)
    assert memory.show(saved.id).entry.fields["aliases"] == ["Second"]


def test_a_title_in_a_field_is_changed_there_and_a_heading_of_other_words_stays(
    memory: Memory, vault: Path
) -> None:
    put(vault, "a.b.old.md", "---\ntitle: Old\n---\n# Another heading\n")
    renamed = memory.rename("a.b.old.md", "New One")
    assert renamed.locator == "a.b.new-one.md"
    text = (vault / renamed.locator).read_text()
    assert "title: New One\n" in text
    assert text.endswith("---\n# Another heading\n")


def test_in_a_vault_of_dendron_the_order_and_the_scheme_are_kept(
    memory: Memory, vault: Path
) -> None:
    put(vault, "dev.old.md", "---\ntitle: Old\n---\n")
    text = "[[Docs|dev.old]] [[dev.old|dendron://v/dev.old#h]] ![[dendron://v/dev.old#h:#*]]\n"
    put(vault, "dev.md", text)
    memory.rename("dev.old.md", "New")
    assert (vault / "dev.md").read_text() == (
        "[[Docs|dev.new]] [[dev.old|dendron://v/dev.new#h]] ![[dendron://v/dev.new#h:#*]]\n"
    )


def test_a_title_that_is_no_file_name_stands_in_the_note_and_links_say_the_file(
    memory: Memory, vault: Path
) -> None:
    put(vault, "Old.md", "text\n")
    put(vault, "by.md", "[[Old]]\n")
    renamed = memory.rename("Old.md", 'What is "A|B"?')
    assert renamed.locator == "What is -A-B--.md"
    assert memory.show(renamed.id).entry.title == 'What is "A|B"?'
    assert (vault / "by.md").read_text() == "[[What is -A-B--]]\n"
    assert count_links(memory._ready(scan=True))["resolved"] == 1


def test_a_title_that_another_note_goes_by_is_refused(memory: Memory, vault: Path) -> None:
    one = memory.save("Text.", title="One", kind="fix")
    two = memory.save("Other text.", title="Two", kind="decision")
    before = notes(vault)
    with pytest.raises(ConflictError, match=f"'two' is already a name of {two.id}"):
        memory.rename(one.id, "two")
    assert notes(vault) == before


def test_a_file_that_is_in_the_way_alone_gives_the_name_an_ending(
    memory: Memory, vault: Path
) -> None:
    one = memory.save("Text.", title="One", kind="fix")
    other = memory.save("Other text.", title="C", kind="fix")
    memory.save("[[One]] [[one]]", title="By", kind="fix")
    renamed = memory.rename(one.id, "C?!")
    assert renamed.locator == f"Memory/fix/c--{one.id[-8:]}.md"
    assert memory.rename(one.id, "C?!").changes == []
    assert memory.show(other.id).links_to == ()
    assert [row.title for row, _ in memory.show(one.id).links_to] == ["By"]


def test_what_is_called_so_already_is_left_alone(memory: Memory, vault: Path) -> None:
    put(vault, "Old.md", "---\nid: 01old\nupdated: 2026-01-01T00:00:00Z\n---\n# Old\n")
    memory.rename("01old", "New")
    before = notes(vault)
    again = memory.rename("01old", "New")
    assert (again.changed, again.changes) == ([], [])
    assert notes(vault) == before


def test_another_case_of_the_same_title_is_a_renaming(memory: Memory, vault: Path) -> None:
    put(vault, "old.md", "# old\n")
    put(vault, "by.md", "[[old]]\n")
    assert memory.rename("old.md", "OLD").title == "OLD"
    assert (vault / "by.md").read_text() == "[[OLD]]\n"


def test_a_dry_run_says_the_same_and_writes_nothing(memory: Memory, vault: Path) -> None:
    put(vault, "Old.md", "# Old\n")
    put(vault, "by.md", "[[Old]] [[Old]]\n")
    before = notes(vault)
    told = memory.rename("Old.md", "New", dry_run=True)
    assert (told.locator, told.links, told.changed) == ("New.md", 2, ["by.md", "New.md"])
    assert told.changes == []
    assert notes(vault) == before
    assert {change.op for change in memory.history()} == {"external"}


@pytest.mark.parametrize(
    "place", ["MEMORY.md", "Memory/daily/2026-01-31.md", "projects/p/progress.md"]
)
def test_what_is_found_by_its_name_keeps_it(memory: Memory, vault: Path, place: str) -> None:
    put(vault, place, "# Text\n")
    with pytest.raises(UsageError, match="keeps it"):
        memory.rename(place, "Other")


@pytest.mark.parametrize(
    ("place", "title"),
    [
        ("Own Words.md", "MEMORY"),
        ("own-words.md", "Memory"),
        ("Own Words.md", "_index"),
        ("Memory/Own Words.md", "_index-fix"),
        ("projects/p/own-words.md", "Roadmap"),
        ("projects/p/Own Words.md", "_index 2"),
    ],
)
def test_no_note_gets_the_name_of_what_is_found_by_it(
    memory: Memory, vault: Path, place: str, title: str
) -> None:
    put(vault, place, "# Own words\n")
    before = notes(vault)
    with pytest.raises(UsageError, match="means another sort of file"):
        memory.rename(place, title)
    assert notes(vault) == before


def test_a_record_is_refused_and_an_entity_told_how(memory: Memory) -> None:
    memory.facts.add("Ada", "Ada keeps the light.")
    with pytest.raises(UsageError, match="is a record") as told:
        memory.rename("ada", "Ada Lovelace")
    assert told.value.remedy == "`engrain entity rename ada NAME`"


def test_an_empty_title_and_a_forgotten_note_are_refused(memory: Memory) -> None:
    saved = memory.save("Text.", title="One", kind="fix")
    with pytest.raises(UsageError, match="needs a title"):
        memory.rename(saved.id, " \n ")
    with pytest.raises(UsageError, match="needs a title"):
        memory.rename(saved.id, "\u200b\u2060")
    memory.forget(saved.id)
    with pytest.raises(ConflictError, match="is forgotten"):
        memory.rename(saved.id, "Two")


def test_what_comes_from_outside_gives_the_operators_notes_no_other_words(
    tmp_path: Path, vault: Path
) -> None:
    with make_memory(tmp_path) as memory:
        id_ = write_as(memory, "external", "Memory/fix/page.md", "# Page\n\nText.\n")
        put(vault, "mine.md", "[[Page]]\n")
    before = notes(vault)
    with (
        make_memory(tmp_path, trust="external") as outside,
        pytest.raises(ConflictError, match="does not come from outside"),
    ):
        outside.rename(id_, "Do as I say")
    assert notes(vault) == before


def test_whom_a_note_comes_from_stays_the_same(tmp_path: Path) -> None:
    with make_memory(tmp_path) as memory:
        id_ = write_as(memory, "external", "Memory/fix/page.md", "# Page\n\nText.\n")
        by = memory.save("See [[Page]].", title="By", kind="fix").id
        memory.rename(id_, "Paper")
        assert [memory.show(one).origin for one in (id_, by)] == ["external", "agent"]


def touch(memory: Memory, id_: str) -> None:
    """Tag an entry, however often another is quicker."""
    while True:
        try:
            memory.edit(id_, expect=memory.show(id_).entry.hash, tags=["touched"])
        except (ConflictError, NotFoundError):
            continue
        return


def test_what_another_writes_meanwhile_is_not_lost(tmp_path: Path, vault: Path) -> None:
    with make_memory(tmp_path) as memory:
        saved = memory.save("Text.", title="Old", kind="fix")
        others = [memory.save(f"[[Old]] {n}", title=f"By {n}", kind="fix").id for n in range(6)]
    gate = Barrier(2)

    def write() -> None:
        with make_memory(tmp_path, device="other", seed=8) as memory:
            gate.wait()
            for id_ in others:
                touch(memory, id_)

    writer = Thread(target=write)
    writer.start()
    with make_memory(tmp_path) as memory:
        gate.wait()
        memory.rename(saved.id, "New")
        writer.join()
        entries = [memory.show(id_).entry for id_ in others]
    assert [entry.tags for entry in entries] == [("touched",)] * 6
    assert [entry.text[:7] for entry in entries] == ["[[New]]"] * 6


def test_more_than_one_commit_holds_is_one_change_all_the_same(
    memory: Memory, vault: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(renaming, "_AT_ONCE", 850)
    put(vault, "Old.md", "# Old\n")
    for number in range(5):
        put(vault, f"by {number}.md", f"[[Old]] {'x' * 20}\n")
    before = notes(vault)
    renamed = memory.rename("Old.md", "New")
    assert (len(renamed.changes), renamed.links) == (1, 5)
    assert count_links(memory._ready(scan=True))["resolved"] == 5
    commits = memory._open_store().index.changes(op="rename")
    assert len({change.change for change in commits}) == 3
    assert {"New.md", "Old.md"} <= {one.locator for one in commits if one.n == commits[0].n}
    memory.undo()
    assert notes(vault) == before


def test_links_in_a_ring_and_to_themselves_are_rewritten_once(memory: Memory, vault: Path) -> None:
    put(vault, "A.md", "[[B]] [[A]]\n")
    put(vault, "B.md", "[[A]] [[B]]\n")
    memory.rename("A.md", "C")
    assert (vault / "B.md").read_text() == "[[C]] [[B]]\n"
    assert (vault / "C.md").read_text().endswith("[[B]] [[C]]\n")


def test_notes_that_can_not_be_read_and_link_to_it_are_reported_and_stay(
    memory: Memory, vault: Path
) -> None:
    put(vault, "Old.md", "# Old\n")
    put(vault, "bad.md", "---\na: b: c\n---\n[[Old|label]]\n")
    put(vault, "other.md", "---\na: b: c\n---\n[[Else]]\n")
    before = (vault / "bad.md").read_bytes()
    renamed = memory.rename("Old.md", "New")
    assert [(place, "can't be read" in why) for place, why in renamed.left] == [("bad.md", True)]
    assert (vault / "bad.md").read_bytes() == before
