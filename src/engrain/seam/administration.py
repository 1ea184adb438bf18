"""The port to a database that keeps stores: its schema, its namespaces, and access to them.

Glossary
--------
schema      the tables of a database, in numbered versions; 0 stands for none.
namespace   one store in the database.
member      a role of the database's server that may use a namespace.
access      the rights of a member; each item of `ACCESS` includes those before it.
origin      the most trusted origin of a member's changes (DESIGN section 6).
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

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


@dataclass(frozen=True, slots=True)
class Metric:
    """A metric of Prometheus: its kind (`gauge`, `counter` or `histogram`), its meaning, and its
    samples, each with a suffix of the name, labels, and the value."""

    name: str
    kind: str
    meaning: str
    samples: Sequence[tuple[str, Mapping[str, str], float]]


class Administration(ABC):
    """Calls raise UsageError, StorageError and VaultUnavailableError."""

    @abstractmethod
    def script(self, target: int | None = None) -> list[str]:
        """Return the SQL that creates the schema of a version, by default the newest; for version 0
        the SQL that removes the newest."""

    @abstractmethod
    def migrate(self, target: int | None = None) -> tuple[int, int]:
        """Bring the database to a version of the schema, forward or backward, in one transaction,
        and return the versions before and after. Version 0 destroys every namespace."""

    @abstractmethod
    def create_namespace(self) -> str:
        """Create the namespace of the address unless it exists, and return its vault's id."""

    @abstractmethod
    def set_access(self, role: str, access: str | None, origin: str | None = None) -> list[str]:
        """Give a role access to the namespace, or with None take it away, and return the statements
        that were run. A missing role is created without a password. The best origin is by default
        `operator` for operators and admins, and `agent` for others."""

    @abstractmethod
    def members(self) -> Sequence[Member]:
        """Return who may use the namespace, as far as the caller may know."""

    @abstractmethod
    def erased(self) -> Sequence[Erased]:
        """Return what was erased in the namespace of the address, or in all that the caller may
        read."""

    @abstractmethod
    def measure(self) -> Sequence[Metric]:
        """Measure the server, without any text or name of a person: sizes, connections, lag, and
        the duration of a test transaction."""

    @abstractmethod
    def close(self) -> None:
        """Release all resources."""
