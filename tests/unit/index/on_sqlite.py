"""What a contract of the index needs to be kept by SQLite's."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from contracts.search_index import Reopen
from engrain.index.sqlite_index import SearchIndex
from support.vaults import FakeClock


class OnSqlite:
    @pytest.fixture
    def reopen(self, tmp_path: Path) -> Iterator[Reopen]:
        """Opens one index as often as asked."""
        opened: list[SearchIndex] = []

        def reopen() -> SearchIndex:
            opened.append(SearchIndex(str(tmp_path / "index"), FakeClock()))
            return opened[-1]

        yield reopen
        for index in opened:
            index.close()
