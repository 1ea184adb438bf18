"""`recall`, `list` and `show`: what is found, and that it is never stale (S1.1, S1.9, S1.19)."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from engrain import Memory, NotFoundError, Scope, UsageError
from engrain.engine import upkeep
from engrain.model.errors import IndexUnavailableError
from support.vaults import START, FakeClock, make_memory
from unit.engine.vault_files import delete_index, find, index_folder, put, titles

DAY = 86400.0


# What is found


@pytest.mark.parametrize(
    ("title", "text", "tags", "query"),
    [
        ("Nightly lock", "Take it first.", [], "nightly"),
        ("Nightly lock", "Take it first.", [], "LOCKS"),
        ("Nightly lock", "The scheduler wakes at two.", [], "schedulers waking"),
        ("Nightly lock", "Take it first.", ["postgres"], "postgres"),
        ("データベース", "全文検索の設定を確認する。", [], "検索"),
        ("笔记", "数据库连接池太小", [], "连接"),
        ("메모", "데이터베이스를 다시 시작한다", [], "다시"),
        ("Ärger", "Die Brücke in Köln", [], "brucke"),
        ("Cafe", "The cafe is closed", [], "café"),
        ("Emoji", "Ship it 🚀 today", [], "🚀"),
        ("Code", "call pg_advisory_lock(42)", [], "pg_advisory_lock"),
        ("Quote", 'say "hello" AND (NOT) near*', [], '"hello" AND ( NOT'),
    ],
)
def test_an_entry_is_found_by_its_words(
    memory: Memory, title: str, text: str, tags: list[str], query: str
) -> None:
    memory.save("Nothing of the kind.", title="Something else", kind="fix")
    memory.save(text, title=title, kind="fix", tags=tags)
    assert find(memory, query) == [title]


@pytest.mark.parametrize("query", ["", "   ", "?!", "\0", "zebra", "\ud800"])
def test_a_query_that_meets_nothing_finds_nothing(memory: Memory, query: str) -> None:
    memory.save("Take it first.", title="Nightly lock", kind="fix")
    found = memory.recall(query)
    assert (found.results, found.degraded, found.elsewhere) == ((), None, 0)


def test_a_title_tells_more_than_a_mention(memory: Memory) -> None:
    memory.save("The lock is mentioned here.", title="Deployment", kind="fix")
    memory.save("Take it first.", title="Lock", kind="fix")
    found = memory.recall("lock").results
    assert [one.row.title for one in found] == ["Lock", "Deployment"]
    assert found[0].row.score > found[1].row.score > 0


def test_what_is_found_comes_with_its_place_source_and_text(memory: Memory) -> None:
    saved = memory.save("Take it first.", title="Nightly lock", kind="fix", tags=["pg"])
    (found,) = memory.recall("nightly").results
    row = found.row
    assert (row.id, row.locator, row.hash) == (saved.id, saved.locator, saved.hash)
    assert (row.kind, row.tags, row.source, row.tier) == ("fix", ("pg",), "agent", "T3")
    assert found.text == "Take it first.\n"


def test_as_many_are_found_as_asked_for(memory: Memory) -> None:
    for number in range(5):
        memory.save(f"The lock, part {number}", title=f"Part {number}", kind="fix")
    assert len(memory.recall("lock").results) == 5
    assert len(memory.recall("lock", limit=2).results) == 2
    assert len(memory.recall("lock", limit=10**30).results) == 5


@pytest.mark.parametrize("limit", [0, -1])
def test_a_recall_of_none_is_refused(memory: Memory, limit: int) -> None:
    with pytest.raises(UsageError, match="limit"):
        memory.recall("lock", limit=limit)


def test_a_note_without_frontmatter_is_found_by_its_name(memory: Memory, vault: Path) -> None:
    put(vault, "Memory/domain-reference/dendron.ref.commands.md", "No heading, only words.\n")
    assert find(memory, "commands") == ["dendron.ref.commands"]


# Filters


def saved_for_filters(memory: Memory) -> None:
    memory.save("lock", title="One", kind="fix", tags=["a"], created=START - 10 * DAY)
    memory.save("lock", title="Two", kind="decision", tags=["a", "b"], created=START - 5 * DAY)
    memory.save("lock", title="Three", kind="fix", project="billing", created=START)
    memory.save("lock", title="Four", kind="design", project="billing", created=START + DAY)


@pytest.mark.parametrize(
    ("scope", "expected"),
    [
        (Scope(), {"One", "Two"}),
        (Scope(kinds=["fix"]), {"One"}),
        (Scope(kinds=["fix", "decision"]), {"One", "Two"}),
        (Scope(kinds=["no-such-kind"]), set()),
        (Scope(tags=["b"]), {"Two"}),
        (Scope(tags=["a"]), {"One", "Two"}),
        (Scope(tags=["b", "c"]), {"Two"}),
        (Scope(project="billing"), {"One", "Two", "Three", "Four"}),
        (Scope(project="payroll"), {"One", "Two"}),
        (Scope(all_projects=True), {"One", "Two", "Three", "Four"}),
        (Scope(all_projects=True, tiers=["T2"]), {"Four"}),
        (Scope(all_projects=True, tiers=["T3"]), {"One", "Two", "Three"}),
        (Scope(all_projects=True, since=START - 5 * DAY), {"Two", "Three", "Four"}),
        (Scope(all_projects=True, until=START - 5 * DAY), {"One", "Two"}),
        (Scope(all_projects=True, since=START - 6 * DAY, until=START - DAY), {"Two"}),
        (Scope(project="billing", kinds=["fix"], tags=["a"]), {"One"}),
    ],
)
@pytest.mark.parametrize("with_index", [True, False])
def test_a_recall_keeps_to_its_scope_with_an_index_and_without(
    memory: Memory,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    scope: Scope,
    expected: set[str],
    with_index: bool,
) -> None:
    saved_for_filters(memory)
    if not with_index:
        monkeypatch.setattr(upkeep, "REBUILD_FIRST", 0)
        delete_index(tmp_path / "state")
    found = memory.recall("lock", scope=scope)
    assert (found.degraded is None) == with_index
    assert set(titles(found)) == expected
    if with_index:
        listing = memory.list(scope=scope)
        assert (set(titles(listing)), listing.total) == (expected, len(expected))


def test_the_current_project_is_the_scope_by_default(tmp_path: Path) -> None:
    with make_memory(tmp_path, project="billing") as memory:
        saved_for_filters(memory)
        assert set(find(memory, "lock")) == {"One", "Two", "Three", "Four"}
    with make_memory(tmp_path, project="payroll") as memory:
        assert memory.list().total == 0
        assert memory.list(scope=Scope(all_projects=True)).total == 4


def test_what_only_another_project_has_is_counted(memory: Memory) -> None:
    memory.save("Take the lock.", title="One", kind="fix", project="billing")
    memory.save("Take the lock.", title="Two", kind="fix", project="payroll")
    found = memory.recall("lock", scope=Scope(project="website"))
    assert (found.results, found.elsewhere) == ((), 2)
    assert memory.recall("lock", scope=Scope(project="billing")).elsewhere == 0
    assert memory.recall("lock", scope=Scope(all_projects=True)).elsewhere == 0
    assert memory.recall("zebra", scope=Scope(project="website")).elsewhere == 0


def hidden_entries(memory: Memory, vault: Path) -> None:
    memory.save("lock", title="Live", kind="fix")
    memory.forget(memory.save("lock", title="Forgotten", kind="fix").id)
    memory.save("lock", title="Raw", kind="fix", status="inbox")
    memory.evolve(memory.save("lock", title="Old", kind="fix").id, "lock", title="New")
    put(vault, "Memory/_dream-staging/proposal.md", "# Proposal\nlock\n")
    put(vault, "Memory/_archive/fix/retired.md", "# Retired\nlock\n")
    put(vault, "Memory/fix/planned.md", "---\nstatus: proposed\n---\n# Planned\nlock\n")
    put(vault, "Memory/_inbox/promoted.md", "---\nstatus: active\n---\n# Promoted\nlock\n")


@pytest.mark.parametrize(
    ("scope", "expected"),
    [
        (Scope(), {"Live", "New"}),
        (Scope(include_archive=True), {"Live", "New", "Old", "Retired"}),
        (Scope(include_inbox=True), {"Live", "New", "Raw", "Promoted"}),
        (Scope(statuses=["deleted"]), {"Forgotten"}),
        (Scope(statuses=["superseded"]), {"Old"}),
        (Scope(statuses=["archived"]), {"Retired"}),
        (Scope(statuses=["proposed"]), {"Proposal", "Planned"}),
        (Scope(statuses=["inbox"]), {"Raw"}),
        (Scope(statuses=["active"]), {"Live", "New", "Promoted"}),
    ],
)
@pytest.mark.parametrize("with_index", [True, False])
def test_what_is_retired_or_waits_is_found_only_when_asked_for(
    memory: Memory,
    vault: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    scope: Scope,
    expected: set[str],
    with_index: bool,
) -> None:
    hidden_entries(memory, vault)
    if not with_index:
        monkeypatch.setattr(upkeep, "REBUILD_FIRST", 0)
        delete_index(tmp_path / "state")
    assert set(titles(memory.recall("lock", scope=scope))) == expected


def test_a_generated_or_hidden_file_is_no_entry(memory: Memory, vault: Path) -> None:
    memory.save("lock", title="Live", kind="fix")
    put(vault, "Memory/_index.md", "lock\n")
    put(vault, "Memory/fix/.draft.md", "lock\n")
    put(vault, ".obsidian/workspace.md", "lock\n")
    put(vault, "Memory/.trash/old.md", "lock\n")
    put(vault, "Memory/fix/data.json", "lock\n")
    assert find(memory, "lock") == ["Live"]
    assert memory.list().total == 1


# Never stale


def in_place(path: Path, raw: bytes) -> None:
    with path.open("r+b") as file:
        file.write(raw)
        file.truncate()


def by_rename(path: Path, raw: bytes) -> None:
    temp = path.with_suffix(".tmp")
    temp.write_bytes(raw)
    temp.replace(path)


def with_old_times(path: Path, raw: bytes) -> None:
    before = path.stat()
    path.write_bytes(raw)
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))


def by_rename_with_old_times(path: Path, raw: bytes) -> None:
    before = path.stat()
    by_rename(path, raw)
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))


def into_the_past(path: Path, raw: bytes) -> None:
    path.write_bytes(raw)
    os.utime(path, (0, 0))


@pytest.mark.parametrize(
    "write", [in_place, by_rename, with_old_times, by_rename_with_old_times, into_the_past]
)
@pytest.mark.parametrize("new", [b"Use the fence.", b"Use the fence, not the lock.", b"Fence."])
def test_an_edit_by_another_program_is_what_is_shown(
    memory: Memory, vault: Path, write: Callable[[Path, bytes], None], new: bytes
) -> None:
    saved = memory.save("Take the lock.", title="Nightly job", kind="fix")
    assert find(memory, "nightly") == ["Nightly job"]
    path = vault / saved.locator
    write(path, path.read_bytes().replace(b"Take the lock.", new))
    (found,) = memory.recall("nightly").results
    assert found.text == new.decode() + "\n"
    assert memory.show(saved.id).entry.text == new.decode() + "\n"
    assert find(memory, "fence") == ["Nightly job"]
    assert find(memory, "take") == []


def test_a_new_title_status_and_tag_by_hand_are_what_is_shown(memory: Memory, vault: Path) -> None:
    saved = memory.save("Take the lock.", title="Nightly job", kind="fix", tags=["old"])
    path = vault / saved.locator
    path.write_bytes(path.read_bytes().replace(b"Nightly", b"Morning").replace(b"old", b"new"))
    (found,) = memory.recall("lock").results
    assert (found.row.title, found.row.tags) == ("Morning job", ("new",))
    path.write_bytes(path.read_bytes().replace(b"status: active", b"status: deleted"))
    assert find(memory, "lock") == []


def test_a_file_that_was_emptied_is_shown_empty_and_never_with_its_old_text(
    memory: Memory, vault: Path
) -> None:
    saved = memory.save("Take the lock.", title="Nightly job", kind="fix")
    (vault / saved.locator).write_bytes(b"")
    assert find(memory, "take") == []
    assert [found.text for found in memory.recall("nightly").results] == [""]


def test_a_file_that_was_broken_is_not_returned(memory: Memory, vault: Path) -> None:
    memory.save("Take the lock.", title="Good", kind="fix")
    saved = memory.save("Take the lock.", title="Bad", kind="fix")
    path = vault / saved.locator
    path.write_bytes(path.read_bytes()[:40])
    assert find(memory, "lock") == ["Good"]


def test_a_file_that_was_removed_is_not_returned(memory: Memory, vault: Path) -> None:
    memory.save("Take the lock.", title="Kept", kind="fix")
    saved = memory.save("Take the lock.", title="Gone", kind="fix")
    assert set(find(memory, "lock")) == {"Kept", "Gone"}
    (vault / saved.locator).unlink()
    assert find(memory, "lock") == ["Kept"]
    with pytest.raises(NotFoundError):
        memory.show(saved.id)


def test_a_file_that_was_moved_keeps_its_id(memory: Memory, vault: Path) -> None:
    saved = memory.save("Take the lock.", title="Nightly job", kind="fix")
    moved = vault / "Memory" / "workflow" / "renamed.md"
    moved.parent.mkdir()
    (vault / saved.locator).rename(moved)
    (found,) = memory.recall("lock").results
    assert (found.row.id, found.row.locator) == (saved.id, "Memory/workflow/renamed.md")


def test_a_folder_of_notes_that_was_moved_is_found_where_it_is(memory: Memory, vault: Path) -> None:
    for number in range(5):
        memory.save("Take the lock.", title=f"Part {number}", kind="fix")
    (vault / "Memory" / "fix").rename(vault / "Memory" / "fixes")
    found = memory.recall("lock").results
    assert {one.row.locator for one in found} == {
        f"Memory/fixes/part-{number}.md" for number in range(5)
    }


# The index is derived


def answers(memory: Memory) -> list[tuple[str, str, str, float]]:
    return [
        (found.row.id, found.row.locator, found.text, round(found.row.score, 9))
        for found in memory.recall("lock nightly", limit=50).results
    ]


def filled(memory: Memory) -> list[tuple[str, str, str, float]]:
    for number in range(12):
        memory.save(f"The nightly lock, part {number}." * (number + 1), title=f"Part {number}")
    memory.forget("part-3")
    memory.evolve("part-4", "The lock of the morning.")
    return answers(memory)


def test_results_are_the_same_after_the_index_was_deleted(memory: Memory, tmp_path: Path) -> None:
    before = filled(memory)
    changes = [change.change for change in memory.history()]
    delete_index(tmp_path / "state")
    assert len(before) == 11
    assert sorted(answers(memory)) == sorted(before)
    assert [change.change for change in memory.history()] == changes


def test_results_are_the_same_after_all_of_the_state_was_deleted(tmp_path: Path) -> None:
    with make_memory(tmp_path) as memory:
        before = filled(memory)
    shutil.rmtree(tmp_path / "state")
    with make_memory(tmp_path, seed=99) as memory:
        assert sorted(answers(memory)) == sorted(before)


@pytest.mark.parametrize("raw", [b"", b"garbage " * 4096, b"SQLite format 3\0" + b"\xff" * 65536])
@pytest.mark.parametrize("reopened", [True, False])
def test_results_are_the_same_after_the_index_was_corrupted(
    tmp_path: Path, raw: bytes, reopened: bool
) -> None:
    with make_memory(tmp_path) as memory:
        before = filled(memory)
        if reopened:
            memory.close()
        for file in index_folder(tmp_path / "state").iterdir():
            # SQLite maps this one into memory: to cut it short would kill whoever has it open.
            if reopened or not file.name.endswith("-shm"):
                file.write_bytes(raw)
        assert sorted(answers(memory)) == sorted(before)
        saved = memory.save("The lock, once more.", title="After", kind="fix")
        assert memory.show(saved.id).entry.title == "After"


def test_a_corrupted_page_of_the_index_changes_no_answer(tmp_path: Path) -> None:
    with make_memory(tmp_path) as memory:
        before = filled(memory)
        memory.close()
        (file,) = index_folder(tmp_path / "state").glob("*.sqlite")
        raw = bytearray(file.read_bytes())
        raw[8192:] = bytes(len(raw) - 8192)
        file.write_bytes(raw)
        assert sorted(answers(memory)) == sorted(before)


def test_without_an_index_a_large_vault_is_read_through_and_says_so(
    memory: Memory, vault: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    memory.save("Take the lock.", title="Lock", kind="fix")
    memory.save("Nothing.", title="Other", kind="fix")
    put(vault, "Memory/fix/broken.md", "---\nlock\n")
    monkeypatch.setattr(upkeep, "REBUILD_FIRST", 0)
    delete_index(tmp_path / "state")
    found = memory.recall("lock")
    assert titles(found) == ["Lock"]
    assert found.results[0].text == "Take the lock.\n"
    assert "missing" in (found.degraded or "")
    assert "engrain reindex" in (found.degraded or "")
    memory.reindex()
    found = memory.recall("lock")
    assert (titles(found), found.degraded) == (["Lock"], None)


@pytest.mark.parametrize("query", ["dendron", "Köln", "全文", "LOCK"])
def test_reading_through_finds_by_name_too(
    memory: Memory, vault: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, query: str
) -> None:
    put(vault, "Memory/fix/dendron.ref.md", "Die Brücke in Köln. 全文検索 and a lock.\n")
    memory.list()
    monkeypatch.setattr(upkeep, "REBUILD_FIRST", 0)
    delete_index(tmp_path / "state")
    assert find(memory, query) == ["dendron.ref"]


def test_reading_through_shows_one_of_two_copies(
    memory: Memory, vault: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    saved = memory.save("Take the lock.", title="Lock", kind="fix")
    raw = (vault / saved.locator).read_bytes()
    put(vault, "Memory/fix/lock (1).md", raw + b"The lock, the lock.\n")
    monkeypatch.setattr(upkeep, "REBUILD_FIRST", 0)
    delete_index(tmp_path / "state")
    assert [found.row.locator for found in memory.recall("lock").results] == [saved.locator]


def test_verbs_that_need_the_index_refuse_while_there_is_none(
    memory: Memory, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    saved = memory.save("Take the lock.", title="Lock", kind="fix")
    monkeypatch.setattr(upkeep, "REBUILD_FIRST", 0)
    delete_index(tmp_path / "state")
    for verb in (memory.list, lambda: memory.show(saved.id), memory.history, memory.undo):
        with pytest.raises(IndexUnavailableError) as caught:
            verb()
        assert "reindex" in (caught.value.remedy or "")


def test_a_save_is_kept_while_there_is_no_index(
    memory: Memory, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    memory.save("Take the lock.", title="First", kind="fix")
    monkeypatch.setattr(upkeep, "REBUILD_FIRST", 0)
    delete_index(tmp_path / "state")
    assert memory.save("Take the lock.", title="Second", kind="fix").outcome == "created"
    assert memory.save("Take the lock.", title="Second", kind="fix").outcome == "unchanged"
    assert set(find(memory, "lock")) == {"First", "Second"}
    memory.reindex()
    assert set(find(memory, "lock")) == {"First", "Second"}


# `list` and `show`


def test_a_list_is_newest_first_and_counts_what_it_leaves_out(tmp_path: Path) -> None:
    with make_memory(tmp_path, clock=FakeClock(step=DAY)) as memory:
        for number in range(4):
            memory.save("x", title=f"Part {number}")
        listing = memory.list(limit=2)
        assert (titles(listing), listing.total) == (["Part 3", "Part 2"], 4)
        assert memory.list(limit=0).total == 4
        with pytest.raises(UsageError):
            memory.list(limit=-1)


def test_an_entry_is_shown_by_id_beginning_of_an_id_path_or_slug(memory: Memory) -> None:
    saved = memory.save("Take it.", title="Nightly lock", kind="fix")
    memory.save("Other.", title="Other", kind="fix", created=START - 900 * DAY)
    for reference in (saved.id, saved.id[:12], saved.locator, "nightly-lock"):
        assert memory.show(reference).entry.id == saved.id
    for reference in ("", "zebra", saved.id[:3], "Memory/fix", "../vault/Memory/fix/other.md"):
        with pytest.raises(NotFoundError):
            memory.show(reference)


def test_a_reference_to_several_entries_names_them(memory: Memory) -> None:
    first = memory.save("x", title="Notes", kind="fix")
    second = memory.save("x", title="Notes", kind="decision")
    with pytest.raises(UsageError, match="2 entries") as caught:
        memory.show("notes")
    assert first.id in caught.value.message
    assert second.locator in caught.value.message
    memory.forget(first.id)
    assert memory.show("notes").entry.id == second.id


def test_an_entry_is_shown_with_its_links_both_ways(memory: Memory) -> None:
    old = memory.save("Take it.", title="Nightly lock", kind="fix")
    saved = memory.save(
        "See [[Nightly lock]], [[elaborates:: nightly-lock]] and [[nowhere]].", title="Notes"
    )
    shown = memory.show(saved.id)
    assert [(to, relation, row and row.id) for to, relation, row in shown.links_from] == [
        ("Nightly lock", "", old.id),
        ("nightly-lock", "elaborates", old.id),
        ("nowhere", "", None),
    ]
    assert [(row.id, relation) for row, relation in memory.show(old.id).links_to] == [
        (saved.id, ""),
        (saved.id, "elaborates"),
    ]


def test_without_a_scan_too_what_is_shown_is_the_files_own(memory: Memory, vault: Path) -> None:
    saved = memory.save("The lighthouse counts.", title="Old title", kind="fix")
    memory.recall("lighthouse")
    note = vault / saved.locator
    note.write_text(note.read_text().replace("Old title", "New title"))
    (found,) = memory.recall("lighthouse", scan=False).results
    assert found.row.title == "New title"
    note.write_text(note.read_text().replace("status: active", "status: deleted"))
    assert memory.recall("lighthouse", scan=False).results == ()
