"""The SQLite index tells which entries were replaced as the contract says."""

from __future__ import annotations

from contracts.successions import SuccessionsContract
from unit.index.on_sqlite import OnSqlite


class TestSqlite(OnSqlite, SuccessionsContract):
    pass
