"""What came in by the loki layout goes out as it was, and what goes out comes in again."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from engrain import Memory
from engrain.engine.outcomes import Imported
from engrain.model.loki.layout import in_reading_order
from support.loki import TREE, as_files, read_tree
from support.vaults import make_memory


def take_in(memory: Memory, files: dict[str, bytes], name: str = "tree", **more: Any) -> Imported:
    ordered = ((path, files[path]) for path in in_reading_order(files))
    return memory.import_loki(ordered, name=name, **more)


def write_out(memory: Memory) -> dict[str, bytes]:
    export = memory.export_loki()
    files = dict(export.files())
    assert export.left_out == []
    return files


def test_every_field_of_an_imported_tree_comes_back(memory: Memory) -> None:
    imported = take_in(memory, as_files(TREE))
    assert imported.problems == []
    assert imported.counts == {"created": 17}
    assert read_tree(write_out(memory)) == read_tree(as_files(TREE))


def test_the_same_tree_again_changes_nothing(memory: Memory) -> None:
    take_in(memory, as_files(TREE))
    before = len(memory.history())
    again = take_in(memory, as_files(TREE))
    assert (again.counts, again.problems) == ({"unchanged": 17}, [])
    assert len(memory.history()) == before


def test_an_export_comes_into_another_vault_and_out_of_it_the_same(
    memory: Memory, tmp_path: Path
) -> None:
    take_in(memory, as_files(TREE))
    first = write_out(memory)
    with make_memory(tmp_path / "other") as other:
        imported = take_in(other, first)
        assert imported.problems == []
        assert read_tree(write_out(other)) == read_tree(first)


def test_an_export_comes_back_into_its_own_vault_unchanged(memory: Memory) -> None:
    take_in(memory, as_files(TREE))
    again = take_in(memory, write_out(memory), name="myself")
    assert (again.counts, again.problems) == ({"unchanged": 17}, [])
