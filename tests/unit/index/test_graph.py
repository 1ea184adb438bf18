"""The graph on SQLite."""

from __future__ import annotations

from contracts.graph_view import GraphViewContract
from unit.index.on_sqlite import OnSqlite


class TestSqlite(OnSqlite, GraphViewContract):
    pass
