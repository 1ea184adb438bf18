"""Which indexes queries read that are asked often: none reads a whole table."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

import apsw

from engrain.index.conclusions import list_mistaken
from engrain.index.connection import reuse_plans
from engrain.index.sqlite_index import SearchIndex
from engrain.index.tables import create_tables
from engrain.seam.rows import Filter

LISTED = Filter(zones=("live",), statuses=("active", "superseded"), projects=("billing", ""))


class OnConnection(SearchIndex):
    """An index on one connection."""

    def __init__(self, connection: apsw.Connection) -> None:
        self._connection = connection

    def ask(self, query: Any, *given: Any, **named: Any) -> Any:
        return query(self._connection, *given, **named)


def explain(ask: Callable[[apsw.Connection], object]) -> str:
    """How SQLite goes about a query of an empty index."""
    connection = apsw.Connection(":memory:")
    reuse_plans(connection)
    create_tables(connection)
    asked: list[tuple[str, apsw.Bindings | None]] = []

    def note(_: apsw.Cursor, sql: str, values: apsw.Bindings | None) -> bool:
        asked.append((sql, values))
        return True

    connection.set_exec_trace(note)
    assert not ask(connection)
    connection.set_exec_trace(None)
    sql, values = asked[-1]
    return str(connection.execute(f"EXPLAIN QUERY PLAN {sql}", values).fetchall())


def count(connection: apsw.Connection, only: Filter) -> int:
    return OnConnection(connection).count(only)


def test_entries_are_counted_by_an_index_alone() -> None:
    for only in (LISTED, replace(LISTED, kinds=("fix",)), replace(LISTED, tiers=("T3",))):
        assert "COVERING INDEX entries_counted" in explain(partial(count, only=only))


def test_entries_are_listed_in_the_order_of_their_age_without_sorting() -> None:
    plan = explain(lambda c: OnConnection(c).find(LISTED, 5))
    assert "entries_by_age" in plan
    assert "TEMP B-TREE FOR ORDER BY" not in plan


def test_void_conclusions_are_found_without_reading_the_history() -> None:
    plan = explain(list_mistaken)
    assert "SCAN c USING" in plan and "INDEX changes_cancelled" in plan
