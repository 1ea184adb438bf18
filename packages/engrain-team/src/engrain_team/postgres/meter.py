"""Measures a PostgreSQL server that keeps stores.

The figures contain no text of an entry and no name of a role or namespace. Reading them needs
`pg_monitor` and `engrain_member`, and no access to any namespace."""

from __future__ import annotations

import time
from bisect import bisect_left
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from threading import Lock
from typing import Any

from engrain.model.errors import EngrainError
from engrain_team.postgres.address import Address
from engrain_team.postgres.connections import Connections
from engrain_team.postgres.schema import check_version

_BOUNDS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0)
"""The upper bounds of the histogram's buckets, in seconds."""
_SERVER = """
SELECT (SELECT max(version) FROM engrain.migrations), pg_is_in_recovery()::int,
  current_setting('max_connections')::int, pg_database_size(current_database()),
  (SELECT greatest(sum(reltuples), 0) FROM pg_class WHERE oid IN
    (SELECT inhrelid FROM pg_inherits WHERE inhparent = 'engrain.files'::regclass)),
  CASE WHEN NOT pg_is_in_recovery() OR pg_last_wal_receive_lsn() = pg_last_wal_replay_lsn() THEN 0
    ELSE extract(epoch FROM now() - pg_last_xact_replay_timestamp()) END::float8
"""
_CONNECTIONS = """
SELECT coalesce(state, 'unknown'), count(*) FROM pg_stat_activity
WHERE datname = current_database() AND application_name = 'engrain' GROUP BY 1 ORDER BY 1
"""
_REPLICAS = """
SELECT application_name, sync_state, pg_wal_lsn_diff(pg_current_wal_lsn(), replay_lsn)::float8,
  coalesce(extract(epoch FROM replay_lag), 0)::float8
FROM pg_stat_replication WHERE replay_lsn IS NOT NULL AND NOT pg_is_in_recovery() ORDER BY 1
"""
_STORES = "SELECT vault, devices, changes FROM engrain.measure()"
_TRY = "SELECT pg_logical_emit_message(true, 'engrain', '')::text"
"""A transaction that changes no table but is stored and sent to replicas like any other."""


@dataclass(frozen=True, slots=True)
class Metric:
    """A metric of Prometheus: its kind (`gauge`, `counter` or `histogram`), its meaning, and its
    samples, each with a suffix of the name, labels, and the value."""

    name: str
    kind: str
    meaning: str
    samples: Sequence[tuple[str, Mapping[str, str], float]]


class Meter:
    """The figures of one server, and a histogram of test transactions, one at each reading."""

    def __init__(self, connections: Connections, address: Address) -> None:
        self._connections = connections
        self._address = address
        self._mutex = Lock()
        self._counts = [0] * (len(_BOUNDS) + 1)
        self._seconds = 0.0

    def read(self) -> Sequence[Metric]:
        """Return the current figures. Raises VaultUnavailableError, StorageError."""
        [(version, replica, limit, size, files, behind)] = self._connections.run(_SERVER)
        check_version(version or 0, self._address)
        stores = self._connections.run(_STORES)
        replicas = self._connections.run(_REPLICAS)
        metrics = [
            _gauge("schema_version", "The version of the tables.", version),
            _gauge("is_replica", "1 on a server that takes no writes.", replica),
            _gauge("database_bytes", "The size of the database on disk.", size),
            _gauge("files", "How many files there are, as the planner last estimated.", files),
            _gauge("stores", "How many namespaces were ever changed.", len(stores)),
            _each("devices", "gauge", "Devices that have written, by the vault's id.", ["store"],
                  [(vault, devices) for vault, devices, _ in stores]),
            _each("changes_total", "counter", "Changes in the history, by the vault's id.",
                  ["store"], [(vault, changes) for vault, _, changes in stores]),
            _gauge("connections_limit", "How many connections the server takes.", limit),
            _each("connections", "gauge", "Connections of Engrain's, by state.", ["state"],
                  self._connections.run(_CONNECTIONS)),
            _gauge("replay_lag_seconds", "How old is what a replica shows.", behind),
            _each("replica_lag_bytes", "gauge", "What a replica has not replayed yet.",
                  ["replica", "sync"], [(*row[:2], row[2]) for row in replicas]),
            _each("replica_lag_seconds", "gauge", "How long the last change took to a replica.",
                  ["replica", "sync"], [(*row[:2], row[3]) for row in replicas]),
        ]  # fmt: skip
        if not replica:
            metrics.append(self._try())
        return metrics

    def _try(self) -> Metric:
        began = time.monotonic()
        try:
            self._connections.run_once(_TRY)
        except EngrainError:
            took = float("inf")  # it was not stored, or that is unknown
        else:
            took = time.monotonic() - began
        with self._mutex:
            self._counts[bisect_left(_BOUNDS, took)] += 1
            self._seconds += min(took, time.monotonic() - began)
            samples: list[tuple[str, dict[str, str], float]] = []
            for place, bound in enumerate([*map(str, _BOUNDS), "+Inf"]):
                samples.append(("_bucket", {"le": bound}, sum(self._counts[: place + 1])))
            samples += [("_sum", {}, self._seconds), ("_count", {}, sum(self._counts))]
        meaning = "How long a small transaction takes until it is stored, tried at each reading."
        return Metric("engrain_commit_seconds", "histogram", meaning, samples)


def _gauge(name: str, meaning: str, value: float) -> Metric:
    return _each(name, "gauge", meaning, [], [(value,)])


def _each(
    name: str, kind: str, meaning: str, labels: Sequence[str], rows: Iterable[tuple[Any, ...]]
) -> Metric:
    """Make a metric with a sample for each row: the values of its labels, then the figure."""
    samples = [("", dict(zip(labels, row[:-1], strict=True)), float(row[-1])) for row in rows]
    return Metric(f"engrain_{name}", kind, meaning, samples)
