"""`edit`, `evolve` and `link`: one entry changes, and nothing else does (S1.1, S1.15)."""

from __future__ import annotations

from pathlib import Path
from threading import Barrier, Thread

import pytest

from engrain import ConflictError, Memory, NotFoundError, Scope, UsageError
from engrain.engine.core.outcomes import Outcome
from engrain.model.note.note import MAX_NOTE_BYTES, hash_bytes
from support.vaults import FakeClock, make_memory
from unit.engine.core.vault_files import find, notes, put

STRANGE = (
    "\ufeff---\r\n"
    "# a comment of the owner's\r\n"
    "id: 01strange\r\n"
    "aliases: [one,   'two']   # kept as written\r\n"
    "kind: fix\r\n"
    "custom:\r\n"
    "  nested: {a: 1}\r\n"
    "  list:\r\n"
    "    - x\r\n"
    "tags: [old]\r\n"
    "'quoted key': |\r\n"
    "  a block\r\n"
    "\r\n"
    "  of text\r\n"
    "---\r\n"
    "# Strange\r\n"
    "\r\n"
    "Body with trailing blanks   \r\n"
    "\r\n"
    "[[link]]\r\n"
)


# edit


def test_an_edit_that_knows_the_hash_changes_text_title_and_tags(
    memory: Memory, vault: Path
) -> None:
    saved = memory.save("Take it first.", title="Nightly lock", kind="fix", tags=["old"])
    edited = memory.edit(
        saved.id, expect=saved.hash, text="Take it last.", title="Morning lock", tags=["new"]
    )
    assert (edited.outcome, edited.id, edited.locator) == ("updated", saved.id, saved.locator)
    raw = (vault / saved.locator).read_bytes()
    assert edited.hash == hash_bytes(raw) != saved.hash
    assert raw.endswith(b"# Morning lock\nTake it last.\n")
    assert find(memory, "morning") == ["Morning lock"]
    assert find(memory, "first") == []
    assert memory.show(saved.id).entry.tags == ("new",)


@pytest.mark.parametrize("expect", ["", "0" * 64, "not a hash"])
def test_an_edit_that_does_not_know_the_hash_changes_nothing(
    memory: Memory, vault: Path, expect: str
) -> None:
    saved = memory.save("Take it first.", title="Nightly lock", kind="fix")
    before = notes(vault)
    with pytest.raises(ConflictError, match="not the version") as caught:
        memory.edit(saved.id, expect=expect, text="Take it last.")
    assert saved.hash in (caught.value.remedy or "")
    assert caught.value.path == saved.locator
    assert notes(vault) == before
    assert len(memory.history()) == 1


def test_of_two_edits_of_one_version_the_second_is_refused(memory: Memory) -> None:
    saved = memory.save("Take it first.", title="Nightly lock", kind="fix")
    memory.edit(saved.id, expect=saved.hash, text="Take it last.")
    with pytest.raises(ConflictError):
        memory.edit(saved.id, expect=saved.hash, text="Never take it.")
    assert memory.show(saved.id).entry.text == "Take it last.\n"


def test_an_edit_on_top_of_an_edit_by_another_program_is_refused(
    memory: Memory, vault: Path
) -> None:
    saved = memory.save("Take it first.", title="Nightly lock", kind="fix")
    path = vault / saved.locator
    path.write_bytes(path.read_bytes().replace(b"first", b"second"))
    with pytest.raises(ConflictError):
        memory.edit(saved.id, expect=saved.hash, text="Take it last.")
    assert b"second" in path.read_bytes()


def test_an_edit_that_changes_nothing_is_unchanged_and_leaves_no_trace(
    memory: Memory, vault: Path
) -> None:
    saved = memory.save("Take it first.", title="Nightly lock", kind="fix", tags=["a"])
    before = notes(vault)
    edited = memory.edit(saved.id, expect=saved.hash, text="Take it first.", tags=["a"])
    assert (edited.outcome, edited.hash) == ("unchanged", saved.hash)
    assert notes(vault) == before
    assert len(memory.history()) == 1


def test_an_edit_of_nothing_is_refused(memory: Memory) -> None:
    saved = memory.save("Take it first.", title="Nightly lock", kind="fix")
    with pytest.raises(UsageError, match="nothing to change"):
        memory.edit(saved.id, expect=saved.hash)


@pytest.mark.parametrize("text", ["a\0b", "\ud800", "x" * (MAX_NOTE_BYTES + 1)])
def test_an_edit_to_what_can_not_be_kept_is_refused(memory: Memory, vault: Path, text: str) -> None:
    saved = memory.save("Take it first.", title="Nightly lock", kind="fix")
    before = notes(vault)
    with pytest.raises(UsageError):
        memory.edit(saved.id, expect=saved.hash, text=text)
    assert notes(vault) == before


def test_an_edit_of_tags_leaves_every_other_byte(memory: Memory, vault: Path) -> None:
    path = put(vault, "Memory/fix/strange.md", STRANGE)
    entry = memory.show("01strange").entry
    memory.edit("01strange", expect=entry.hash, tags=["new"])
    updated = [line for line in path.read_bytes().decode().split("\r\n") if "updated: " in line]
    assert path.read_bytes().decode() == STRANGE.replace("[old]", "[new]").replace(
        "  of text\r\n---\r\n", f"  of text\r\n{updated[0]}\r\n---\r\n"
    )


def test_an_edit_of_the_text_keeps_frontmatter_comments_line_ends_and_mark(
    memory: Memory, vault: Path
) -> None:
    path = put(vault, "Memory/fix/strange.md", STRANGE)
    memory.edit("01strange", expect=memory.show("01strange").entry.hash, text="One.\nTwo.")
    raw = path.read_bytes().decode()
    front = STRANGE[: STRANGE.index("---\r\n# Strange")]
    assert raw.startswith(front)
    assert raw.endswith("---\r\n# Strange\r\nOne.\r\nTwo.\r\n")
    assert raw.count("\n") == raw.count("\r\n")


def test_an_edit_of_the_title_keeps_the_text(memory: Memory, vault: Path) -> None:
    path = put(vault, "Memory/fix/titled.md", "---\ntitle: Old\n---\n# Another heading\nText.\n")
    entry = memory.show("titled").entry
    assert entry.title == "Old"
    edited = memory.edit("titled", expect=entry.hash, title="New")
    assert edited.title == "New"
    assert path.read_text().startswith("---\ntitle: New\n")
    assert path.read_text().endswith("# New\n# Another heading\nText.\n")


def test_a_forgotten_entry_may_be_edited_and_stays_forgotten(memory: Memory) -> None:
    saved = memory.save("Take it first.", title="Nightly lock", kind="fix")
    forgotten = memory.forget(saved.id)
    memory.edit(saved.id, expect=forgotten.hash, text="Take it last.")
    assert memory.show(saved.id).entry.status == "deleted"
    assert find(memory, "nightly") == []


def test_a_file_in_a_form_that_can_not_be_patched_is_left_alone(
    memory: Memory, vault: Path
) -> None:
    path = put(vault, "Memory/fix/flow.md", "---\n{id: 01flow, tags: [a]}\n---\n# Flow\n")
    before = path.read_bytes()
    entry = memory.show("01flow").entry
    try:
        memory.edit("01flow", expect=entry.hash, tags=["b"])
    except Exception as error:
        assert getattr(error, "code", "") == "malformed"
        assert path.read_bytes() == before
    else:
        assert memory.show("01flow").entry.tags == ("b",)


# evolve


def test_what_evolves_is_archived_and_its_successor_stands_in_its_place(
    memory: Memory, vault: Path
) -> None:
    old = memory.save("Take it first.", title="Nightly lock", kind="fix", tags=["pg"])
    new = memory.evolve(old.id, "Take it last.", reason="the scheduler changed")
    assert (new.outcome, new.other, new.locator) == ("created", old.id, old.locator)
    assert new.id != old.id
    successor, retired = memory.show(new.id), memory.show(old.id)
    assert successor.entry.supersedes == old.id
    assert (successor.entry.kind, successor.entry.tags) == ("fix", ("pg",))
    assert (successor.entry.title, successor.entry.text) == ("Nightly lock", "Take it last.\n")
    assert retired.locator == f"Memory/_archive/fix/nightly-lock--{old.id[-8:]}.md"
    assert (retired.entry.status, retired.entry.zone) == ("superseded", "archive")
    assert set(notes(vault)) == {new.locator, retired.locator}
    assert find(memory, "take") == ["Nightly lock"]


def test_the_archived_copy_is_the_old_entry_but_for_status_and_updated(
    memory: Memory, vault: Path
) -> None:
    put(vault, "Memory/fix/strange.md", STRANGE)
    memory.evolve("01strange", "New text.")
    archived = memory.show("01strange").locator
    raw = (vault / archived).read_bytes().decode()
    added = [line for line in raw.split("\r\n") if line.startswith(("status: ", "updated: "))]
    assert sorted(line.partition(":")[0] for line in added) == ["status", "updated"]
    assert raw == STRANGE.replace(
        "  of text\r\n---", "  of text\r\n" + "".join(line + "\r\n" for line in added) + "---"
    )


def test_a_chain_of_evolutions_leads_from_the_last_to_the_first(memory: Memory) -> None:
    ids = [memory.save("Version 0.", title="Nightly lock", kind="fix").id]
    ids += [memory.evolve("nightly-lock", f"Version {number}.").id for number in range(1, 4)]
    walked: list[str] = []
    at: str | None = ids[-1]
    while at:
        walked.append(at)
        at = memory.show(at).entry.supersedes
    assert walked == ids[::-1]
    assert [memory.show(one).entry.status for one in ids] == ["superseded"] * 3 + ["active"]
    assert memory.list(scope=Scope(statuses=["active"])).total == 1


def test_a_link_by_name_leads_to_the_successor(memory: Memory) -> None:
    old = memory.save("Take it first.", title="Nightly lock", kind="fix")
    notes_ = memory.save("See [[nightly-lock]] and [[Nightly lock]].", title="Notes")
    new = memory.evolve(old.id, "Take it last.")
    for _, _, row in memory.show(notes_.id).links_from:
        assert row is not None
        assert row.id == new.id


def test_links_and_weight_pass_to_the_successor(memory: Memory, vault: Path) -> None:
    other = memory.save("x", title="Other", kind="fix")
    old = memory.save("Take it.", title="Nightly lock", kind="fix", confidence=0.75)
    memory.link(old.id, other.id, "elaborates")
    entry = memory.show(memory.evolve(old.id, "Take it last.").id).entry
    assert (entry.links, entry.confidence) == (((other.id, "elaborates"),), 0.75)


def test_a_shared_entry_is_archived_in_its_own_tier(tmp_path: Path) -> None:
    with make_memory(tmp_path, trust="operator") as memory:
        old = memory.save("Small ones.", title="Review size", kind="preference")
        memory.evolve(old.id, "Large ones.")
        retired = memory.show(old.id)
    assert retired.locator == f"_archive/preferences/review-size--{old.id[-8:]}.md"
    assert retired.entry.tier == "T2"


@pytest.mark.parametrize("slug", ["../../escape", "a/b", "CON", "x" * 240, "..", ".hidden"])
def test_a_slug_written_by_hand_can_not_misplace_the_archived_copy(
    memory: Memory, vault: Path, slug: str
) -> None:
    put(vault, "Memory/fix/odd.md", f"---\nid: 01odd\nslug: {slug}\n---\n# Odd\ntext\n")
    memory.evolve("01odd", "new text")
    archived = memory.show("01odd").locator
    assert archived.folder == "Memory/_archive/fix"
    assert set(notes(vault)) == {"Memory/fix/odd.md", archived}


def test_what_is_superseded_or_deleted_does_not_evolve(memory: Memory, vault: Path) -> None:
    old = memory.save("Take it first.", title="Nightly lock", kind="fix")
    memory.evolve(old.id, "Take it last.")
    gone = memory.save("x", title="Gone", kind="fix")
    memory.forget(gone.id)
    before = notes(vault)
    with pytest.raises(ConflictError, match="superseded"):
        memory.evolve(old.id, "Again.")
    with pytest.raises(ConflictError, match="deleted"):
        memory.evolve(gone.id, "Again.")
    assert notes(vault) == before


@pytest.mark.parametrize("text", ["", "  \n", "\0"])
def test_a_successor_that_says_nothing_keeps_the_title_or_is_refused(
    memory: Memory, vault: Path, text: str
) -> None:
    old = memory.save("Take it first.", title="Nightly lock", kind="fix")
    if "\0" in text:
        with pytest.raises(UsageError):
            memory.evolve(old.id, text)
        assert list(notes(vault)) == [old.locator]
    else:
        assert memory.show(memory.evolve(old.id, text).id).entry.title == "Nightly lock"


def evolve_twice_at_once(
    folder: Path, reference: str, seed: int
) -> tuple[list[Outcome], list[ConflictError]]:
    """Two processes of one device, as far as threads can play them: who won, and who lost."""
    won: list[Outcome] = []
    lost: list[ConflictError] = []
    together = Barrier(2)

    def evolve(seed: int) -> None:
        with make_memory(folder, clock=FakeClock(), seed=seed) as memory:
            memory.list()
            together.wait()
            try:
                won.append(memory.evolve(reference, f"By {seed}."))
            except ConflictError as error:
                lost.append(error)

    threads = [Thread(target=evolve, args=[seed + number]) for number in (1, 2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return won, lost


def test_of_two_evolutions_at_once_one_wins_and_one_head_is_active(tmp_path: Path) -> None:
    with make_memory(tmp_path) as memory:
        head = memory.save("Take it first.", title="Nightly lock", kind="fix")
        for attempt in range(5):
            won, lost = evolve_twice_at_once(tmp_path, head.id, 100 * attempt)
            assert (len(won), len(lost)) == (1, 1)
            (head,) = won
            active = memory.list(scope=Scope(statuses=["active"])).rows
            assert [row.id for row in active] == [head.id]
            assert memory.list(scope=Scope(statuses=["superseded"])).total == attempt + 1
            assert all(report.wrong is None for report in memory.trust.survey().chains)


# link


def test_a_link_is_written_once_and_read_from_both_ends(memory: Memory) -> None:
    one = memory.save("x", title="One", kind="fix")
    two = memory.save("y", title="Two", kind="fix")
    linked = memory.link(one.id, two.id, "contradicts")
    assert (linked.outcome, linked.other) == ("updated", two.id)
    again = memory.link("one", "two", "contradicts")
    assert (again.outcome, again.hash) == ("unchanged", linked.hash)
    assert memory.show(one.id).entry.links == ((two.id, "contradicts"),)
    assert [(row.id, relation) for row, relation in memory.show(two.id).links_to] == [
        (one.id, "contradicts")
    ]
    assert len(memory.history(one.id)) == 2


def test_two_relations_to_one_entry_are_two_links(memory: Memory) -> None:
    one = memory.save("x", title="One", kind="fix")
    two = memory.save("y", title="Two", kind="fix")
    memory.link(one.id, two.id)
    memory.link(one.id, two.id, "elaborates")
    assert memory.show(one.id).entry.links == ((two.id, "related_to"), (two.id, "elaborates"))


def test_a_link_joins_those_that_were_written_by_hand(memory: Memory, vault: Path) -> None:
    path = put(
        vault,
        "Memory/fix/one.md",
        "---\nid: 01one\nlinks:\n  - bare-name\n  - {to: 01x, relation: elaborates, note: mine}\n"
        "---\n# One\n",
    )
    two = memory.save("y", title="Two", kind="fix")
    memory.link("01one", two.id)
    assert memory.show("01one").entry.links == (
        ("bare-name", "related_to"),
        ("01x", "elaborates"),
        (two.id, "related_to"),
    )
    assert "note: mine" in path.read_text()


def test_a_link_to_itself_by_an_unknown_relation_or_to_nothing_is_refused(
    memory: Memory, vault: Path
) -> None:
    one = memory.save("x", title="One", kind="fix")
    memory.save("y", title="Two", kind="fix")
    before = notes(vault)
    with pytest.raises(UsageError, match="itself"):
        memory.link(one.id, "one")
    with pytest.raises(UsageError, match="not a relation") as caught:
        memory.link("one", "two", "likes")
    assert "elaborates" in (caught.value.remedy or "")
    with pytest.raises(NotFoundError):
        memory.link("one", "three")
    assert notes(vault) == before


# Notes that carry no id


@pytest.mark.parametrize("verb", ["edit", "link", "forget", "evolve"])
def test_a_note_without_an_id_is_given_the_one_it_went_by_when_it_is_first_changed(
    memory: Memory, vault: Path, verb: str
) -> None:
    put(vault, "Memory/fix/by-hand.md", "# By hand\nTake the lock.\n")
    other = memory.save("x", title="Other", kind="fix")
    (found,) = memory.recall("take").results
    id_ = found.row.id
    assert memory.show(id_).entry.id == memory.show("by-hand").entry.id == id_
    if verb == "edit":
        memory.edit(id_, expect=found.row.hash, tags=["new"])
    elif verb == "link":
        memory.link(id_, other.id)
    elif verb == "forget":
        memory.forget(id_)
    else:
        memory.evolve(id_, "Take it last.")
    shown = memory.show(id_)
    assert shown.entry.fields["id"] == id_
    path = vault / shown.locator
    assert path.read_text().startswith(f"---\nid: {id_}\n")
    assert path.read_text().endswith("---\n# By hand\nTake the lock.\n")
    moved = path.with_name("moved.md")
    path.rename(moved)
    assert memory.show(id_).locator.name == "moved.md"
