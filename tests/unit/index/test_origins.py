"""The SQLite index tells whom an entry comes from as the contract says."""

from __future__ import annotations

from contracts.entry_origins import EntryOriginsContract
from unit.index.on_sqlite import OnSqlite


class TestSqlite(OnSqlite, EntryOriginsContract):
    pass
