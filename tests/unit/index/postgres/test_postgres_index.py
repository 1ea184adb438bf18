"""The index in PostgreSQL keeps the contracts that SQLite's does."""

from __future__ import annotations

from contracts.entry_origins import EntryOriginsContract
from contracts.graph_view import GraphViewContract
from contracts.index_view import IndexViewContract
from contracts.search_index import SearchIndexContract
from contracts.successions import SuccessionsContract
from unit.index.postgres.on_postgres import OnPostgres, address, database

__all__ = ["address", "database"]


class TestSearch(OnPostgres, SearchIndexContract):
    pass


class TestView(OnPostgres, IndexViewContract):
    pass


class TestGraph(OnPostgres, GraphViewContract):
    pass


class TestSuccessions(OnPostgres, SuccessionsContract):
    pass


class TestOrigins(OnPostgres, EntryOriginsContract):
    pass
