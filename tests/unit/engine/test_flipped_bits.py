"""A flipped bit in a derived file never fails a recall: words answer, and what is damaged is put
aside, named, and made anew. `faults/test_flipped_bits.py` tries more places."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest

from engrain.index.vectors.file import DAMAGED
from support.flipping import NUMBER, QUESTION, Derived

FILES = {
    "vectors": "vectors/vectors.sqlite",
    "index": "index/index-*.sqlite",
    "state": "state.sqlite",
}
FEW = 15


@pytest.fixture
def derived(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Derived:
    monkeypatch.setenv("ENGRAIN_EMBEDDER", "stub")
    return Derived(tmp_path)


@pytest.mark.parametrize("file", FILES)
def test_a_recall_answers_whatever_bit_is_flipped(derived: Derived, file: str) -> None:
    try_bits(derived, file, FEW)


def try_bits(derived: Derived, file: str, count: int) -> None:
    for place in derived.flip(FILES[file], count, seed=sum(map(ord, file))):
        try:
            with derived.open() as memory:
                found = memory.recall(QUESTION)
                if file != "index":  # there a bit may change the order until the index is rebuilt
                    assert found.results[0].row.title == "Crane 3"
                memory.diagnose()
                if file == "vectors":
                    memory.embed()
                    index = memory._ready().models.vectors.index
                    assert index.verify() is None
                    assert index.count("engrain-stub-1") == NUMBER
                else:
                    memory.reindex()
                found = memory.recall(QUESTION)
                assert (found.results[0].row.title, found.embedder) == ("Crane 3", "stub")
        except Exception as error:
            raise AssertionError(place) from error


def test_a_vector_of_another_type_is_put_aside_named_and_made_anew(derived: Derived) -> None:
    [path] = derived.files(FILES["vectors"])
    with sqlite3.connect(path) as connection:
        connection.execute("UPDATE vectors SET vector = 'not bytes' WHERE id = 4")
    connection.close()
    with derived.open() as memory:
        assert memory.recall(QUESTION).results[0].row.title == "Crane 3"
        assert (path.parent / DAMAGED).exists()
        [told] = [one for one in memory.diagnose() if "put aside" in one.message]
        assert told.level == "warning" and told.path == str(path.parent / DAMAGED)
        assert memory.embed()[0].added > 0
        assert not (path.parent / DAMAGED).exists()
        assert not [one for one in memory.diagnose() if "put aside" in one.message]
        assert memory.recall(QUESTION).embedder == "stub"


def test_doctor_finds_a_vector_that_no_recall_has_met(derived: Derived) -> None:
    [path] = derived.files(FILES["vectors"])
    with sqlite3.connect(path) as connection:
        connection.execute("UPDATE vectors SET vector = zeroblob(1024) WHERE id = 4")
    connection.close()
    with derived.open() as memory:
        assert [one for one in memory.diagnose() if "put aside" in one.message]
        memory.reindex()
        assert memory.recall(QUESTION).embedder == "stub"
        assert not [one for one in memory.diagnose() if "put aside" in one.message]


def test_nothing_of_an_erased_entry_stays_in_what_was_put_aside(derived: Derived) -> None:
    [path] = derived.files(FILES["vectors"])
    (path.parent / DAMAGED).write_bytes(path.read_bytes())
    with derived.open() as memory:
        [row] = [row for row in memory.list().rows if row.title == "Crane 3"]
        memory.erase(memory.plan_erasure([row.id]))
    assert not (path.parent / DAMAGED).exists()
