"""Two indexes of one store are compared table by table, whatever numbers their rows have."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from contracts.search_index import document
from engrain.index.comparing import COMPARED
from engrain.index.sqlite_index import Beside, SearchIndex
from engrain.model.history.record import Record
from engrain.seam.batches import Batch
from support.vaults import FakeClock

LEFT_OUT = {
    *("entry", "passage", "thread"),  # numbers on this device, for which places and names stand
    *("stamp", "settled", "groups", "marks"),  # how far the scans of this device came
}
"""The columns and tables that are not compared."""


@pytest.fixture
def index(tmp_path: Path) -> SearchIndex:
    return SearchIndex(str(tmp_path / "index"), FakeClock())


NOTES = [
    document("a.md", "See [[b]] and [[Here|c.d]].", id="a"),
    document("b.md", "See [[a|b]].\n\n## More\n\nWords.", id="b"),
    document("c.d.md", "Nothing.", id="c"),
]


def fill_beside(index: SearchIndex, *batches: Batch) -> Beside:
    beside = index.beside()
    assert beside is not None
    beside.index.rebuild(batches)
    return beside


def test_the_order_in_which_notes_came_makes_no_difference(index: SearchIndex) -> None:
    index.rebuild([])
    for note in NOTES:
        index.apply(Batch(documents=[note]))
    index.apply(Batch(documents=[NOTES[0]]))
    beside = fill_beside(index, Batch(documents=NOTES[::-1]))
    assert beside.compare() == []
    beside.close()


def test_each_table_that_differs_is_reported_once_with_an_example(index: SearchIndex) -> None:
    index.rebuild([Batch(documents=NOTES)])
    changed = document("c.d.md", "Something else.", id="c")
    beside = fill_beside(index, Batch(documents=[*NOTES[:2], changed]))
    found = {one.table: one for one in beside.compare()}
    assert found.keys() == {"entries", "passages", "texts"}
    texts = found["texts"]
    assert (texts.kept, texts.rebuilt) == (1, 2)
    assert texts.kept_row == "c.d.md, 1, noth, body, 0"
    beside.close()


def test_the_second_index_takes_the_place_of_the_first(index: SearchIndex, tmp_path: Path) -> None:
    index.rebuild([])
    beside = fill_beside(index, Batch(documents=NOTES[:2]))
    beside.index.apply(Batch(documents=NOTES[2:]))  # which is still in the log beside the file
    beside.adopt()
    beside.close()
    assert index.status().entries == 3
    assert {path.name.partition("-")[0] for path in (tmp_path / "index").iterdir()} == {
        "current", "index",
    }  # fmt: skip


def test_changes_are_compared_too(index: SearchIndex) -> None:
    record = Record("laptop", 1, 5.0, "save", ["a"], None)
    index.rebuild([Batch(documents=NOTES, records=[record])])
    beside = fill_beside(index, Batch(documents=NOTES))
    assert "changes" in {one.table for one in beside.compare()}
    beside.close()


def test_every_table_and_column_is_compared_or_named_as_left_out(index: SearchIndex) -> None:
    index.rebuild([Batch(documents=NOTES)])
    with index.view() as view:
        connection = view._connection
        tables = [
            str(name)
            for (name,) in connection.execute(
                "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'texts_%'"
            )
        ]
        columns = {
            name: [str(row[1]) for row in connection.execute(f"PRAGMA table_info({name})")]
            for name in tables
        }
    assert {*tables} - LEFT_OUT == {*COMPARED}
    for table, names in columns.items():
        if table in COMPARED and table != "texts":  # the words stand in a table of their own
            words = {*re.findall(r"\w+", COMPARED[table])}
            assert {*names} - words - LEFT_OUT <= {"older", "newer", "end"}, table
