"""A flipped bit in a derived file never fails a recall: words answer, and what is damaged is
removed, named, and made anew."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest

from support.flipping import NUMBER, QUESTION, Derived

FILES = {
    "vectors": "vectors/vectors.sqlite",
    "index": "index/index-*.sqlite",
    "state": "state.sqlite",
}


@pytest.fixture
def derived(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Derived:
    monkeypatch.setenv("ENGRAIN_EMBEDDER", "stub")
    return Derived(tmp_path)


@pytest.mark.parametrize("count", [15, pytest.param(200, marks=pytest.mark.long)])
@pytest.mark.parametrize("file", FILES)
def test_a_recall_answers_whatever_bit_is_flipped(derived: Derived, file: str, count: int) -> None:
    for place in derived.flip(FILES[file], count, seed=sum(map(ord, file))):
        try:
            with derived.open() as memory:
                found = memory.recall(QUESTION)
                if file != "index":  # there a bit may change the order until the index is rebuilt
                    assert found.results[0].row.title == "Crane 3"
                memory.diagnose()
                memory.check(deep=True)
                if file == "vectors":
                    memory.embed()
                    index = memory._ready().models.vectors.index
                    assert index.verify()
                    assert index.count("engrain-stub-1") == NUMBER
                else:
                    memory.reindex()
                found = memory.recall(QUESTION)
                assert (found.results[0].row.title, found.embedder) == ("Crane 3", "stub")
        except Exception as error:
            raise AssertionError(place) from error


def alter(derived: Derived, file: str, change: str) -> None:
    """Change a derived file by SQL, while no memory has it open."""
    [path] = derived.files(FILES[file])
    with sqlite3.connect(path) as connection:
        connection.execute(change)
    connection.close()


def test_vectors_are_removed_and_made_anew_if_one_is_of_another_type(derived: Derived) -> None:
    alter(derived, "vectors", "UPDATE vectors SET vector = 'not bytes' WHERE id = 4")
    with derived.open() as memory:
        assert memory.recall(QUESTION).results[0].row.title == "Crane 3"
        [told] = [one for one in memory.diagnose() if "have none" in one.message]
        assert told.level == "warning" and told.remedy == "run `engrain jobs embed`"
        assert memory.embed()[0].added > 0
        assert not [one for one in memory.diagnose() if "have none" in one.message]
        assert memory.recall(QUESTION).embedder == "stub"


def test_doctor_finds_a_vector_that_no_recall_has_met(derived: Derived) -> None:
    alter(derived, "vectors", "UPDATE vectors SET vector = zeroblob(1024) WHERE id = 4")
    with derived.open() as memory:
        assert [one for one in memory.diagnose() if "damaged" in one.message]
        memory.reindex()
        assert memory.recall(QUESTION).embedder == "stub"
        assert not [one for one in memory.diagnose() if "damaged" in one.message]


def test_a_check_rebuilds_an_index_with_a_text_that_is_no_text_any_more(derived: Derived) -> None:
    alter(derived, "index", "UPDATE passages SET heading = CAST(x'6122EB' AS TEXT)")
    with derived.open() as memory:
        assert memory.check(deep=True).found == []
        assert memory.recall(QUESTION).results[0].row.title == "Crane 3"
