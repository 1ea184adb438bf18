"""Counting entries by filter reads an index alone, and no other query takes to that index."""

from __future__ import annotations

import apsw

from engrain.index import queries
from engrain.index.tables import create_tables
from engrain.seam.rows import Filter

LISTED = Filter(zones=("live",), statuses=("active", "superseded"), projects=("billing", ""))


def explain(only: Filter, *, count: bool) -> str:
    """How SQLite goes about a query."""
    connection = apsw.Connection(":memory:")
    create_tables(connection)
    asked: list[tuple[str, apsw.Bindings | None]] = []

    def note(_: apsw.Cursor, sql: str, values: apsw.Bindings | None) -> bool:
        asked.append((sql, values))
        return True

    connection.set_exec_trace(note)
    if count:
        assert queries.count(connection, only) == 0
    else:
        assert queries.find(connection, only, 5) == []
    connection.set_exec_trace(None)
    sql, values = asked[-1]
    return str(connection.execute(f"EXPLAIN QUERY PLAN {sql}", values).fetchall())


def test_entries_are_counted_by_an_index_alone() -> None:
    for only in (LISTED, LISTED.replace(kinds=("fix",)), LISTED.replace(tiers=("T3",))):
        assert "COVERING INDEX entries_counted" in explain(only, count=True)


def test_entries_are_listed_in_the_order_of_their_age_without_sorting() -> None:
    plan = explain(LISTED, count=False)
    assert "entries_by_age" in plan
    assert "TEMP B-TREE FOR ORDER BY" not in plan
