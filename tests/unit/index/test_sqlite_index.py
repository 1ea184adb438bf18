"""The SQLite index keeps the contract, and stands what happens to files."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from contracts.search_index import Reopen, SearchIndexContract
from engrain.index.sqlite_index import open_index
from engrain.seam.search import SearchIndex
from support.vaults import FakeClock


class TestSqlite(SearchIndexContract):
    @pytest.fixture
    def reopen(self, tmp_path: Path) -> Iterator[Reopen]:
        opened: list[SearchIndex] = []

        def reopen() -> SearchIndex:
            opened.append(open_index(str(tmp_path / "state" / "index"), FakeClock()))
            return opened[-1]

        yield reopen
        for index in opened:
            index.close()
