"""The graph on SQLite."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from contracts.graph_view import GraphViewContract
from contracts.search_index import Reopen
from engrain.index.sqlite_index import open_index
from engrain.seam.search import SearchIndex
from support.vaults import FakeClock


class TestSqlite(GraphViewContract):
    @pytest.fixture
    def reopen(self, tmp_path: Path) -> Iterator[Reopen]:
        opened: list[SearchIndex] = []

        def reopen() -> SearchIndex:
            opened.append(open_index(str(tmp_path / "index"), FakeClock()))
            return opened[-1]

        yield reopen
        for index in opened:
            index.close()
