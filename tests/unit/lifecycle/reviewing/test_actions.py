"""Actions about several entries: one change, of the files as they were planned from."""

from __future__ import annotations

from pathlib import Path

import pytest

from engrain import ConflictError, Memory
from engrain.lifecycle.reviewing.actions import (
    FileRewrite,
    commit_rewrites,
    find_group,
    join_ids,
    split_ids,
)
from engrain.model.errors import ErasedError
from engrain.seam.locator import Locator
from unit.engine.core.vault_files import notes
from unit.lifecycle.dreaming.sleepers import put
from unit.lifecycle.sessions.living import store_of


def test_a_target_is_the_ids_of_its_entries() -> None:
    assert split_ids(join_ids(["a", "b", "c"])) == ["a", "b", "c"]


def test_what_it_is_about_is_reported_by_all_that_its_entries_say(memory: Memory) -> None:
    ids = [put(memory, f"Memory/fix/{name}.md", name, "Text.") for name in ("one", "two", "three")]
    store = store_of(memory)
    whole = find_group(store, join_ids(ids))
    assert (whole.title, len(whole.entries)) == ("one and 2 others", 3)
    assert find_group(store, join_ids(ids[:2])).title == "one and two"
    assert len(find_group(store, ids[0]).entries) == 1
    shown = memory.show(ids[2]).entry
    memory.edit(ids[2], expect=shown.hash, text="Other text.")
    assert find_group(store, join_ids(ids)).base != whole.base


def test_counters_make_it_no_other(memory: Memory, vault: Path) -> None:
    ids = [put(memory, f"Memory/fix/{name}.md", name, "Text.") for name in ("one", "two")]
    store = store_of(memory)
    before = find_group(store, join_ids(ids)).base
    path = vault / "Memory/fix/two.md"
    path.write_bytes(path.read_bytes().replace(b"---\n", b"---\nrecall_count: 4\n", 1))
    assert find_group(memory._ready(scan=True), join_ids(ids)).base == before


def test_an_entry_that_was_erased_is_none(memory: Memory) -> None:
    ids = [put(memory, f"Memory/fix/{name}.md", name, "Text.") for name in ("one", "two")]
    memory.erase(memory.plan_erasure([ids[1]]))
    with pytest.raises(ErasedError):
        find_group(memory._ready(scan=True), join_ids(ids))


def test_where_one_file_has_changed_none_is_written(memory: Memory, vault: Path) -> None:
    ids = [put(memory, f"Memory/fix/{name}.md", name, "Text.") for name in ("one", "two")]
    store = store_of(memory)
    entries = [memory.show(id_).entry for id_ in ids]
    plan = [
        FileRewrite(entry, entry.note.patch({"tags": ["new"]}), Locator(entry.path))
        for entry in entries
    ]
    path = vault / "Memory/fix/two.md"
    path.write_text(path.read_text() + "More.\n")
    before = notes(vault)
    with pytest.raises(ConflictError, match="id-two has changed since"):
        commit_rewrites(store, "tidy", plan, "")
    assert notes(vault) == before


def test_what_another_program_left_is_kept_before_it_is_replaced(
    memory: Memory, vault: Path
) -> None:
    id_ = put(memory, "Memory/fix/one.md", "One", "Text.")
    path = vault / "Memory/fix/one.md"
    path.write_text(path.read_text() + "By hand.\n")
    by_hand = path.read_bytes()
    store = memory._ready(scan=True)
    entry = memory.show(id_).entry
    moved = Locator("Memory/fix/moved.md")
    commit_rewrites(store, "tidy", [FileRewrite(entry, entry.note, moved)], "")
    assert not path.exists() and (vault / moved).read_bytes() == by_hand
    memory.undo(memory.history(limit=1)[0].change)
    assert path.read_bytes() == by_hand
