"""Migrates the schema of a database with numbered SQL files: `sql/NNNN_forward.sql` makes version
NNNN from the one before, `sql/NNNN_backward.sql` goes back."""

from __future__ import annotations

from importlib import resources

import psycopg

from engrain.model.errors import StorageError, VaultUnavailableError
from engrain_team.postgres.address import Address
from engrain_team.postgres.connections import Connections, explain

NEWEST = 3
_OLDEST_SERVER = 160_000
_LOCK = 4_723_846_120_034_417_219
"""The advisory lock of migrations: an arbitrary number that nothing else uses."""


def read_steps(before: int, after: int) -> list[str]:
    """Return the SQL files that lead from one version to another, in order."""
    if after >= before:
        return [_read(n, "forward") for n in range(before + 1, after + 1)]
    return [_read(n, "backward") for n in range(before, after, -1)]


def migrate(address: Address, target: int = NEWEST) -> tuple[int, int]:
    """Bring a database to a version of the schema in one transaction; return the versions before
    and after. Raises StorageError, VaultUnavailableError."""
    connections = Connections(address)
    try:
        with connections.borrow() as connection, connection.transaction():
            if connection.info.server_version < _OLDEST_SERVER:
                raise StorageError(
                    f"PostgreSQL {connection.info.server_version // 10_000} is too old",
                    path=address.text,
                    remedy=f"use PostgreSQL {_OLDEST_SERVER // 10_000} or later",
                )
            connection.execute("SELECT pg_advisory_xact_lock(%s)", (_LOCK,))
            before = read_version(connection)
            if before > NEWEST:
                raise _newer(before, address)
            for sql in read_steps(before, target):
                connection.execute(sql.encode())
    except psycopg.Error as error:
        raise explain(error, address) from error
    finally:
        connections.close()
    return before, target


def read_version(connection: psycopg.Connection[tuple[object, ...]]) -> int:
    """Return the version of the schema in a database, 0 if there is none."""
    found = connection.execute("SELECT to_regclass('engrain.migrations')").fetchone()
    if not found or found[0] is None:
        return 0
    newest = connection.execute("SELECT max(version) FROM engrain.migrations").fetchone()
    return int(str(newest[0])) if newest else 0


def check_version(version: int, address: Address) -> None:
    """Raise VaultUnavailableError if this version of Engrain can't write the schema version."""
    if version > NEWEST:
        raise _newer(version, address)
    if version < NEWEST:
        raise VaultUnavailableError(
            f"the database has schema version {version}, and this Engrain needs {NEWEST}",
            path=address.text,
            remedy=f"an admin runs `engrain admin migrate {address.server}`",
        )


def _newer(version: int, address: Address) -> VaultUnavailableError:
    return VaultUnavailableError(
        f"the database has schema version {version}, and this Engrain knows versions up to"
        f" {NEWEST}",
        path=address.text,
        remedy="install a newer Engrain",
    )


def _read(version: int, way: str) -> str:
    file = resources.files("engrain_team.postgres") / "sql" / f"{version:04}_{way}.sql"
    return file.read_text(encoding="utf-8")
