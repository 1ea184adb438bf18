"""What the SQLite index tells recall keeps the contract, and its figures hold."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from contracts.index_view import IndexViewContract
from contracts.search_index import ANY, Reopen, document
from engrain.index.sqlite_index import open_index
from engrain.model.errors import IndexUnavailableError
from engrain.seam.search import Batch, SearchIndex
from engrain.seam.view import Matches
from support.vaults import FakeClock


@pytest.fixture
def reopen(tmp_path: Path) -> Iterator[Reopen]:
    opened: list[SearchIndex] = []

    def reopen() -> SearchIndex:
        opened.append(open_index(str(tmp_path / "index"), FakeClock()))
        return opened[-1]

    yield reopen
    for index in opened:
        index.close()


class TestSqlite(IndexViewContract):
    @pytest.fixture
    def reopen(self, reopen: Reopen) -> Iterator[Reopen]:
        yield reopen


def match(index: SearchIndex, text: str) -> Matches:
    with index.view() as view:
        return view.match(text, ANY, 99)


def test_the_passages_and_wholes_are_those_there_are_after_a_rebuild(reopen: Reopen) -> None:
    index = reopen()
    talk = [
        document(f"s{n}.md", "# S", kind="memory", source={"kind": "session", "ref": f"r{n % 2}"})
        for n in range(6)
    ]
    index.rebuild([Batch(documents=[*talk, *(document(f"{n}.md", "# N") for n in range(4))])])
    matches = match(index, "word")
    assert (matches.passages, matches.wholes) == (10, 6)


def test_editing_notes_again_and_again_makes_no_word_rarer(reopen: Reopen) -> None:
    index = reopen()
    index.rebuild([Batch(documents=[document(f"{n}.md", f"# Note {n}") for n in range(10)])])
    for turn in range(40):
        for n in range(9):
            index.apply(Batch(documents=[document(f"{n}.md", f"# Note {n} of {turn}")]))
        index.apply(Batch(documents=[document("9.md", f"# Note 9 of {turn}")]))
    assert match(index, "note").passages < 20


def test_a_view_on_a_damaged_index_says_so(reopen: Reopen, tmp_path: Path) -> None:
    index = reopen()
    notes = [document(f"{n}.md", "# Note\n\n" + f"lock word{n} " * 60) for n in range(200)]
    index.rebuild([Batch(documents=notes)])
    index.close()
    (file,) = (tmp_path / "index").glob("index-*.sqlite")
    raw = bytearray(file.read_bytes())
    raw[8192:] = bytes(len(raw) - 8192)
    file.write_bytes(raw)
    with pytest.raises(IndexUnavailableError, match="corrupt"), reopen().view() as view:
        view.match("lock", ANY, 99)
