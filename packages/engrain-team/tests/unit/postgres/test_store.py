"""A namespace of a PostgreSQL database."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

from contracts.backends import Opener
from contracts.storage_backend import StorageBackendContract
from engrain.model.errors import NotFoundError
from engrain.model.history.line import open_line
from engrain.resolution.device import Keys
from engrain.seam.changes import ChangeSet, Write
from engrain.seam.locator import Locator
from engrain_team.postgres.store import PostgresBackend
from team.servers import open_postgres


class TestPostgres(StorageBackendContract):
    @pytest.fixture
    def open_store(self, tmp_path: Path) -> Opener:
        return open_postgres(tmp_path)


def test_a_record_bears_no_code_since_the_server_knows_who_writes(tmp_path: Path) -> None:
    opener = open_postgres(tmp_path)
    keys = Keys(str(tmp_path / "keys"), os.urandom)
    store = opener("laptop", attestor=keys)
    store.commit(ChangeSet("save", [Write(Locator("a.md"), b"a", "a")], at=1.0))
    [link] = store.chain("laptop")
    assert open_line(link.line)[1] == ""
    assert keys.secret(store.vault) is None
    opener.close()


def test_what_will_probably_be_read_is_read_by_one_statement(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    opener = open_postgres(tmp_path)
    store = opener("d1")
    assert isinstance(store, PostgresBackend)
    places = [Locator(f"notes/{n:02}.md") for n in range(30)]
    store.commit(ChangeSet("save", [Write(at, str(at).encode(), str(at)) for at in places], at=1.0))
    ran: list[str] = []
    run = store._connections.run

    def note(query: str, *given: Any) -> Any:
        ran.append(query)
        return run(query, *given)

    monkeypatch.setattr(store._connections, "run", note)
    missing = Locator("notes/none.md")
    with store.reading([*places[:5], missing, *places[5:]]) as read:
        for at in places[:8]:
            assert read(at).raw == str(at).encode()
        with pytest.raises(NotFoundError):
            read(missing)
        assert len(ran) == 1
        assert read(places[29]).raw == str(places[29]).encode()
        assert read(places[1]).raw == str(places[1]).encode()
    assert len(ran) == 3
    opener.close()
