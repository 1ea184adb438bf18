"""Other processes read notes for the index: what comes of it is what one process makes."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from engrain import Memory
from engrain.engine.core import upkeep
from engrain.index import readers
from engrain.seam.derived import Indexer, Readers
from support.vaults import make_memory

NOTES = 30
TABLES = ("entries", "frontmatter", "sources", "tags", "names", "links", "passages", "problems")


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory]:
    folder = tmp_path / "vault/Memory/fix"
    folder.mkdir(parents=True)
    for number in range(NOTES):
        kind = "fix" if number % 5 else "odd"
        text = f"---\nid: n{number}\ntags: [sea, x{number % 3}]\nkind: {kind}\n---\n"
        text += f"# Note {number}\n\nSee [[n{number - 1}]].\n\n" + "The lighthouse. " * 40
        (folder / f"n{number}.md").write_text(text)
    (folder / "broken.md").write_text("---\nnever closed\n")
    with make_memory(tmp_path) as memory:
        memory.scan()
        yield memory


def dump(memory: Memory) -> dict[str, list[object]]:
    index = memory._open_store().index

    def read(connection):  # type: ignore[no-untyped-def]
        return {name: connection.execute(f"SELECT * FROM {name}").fetchall() for name in TABLES}

    return index.ask(read)  # type: ignore[attr-defined, no-any-return]


@pytest.fixture
def started(monkeypatch: pytest.MonkeyPatch) -> list[readers._Processes]:
    """What is started from now on, for however few notes."""
    found: list[readers._Processes] = []

    def start(backend: str, location: str, count: int | None) -> Readers:
        found.append(readers._Processes(backend, location, count or 2))
        return found[-1]

    monkeypatch.setattr(readers, "start_readers", start)
    monkeypatch.setattr(upkeep, "_MANY", 10)
    monkeypatch.setattr(upkeep, "BATCH", 7)
    return found


def ended(one: readers._Processes) -> bool:
    return all(process.returncode is not None for process in one._all)


def test_a_rebuild_by_several_processes_is_that_of_one(
    memory: Memory, started: list[readers._Processes], monkeypatch: pytest.MonkeyPatch
) -> None:
    memory.reindex()
    found = dump(memory)
    assert len(started) == 1
    assert ended(started[0])
    monkeypatch.setattr(upkeep, "_MANY", 1_000)
    memory.reindex()
    assert dump(memory) == found
    assert len(started) == 1
    assert len(found["entries"]) == NOTES
    assert any("odd" in str(row) for row in found["problems"])
    assert any("broken.md" in str(row) for row in found["problems"])


def test_what_a_process_that_died_was_to_read_is_read_here(
    memory: Memory, started: list[readers._Processes], monkeypatch: pytest.MonkeyPatch
) -> None:
    memory.reindex()
    found = dump(memory)
    monkeypatch.setattr(readers, "_START", "raise SystemExit(3)")
    memory.reindex()
    assert dump(memory) == found
    assert len(started) == 2
    assert ended(started[1])


@pytest.fixture
def indexing(monkeypatch: pytest.MonkeyPatch) -> list[readers._IndexingProcess]:
    """The processes that index what an import commits, however few notes that are."""
    found: list[readers._IndexingProcess] = []

    def start(*arguments: str) -> Indexer:
        found.append(readers._IndexingProcess(arguments))
        return found[-1]

    monkeypatch.setattr(readers, "start_indexer", start)
    monkeypatch.setattr(upkeep, "_MANY_WRITTEN", 1)
    return found


def import_some(memory: Memory, folder: Path) -> None:
    source = folder / "source"
    source.mkdir()
    for number in range(70):
        (source / f"s{number}.md").write_text(f"# Said {number}\n\nOf the harbour, [[s1]].\n")
    memory.import_folder(str(source), name="source")


def test_another_process_indexes_what_an_import_commits(
    memory: Memory,
    indexing: list[readers._IndexingProcess],
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
) -> None:
    monkeypatch.setattr(upkeep.IndexUpkeep, "_index_now", lambda _: None)
    import_some(memory, tmp_path)
    assert [one._process.returncode for one in indexing] == [0]
    assert memory._open_store().upkeep.drain().changed == 0
    assert memory._open_store().upkeep.verify() == []
    found = dump(memory)
    memory.reindex()
    assert len(dump(memory)["links"]) == len(found["links"])
    assert len(memory.recall("harbour said", scan=False).results) > 0


def test_that_process_is_started_before_the_first_notes_are_written(
    memory: Memory,
    indexing: list[readers._IndexingProcess],
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
) -> None:
    started: list[int] = []
    commit = type(memory._open_store().backend).commit_all

    def note(*given: Any) -> Any:
        started.append(len(indexing))
        return commit(*given)

    monkeypatch.setattr(type(memory._open_store().backend), "commit_all", note)
    import_some(memory, tmp_path)
    assert started[0] == 1


def test_what_a_process_that_died_was_to_index_is_indexed_here(
    memory: Memory,
    indexing: list[readers._IndexingProcess],
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
) -> None:
    monkeypatch.setattr(readers, "_INDEX", "raise SystemExit(3)")
    import_some(memory, tmp_path)
    assert [one._process.returncode for one in indexing] == [3]
    assert memory._open_store().upkeep.verify() == []
