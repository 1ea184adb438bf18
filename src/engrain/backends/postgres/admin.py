"""Creates and changes the schema, namespaces and roles of a PostgreSQL database, and measures the
server.

The figures contain no text of an entry and no name of a role or namespace. Reading them needs
`pg_monitor` and `engrain_member`, and no access to any namespace."""

from __future__ import annotations

import os
import time
from bisect import bisect_left
from collections.abc import Iterable, Sequence
from threading import Lock
from typing import Any

import psycopg
from psycopg import sql

from engrain.backends.postgres.address import Address, parse_address
from engrain.backends.postgres.connections import Connections, explain
from engrain.backends.postgres.schema import NEWEST, check_version, migrate, read_steps
from engrain.model.errors import EngrainError, StorageError, UsageError
from engrain.model.note.ids import encode
from engrain.model.note.tiers import ORIGINS
from engrain.seam.administration import ACCESS, Administration, Erased, Member, Metric

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


_OWN = ("engrain_owner", "engrain_member")
_LONGEST = 63
_NAMESPACES = """
SELECT namespace, vault FROM engrain.namespaces WHERE %s IN ('', namespace) ORDER BY namespace
"""
_ERASED = """
SELECT DISTINCT jsonb_array_elements_text(l.said -> 'entries') AS id
FROM (
  SELECT convert_from(line, 'UTF8')::jsonb AS said FROM engrain.links
  WHERE namespace = %s AND position('"eras'::bytea IN line) > 0
) l
WHERE l.said ->> 'op' IN ('erase', 'erasing') ORDER BY id
"""
_TRUSTED = ("operator", "admin")


def open_admin(location: str) -> Administration:
    """Return the administration of the database at an address, which may name a namespace. It
    connects when first needed. Raises UsageError."""
    return PostgresAdministration(location)


class PostgresAdministration(Administration):
    """The administration with the rights of the role that connects."""

    def __init__(self, location: str) -> None:
        self._address = parse_address(location, needs_namespace=False)
        self._connections = Connections(self._address)
        self._meter = Meter(self._connections, self._address)

    def script(self, target: int | None = None) -> list[str]:
        return read_steps(NEWEST, 0) if target == 0 else read_steps(0, _choose(target))

    def migrate(self, target: int | None = None) -> tuple[int, int]:
        return migrate(self._address, _choose(target))

    def create_namespace(self) -> str:
        vault = encode(int.from_bytes(os.urandom(10), "big"), 16)
        [(made,)] = self._connections.run(
            "SELECT engrain.create_namespace(%s, %s)", (self._namespace(), vault)
        )
        return str(made)

    def set_access(self, role: str, access: str | None, origin: str | None = None) -> list[str]:
        namespace = self._namespace()
        _check_role(role)
        if access is not None and access not in ACCESS:
            raise UsageError(f"no access {access!a}", remedy="choose one of " + ", ".join(ACCESS))
        origin = origin or ("operator" if access in _TRUSTED else "agent")
        if origin not in ORIGINS:
            raise UsageError(f"no origin {origin!a}", remedy="choose one of " + ", ".join(ORIGINS))
        statements = [
            sql.SQL("SELECT engrain.set_access({}, {}, {}, {})").format(
                sql.Literal(namespace), sql.Literal(role), sql.Literal(access), sql.Literal(origin)
            )
        ]
        try:
            with self._connections.borrow() as connection, connection.transaction():
                known = connection.execute("SELECT FROM pg_roles WHERE rolname = %s", (role,))
                if access is not None and not known.fetchall():
                    statements.insert(
                        0, sql.SQL("CREATE ROLE {} LOGIN").format(sql.Identifier(role))
                    )
                belongs = "SELECT pg_has_role(oid, 'engrain_member', 'MEMBER') FROM pg_roles"
                found = connection.execute(
                    f"{belongs} WHERE rolname = %s".encode(), (role,)
                ).fetchone()
                if access is not None and not (found and found[0]):
                    statements.insert(
                        -1, sql.SQL("GRANT engrain_member TO {}").format(sql.Identifier(role))
                    )
                for statement in statements:
                    connection.execute(statement)
        except psycopg.Error as error:
            raise explain(error, self._address) from error
        return [statement.as_string() for statement in statements]

    def members(self) -> Sequence[Member]:
        rows = self._connections.run("SELECT * FROM engrain.list_members(%s)", (self._namespace(),))
        return [Member(*row) for row in rows]

    def erased(self) -> Sequence[Erased]:
        found = self._connections.run(_NAMESPACES, (self._address.namespace,))
        return [
            Erased(
                namespace, vault, [id_ for (id_,) in self._connections.run(_ERASED, [namespace])]
            )
            for namespace, vault in found
        ]

    def measure(self) -> Sequence[Metric]:
        return self._meter.read()

    def close(self) -> None:
        self._connections.close()

    def _namespace(self) -> str:
        return parse_address(self._address.text).namespace


def _choose(target: int | None) -> int:
    if target is None:
        return NEWEST
    if not 0 <= target <= NEWEST:
        raise StorageError(f"no schema version {target}", remedy=f"name one from 0 to {NEWEST}")
    return target


def _check_role(role: str) -> None:
    """Raise UsageError for a name that PostgreSQL would cut short or can't hold, that looks like
    another, or that belongs to Engrain or the server itself."""
    fits = role.isprintable() and 0 < len(role.encode()) <= _LONGEST
    if not fits or role in _OWN or role.startswith("pg_"):
        raise UsageError(
            f"{role[:80]!a} can't be a member's role",
            remedy=f"a role's name has 1 to {_LONGEST} bytes, no invisible characters, and is not "
            + " or ".join((*_OWN, "one that begins with pg_")),
        )
