"""What a contract of the index needs to be kept by PostgreSQL's."""

from __future__ import annotations

import os
from collections.abc import Iterator
from functools import cache
from itertools import count

import pytest

from contracts.search_index import Reopen
from engrain.backends.postgres import open_backend
from engrain.backends.postgres.admin import open_admin
from engrain.index.postgres.postgres_index import open_index
from engrain.seam.search import SearchIndex
from engrain.seam.storage import BackendRequest, Database, StorageBackend
from support.postgres import OWNER, shared_server


def open_store(address: str, device: str = "one") -> StorageBackend:
    request = BackendRequest(
        address, state=None, device=device, entropy=os.urandom, create=True, read_only=False
    )
    return open_backend(request)


_NUMBERS = count()


@cache
def indexed_database() -> str:
    """A database with tables for indexes, whose namespaces many tests share."""
    server = shared_server()
    server.run("postgres", "CREATE DATABASE indexed TEMPLATE template_engrain")
    admin = open_admin(server.address("indexed"))
    admin.set_index(True)
    admin.close()
    return "indexed"


@pytest.fixture
def address() -> str:
    """A new namespace in a database with tables for indexes."""
    return shared_server().address(indexed_database(), OWNER, f"notes{next(_NUMBERS)}")


@pytest.fixture
def database(address: str) -> Iterator[Database]:
    store = open_store(address)
    assert store.database is not None
    yield store.database
    store.close()


class OnPostgres:
    @pytest.fixture
    def reopen(self, database: Database) -> Iterator[Reopen]:
        """Opens one index as often as asked."""
        opened: list[SearchIndex] = []

        def reopen() -> SearchIndex:
            opened.append(open_index(database))
            return opened[-1]

        yield reopen
        for index in opened:
            index.close()
