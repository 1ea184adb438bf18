"""The port to a database that keeps stores: its schema, its namespaces, and who may use them.

Glossary
--------
schema      the tables of a database, in numbered versions; 0 stands for none.
namespace   one store in the database.
member      a role of the database's server that may use a namespace.
access      what a member may do; each item of `ACCESS` includes those before it.
origin      the most trusted origin that a member's changes can have (DESIGN section 6).
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
    """A role, what it may do in the namespace, and its best origin."""

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
    """A measured value as Prometheus has it: a `gauge`, `counter` or `histogram`, what it means,
    and its samples, each with what stands behind the name, its labels, and the value."""

    name: str
    kind: str
    meaning: str
    samples: Sequence[tuple[str, Mapping[str, str], float]]


class Administration(ABC):
    """Calls raise UsageError, StorageError and VaultUnavailableError."""

    @abstractmethod
    def script(self, target: int | None = None) -> list[str]:
        """The SQL that makes the schema of a version, the newest by default, from none; for version
        0 the SQL that takes the newest back."""

    @abstractmethod
    def migrate(self, target: int | None = None) -> tuple[int, int]:
        """Bring the database to a version of the schema, forward or backward, in one transaction;
        the versions before and after. Version 0 destroys every namespace."""

    @abstractmethod
    def set_index(self, present: bool) -> list[str]:
        """Make the tables for indexes in the database, or drop them with all that is in them, which
        can be built anew; the SQL that was run, nothing where nothing was to be done."""

    @abstractmethod
    def create_namespace(self) -> str:
        """Make the namespace that the address names; its vault's id. One that is there stays."""

    @abstractmethod
    def set_access(self, role: str, access: str | None, origin: str | None = None) -> list[str]:
        """Give a role access to the namespace, or with None take it away. A role that is not there
        is made, without a password; the statements that were run. The best origin is, if none is
        named, `operator` for operators and admins and `agent` for others."""

    @abstractmethod
    def members(self) -> Sequence[Member]:
        """Who may use the namespace, as far as the caller may know."""

    @abstractmethod
    def erased(self) -> Sequence[Erased]:
        """What was erased in the namespace at the address, or in all that the caller may read."""

    @abstractmethod
    def measure(self) -> Sequence[Metric]:
        """How the server fares, without any text or name of a person: sizes, connections, lag, and
        how long a transaction takes to be stored, which is tried."""

    @abstractmethod
    def close(self) -> None:
        """Give back what is held open."""
