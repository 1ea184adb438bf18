"""Makes and changes the schema, namespaces and roles of a PostgreSQL database."""

from __future__ import annotations

import os
from collections.abc import Sequence

import psycopg
from psycopg import sql

from engrain.backends.postgres.address import parse_address
from engrain.backends.postgres.connections import Connections, explain
from engrain.backends.postgres.meter import Meter
from engrain.backends.postgres.schema import NEWEST, migrate, read_steps, set_index
from engrain.model.errors import StorageError, UsageError
from engrain.model.note.ids import encode
from engrain.model.note.tiers import ORIGINS
from engrain.seam.administration import ACCESS, Administration, Erased, Member, Metric

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
    """What is at an address, which may name a namespace. Connects when it is first needed. Raises
    UsageError."""
    return PostgresAdministration(location)


class PostgresAdministration(Administration):
    """As the role that connects."""

    def __init__(self, location: str) -> None:
        self._address = parse_address(location, needs_namespace=False)
        self._connections = Connections(self._address)
        self._meter = Meter(self._connections, self._address)

    def script(self, target: int | None = None) -> list[str]:
        return read_steps(NEWEST, 0) if target == 0 else read_steps(0, _choose(target))

    def migrate(self, target: int | None = None) -> tuple[int, int]:
        return migrate(self._address, _choose(target))

    def set_index(self, present: bool) -> list[str]:
        return set_index(self._address, present)

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
    """Raises UsageError for what PostgreSQL would cut short or can't hold, for names that look like
    others, and for roles of Engrain and of the server itself."""
    fits = role.isprintable() and 0 < len(role.encode()) <= _LONGEST
    if not fits or role in _OWN or role.startswith("pg_"):
        raise UsageError(
            f"{role[:80]!a} can't be a member's role",
            remedy=f"a role's name has 1 to {_LONGEST} bytes, no invisible characters, and is not "
            + " or ".join((*_OWN, "one that begins with pg_")),
        )
