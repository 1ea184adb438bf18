"""Creates and changes the schema, namespaces and roles of a PostgreSQL database.

A namespace is one store in the database; a member is a role of its server that may use a namespace;
access is the rights of a member; origin is the most trusted origin of a member's changes."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass

import psycopg
from psycopg import sql

from engrain.model.errors import StorageError, UsageError
from engrain.model.note.note import encode
from engrain.model.note.tiers import ORIGINS
from engrain_team.postgres.address import parse_address
from engrain_team.postgres.connections import Connections, explain
from engrain_team.postgres.meter import Meter, Metric
from engrain_team.postgres.schema import NEWEST, migrate, read_steps

ACCESS = ("reader", "writer", "operator", "admin")
"""A reader reads; a writer saves; an operator's changes count as the operator's, and an operator
erases what others wrote; an admin gives access."""


@dataclass(frozen=True, slots=True)
class Member:
    """A role, its access to the namespace, and its best origin."""

    role: str
    access: str
    origin: str


@dataclass(frozen=True, slots=True)
class Erased:
    """A namespace, its vault's id, and the ids of the entries that were ever erased in it."""

    namespace: str
    vault: str
    ids: Sequence[str]


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


class Administration:
    """The schema, namespaces and roles of a database, with the rights of the role that connects.

    It connects when first needed. Methods raise UsageError, StorageError and VaultUnavailableError.
    """

    def __init__(self, location: str) -> None:
        """Name the database by an address, which may name a namespace. Raises UsageError."""
        self._address = parse_address(location, needs_namespace=False)
        self._connections = Connections(self._address)
        self._meter = Meter(self._connections, self._address)

    def script(self, target: int | None = None) -> list[str]:
        """Return the SQL that creates the schema of a version, by default the newest; for version 0
        the SQL that removes the newest."""
        return read_steps(NEWEST, 0) if target == 0 else read_steps(0, _choose(target))

    def migrate(self, target: int | None = None) -> tuple[int, int]:
        """Bring the database to a version of the schema, forward or backward, in one transaction,
        and return the versions before and after. Version 0 destroys every namespace."""
        return migrate(self._address, _choose(target))

    def create_namespace(self) -> str:
        """Create the namespace of the address unless it exists, and return its vault's id."""
        vault = encode(int.from_bytes(os.urandom(10), "big"), 16)
        [(made,)] = self._connections.run(
            "SELECT engrain.create_namespace(%s, %s)", (self._namespace(), vault)
        )
        return str(made)

    def set_access(self, role: str, access: str | None, origin: str | None = None) -> list[str]:
        """Give a role access to the namespace, or with None take it away, and return the statements
        that were run. A missing role is created without a password. The best origin is by default
        `operator` for operators and admins, and `agent` for others."""
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
        """Return who may use the namespace, as far as the caller may know."""
        rows = self._connections.run("SELECT * FROM engrain.list_members(%s)", (self._namespace(),))
        return [Member(*row) for row in rows]

    def erased(self) -> Sequence[Erased]:
        """Return what was erased in the namespace of the address, or in all that the caller may
        read."""
        found = self._connections.run(_NAMESPACES, (self._address.namespace,))
        return [
            Erased(
                namespace, vault, [id_ for (id_,) in self._connections.run(_ERASED, [namespace])]
            )
            for namespace, vault in found
        ]

    def measure(self) -> Sequence[Metric]:
        """Measure the server, without any text or name of a person: sizes, connections, lag, and
        the duration of a test transaction."""
        return self._meter.read()

    def close(self) -> None:
        """Release all resources."""
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
