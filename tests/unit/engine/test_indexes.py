"""Maps of contents: made of the entries alone, written only where they would change (S1.8)."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from dataclasses import fields
from pathlib import Path
from typing import Any

import pytest

from engrain import Memory
from engrain.engine.core.scope import Scope
from engrain.engine.core.store import Store
from engrain.engine.indexes import write_maps
from engrain.model.history.record import Record
from engrain.model.map_pages import FIRST_LINE
from support.vaults import make_memory


def read(vault: Path, folder: str = "") -> str:
    return (vault / folder / "_index.md").read_text(encoding="utf-8")


def changes(memory: Memory) -> list[str]:
    return [change.op for change in memory.history(limit=1000)]


@pytest.fixture
def filled(memory: Memory, vault: Path) -> Memory:
    memory.save("Locks are advisory here. More on that.", title="Nightly lock", kind="fix")
    memory.save("We take Postgres.", title="Database", kind="decision", project="Billing")
    memory.save("Drawn by hand.", title="Sketch", kind="design", project="Billing")
    vault.joinpath("Cooking").mkdir()
    vault.joinpath("Cooking", "Soup.md").write_text("---\ntags: [food]\n---\nBoil water. Wait.\n")
    return memory


def test_each_tier_and_project_gets_a_map(filled: Memory, vault: Path) -> None:
    maps = filled.links.map()
    assert maps.written == ["Memory/_index.md", "_index.md", "projects/billing/_index.md"]
    root, own, project = read(vault), read(vault, "Memory"), read(vault, "projects/billing")
    assert "- [[Cooking/Soup|Soup]] · food — Boil water." in root
    assert "- [[projects/billing/_index|Map of billing]] (2)" in root
    assert "[[Memory/_index|Map of memory]] (2)" in root
    assert "Sketch" not in root
    assert "- [[Memory/fix/nightly-lock|Nightly lock]] — Locks are advisory here." in own
    assert "[[Memory/decision/database|Database]] · Billing — We take Postgres." in own
    assert "[[projects/billing/designs/sketch|Sketch]] — Drawn by hand." in project
    assert "[[Memory/decision/database|Database]] — We take Postgres." in project
    assert {text.partition("\n")[0] for text in (root, own, project)} == {FIRST_LINE}


def test_they_are_written_in_one_change(filled: Memory) -> None:
    filled.links.map()
    assert len({change.change for change in filled.history(limit=100) if change.op == "map"}) == 1


def test_nothing_is_written_where_nothing_changed(filled: Memory, vault: Path) -> None:
    filled.links.map()
    before, told = read(vault), changes(filled)
    again = filled.links.map()
    assert (again.written, again.removed) == ([], [])
    assert read(vault) == before
    assert changes(filled) == told


def test_a_recall_changes_no_map(filled: Memory) -> None:
    filled.links.map()
    filled.recall("nightly lock")
    filled.jobs.run(["sessions"])
    assert filled.check(["map"]).found == []


def test_what_waits_or_is_retired_is_on_no_map(filled: Memory, vault: Path) -> None:
    forgotten = filled.save("Forget me.", title="Forgotten", kind="fix")
    filled.forget(forgotten.id)
    archived = filled.save("Archive me.", title="Archived one", kind="fix")
    filled.archive(archived.id)
    for folder in ("_inbox", "_dream-staging"):
        vault.joinpath("Memory", folder).mkdir(exist_ok=True)
        vault.joinpath("Memory", folder, "waits.md").write_text("# Waits here\n\nText.\n")
    filled.links.map()
    text = read(vault, "Memory")
    assert not [word for word in ("Forgotten", "Archived one", "Waits here") if word in text]


def test_a_map_without_its_first_line_is_left_alone(filled: Memory, vault: Path) -> None:
    filled.links.map()
    (vault / "_index.md").write_text("# My own map\n")
    filled.save("Another.", title="Another", kind="fix")
    maps = filled.links.map()
    assert maps.kept == ["_index.md"]
    assert read(vault) == "# My own map\n"
    assert "Another" in read(vault, "Memory")
    assert filled.check(["map"]).found == []


def test_a_map_that_a_person_wrote_before_is_left_alone(filled: Memory, vault: Path) -> None:
    (vault / "_index.md").write_text("# Mine\n")
    assert filled.links.map().kept == ["_index.md"]
    assert read(vault) == "# Mine\n"


def test_a_map_that_was_edited_or_deleted_comes_back(filled: Memory, vault: Path) -> None:
    filled.links.map()
    before = read(vault)
    (vault / "_index.md").write_text(before + "\nedited\n")
    (vault / "Memory" / "_index.md").unlink()
    assert filled.links.map().written == ["Memory/_index.md", "_index.md"]
    assert read(vault) == before


def test_a_copy_that_a_synchroniser_made_goes(filled: Memory, vault: Path) -> None:
    filled.links.map()
    copy = vault / "_index.sync-conflict-20260921-101500-ABCDEFG.md"
    copy.write_text(read(vault))
    assert filled.links.map().removed == [copy.name]
    assert not copy.exists()


def test_the_map_of_a_project_goes_with_its_last_note(filled: Memory, vault: Path) -> None:
    filled.links.map()
    for row in filled.list(scope=Scope(all_projects=True)).rows:
        if row.project == "Billing":
            filled.forget(row.id)
    assert filled.links.map().removed == ["projects/billing/_index.md"]
    assert "Projects" not in read(vault)


def test_long_sections_get_pages_that_are_no_entries(memory: Memory, vault: Path) -> None:
    folder = vault / "Memory" / "fix"
    folder.mkdir(parents=True)
    for number in range(230):
        (folder / f"n{number:03}.md").write_text(f"# Note {number:03}\n\nText {number}.\n")
    assert memory.links.map().pages == 3
    assert "- [[Memory/_index/fix|Map of memory: fix]] (230)" in read(vault, "Memory")
    assert memory.links.map().entries == 230
    assert not [row for row in memory.list(limit=500).rows if "_index" in row.locator]
    for number in range(100):
        (folder / f"n{number:03}.md").unlink()
    maps = memory.links.map()
    assert maps.removed == ["Memory/_index/fix.md"]


def test_the_pages_of_earlier_versions_are_replaced(memory: Memory, vault: Path) -> None:
    memory.save("Text.", title="A note", kind="fix")
    memory.links.map()
    old = vault / "Memory" / "_index-fix_2.md"
    old.write_bytes((vault / "Memory" / "_index.md").read_bytes())
    assert memory.links.map().removed == ["Memory/_index-fix_2.md"]
    assert not old.exists()


def test_two_notes_of_one_name_are_linked_by_their_paths(memory: Memory, vault: Path) -> None:
    for folder in ("a", "b"):
        (vault / folder).mkdir()
        (vault / folder / "Same.md").write_text(f"In {folder}.\n")
    memory.links.map()
    text = read(vault)
    assert text.index("[[a/Same|Same]] — In a.") < text.index("[[b/Same|Same]] — In b.")


def test_a_broken_note_is_on_the_map_as_the_index_has_it(filled: Memory, vault: Path) -> None:
    filled.links.map()
    (vault / "Cooking" / "Soup.md").unlink()
    assert "Soup" in read(vault)
    filled.links.map()
    assert "Soup" not in read(vault)


def test_undo_takes_the_maps_back(filled: Memory, vault: Path) -> None:
    filled.links.map()
    filled.undo()
    assert not (vault / "_index.md").exists()
    assert not (vault / "Memory" / "_index.md").exists()
    assert len(filled.links.map().written) == 3


def test_undo_brings_the_maps_back_as_they_were(filled: Memory, vault: Path) -> None:
    filled.links.map()
    before = read(vault, "Memory")
    filled.save("Another.", title="Another", kind="fix")
    filled.links.map()
    filled.undo()
    assert read(vault, "Memory") == before


def test_an_empty_vault_gets_no_map(memory: Memory, vault: Path) -> None:
    maps = memory.links.map()
    assert (maps.pages, maps.written) == (0, [])
    assert not (vault / "_index.md").exists()


def test_without_begin_only_a_vault_that_has_maps_gets_them(filled: Memory, vault: Path) -> None:
    store = filled._ready(scan=True)
    assert write_maps(store, begin=False).written == []
    assert not (vault / "_index.md").exists()
    filled.links.map()
    filled.save("Another.", title="Another", kind="fix")
    assert write_maps(store, begin=False).written == ["Memory/_index.md", "_index.md"]


def test_an_erased_entry_is_on_no_map_and_in_no_history_of_one(
    filled: Memory, vault: Path, tmp_path: Path
) -> None:
    secret = filled.save("Nothing else.", title="Zanzibar affair", kind="fix")
    filled.links.map()
    assert "Zanzibar" in read(vault, "Memory")
    filled.erase(filled.plan_erasure([secret.id]))
    places = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert [path for path in places if b"zanzibar" in path.read_bytes().lower()] == []
    assert "Nightly lock" in read(vault, "Memory")


def test_the_same_entries_make_the_same_maps_on_another_device(
    filled: Memory, vault: Path, tmp_path: Path
) -> None:
    filled.links.map()
    twin = tmp_path / "twin"
    shutil.copytree(vault, twin)
    for path in twin.rglob("_index*.md"):
        path.unlink()
    with make_memory(tmp_path, name="twin", device="other") as other:
        other.links.map()
    assert read(twin) == read(vault)
    assert read(twin, "Memory") == read(vault, "Memory")


class Overtaken(Store):
    """A store in which another writes the maps just before its own first commit."""

    others: Sequence[Memory] = ()

    def __init__(self, store: Store, other: Memory) -> None:
        super().__init__(**{own.name: getattr(store, own.name) for own in fields(Store)})
        self.others = [other]

    def commit(self, *args: Any, **kwargs: Any) -> Record:
        others, self.others = self.others, ()
        for other in others:
            other.save("Meanwhile.", title="Came meanwhile", kind="fix")
            other.links.map()
        return super().commit(*args, **kwargs)


def test_one_who_was_overtaken_looks_again(filled: Memory, vault: Path, tmp_path: Path) -> None:
    filled.links.map()
    filled.save("Another.", title="Another", kind="fix")
    with make_memory(tmp_path, device="other", seed=8) as other:
        store = Overtaken(filled._ready(scan=True), other)
        assert write_maps(store).pages == 3
    text = read(vault, "Memory")
    assert "Another" in text
    assert "Came meanwhile" in text


def test_the_index_is_done_with_a_change_of_maps_at_once(filled: Memory) -> None:
    filled.links.map()
    filled.recall("lock")
    store = filled._open_store()
    assert store.index.cursors() == store.backend.heads()
