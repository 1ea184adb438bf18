"""PgBouncer in transaction mode between the devices and the server."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, closing
from pathlib import Path
from urllib.parse import quote

import pytest

from contracts.backends import Opener, open_device_local
from contracts.storage_backend import assert_sound, put
from engrain import Memory, open_memory
from engrain.adapters.mcp.jobs import following_changes
from engrain.model.errors import LockedError, StorageError
from engrain.seam.locator import Locator
from engrain.seam.storage import BackendRequest
from engrain_team.moving import move_store
from engrain_team.postgres import open_backend
from engrain_team.postgres import store as postgres
from team.servers import OWNER, Server, shared_server
from unit.adapters.mcp.served import wait_until


@pytest.fixture
def pooler() -> Iterator[Path]:
    """The folder of a pooler's socket, with two connections to the shared server."""
    program = shutil.which("pgbouncer") or shutil.which("pgbouncer", path="/usr/sbin")
    if program is None:
        pytest.skip("PgBouncer is not installed")
    server = shared_server()
    folder = Path(tempfile.mkdtemp(prefix="engrain-pooler-"))  # where the server's user may look
    server.give(folder)
    (folder / "users").write_text(f'"{OWNER}" ""\n')
    (folder / "ini").write_text(
        f"""
[databases]
* = host={server.folder}
[pgbouncer]
listen_addr =
listen_port = 5432
unix_socket_dir = {folder}
auth_type = trust
auth_file = {folder}/users
pool_mode = transaction
default_pool_size = 3
"""
    )
    with subprocess.Popen(
        [program, "-q", str(folder / "ini")],
        user=server.user,
        group=server.user,
        extra_groups=None if server.user is None else [],
        stderr=subprocess.DEVNULL,
    ) as process:
        try:
            wait_until((folder / ".s.PGSQL.5432").exists)
            yield folder
        finally:
            process.kill()
            shutil.rmtree(folder)


@pytest.fixture
def open_device(pooler: Path, tmp_path: Path) -> Iterator[Callable[[str], Memory]]:
    server: Server = shared_server()
    behind = server.own_address(OWNER).rpartition("/")[2]
    address = f"postgres://{OWNER}@{quote(str(pooler), safe='')}/{behind}"
    with ExitStack() as opened:
        yield lambda name: opened.enter_context(
            open_memory(address, state_dir=tmp_path / name, create=True)
        )


def test_a_device_saves_recalls_and_keeps_the_jobs_to_itself(
    open_device: Callable[[str], Memory],
) -> None:
    one, other = open_device("one"), open_device("other")
    saved = one.save("The sluice has two gates.", title="Sluice", kind="fix")
    assert [found.row.id for found in other.recall("sluice gates").results] == [saved.id]
    backend, others = one._open_store().backend, other._open_store().backend
    with backend.claim_jobs() as held:
        other.save("The lock is shut.", kind="fix")  # on the connections that are left
        with pytest.raises(LockedError), others.claim_jobs():
            pass
        assert held()
    with others.claim_jobs():
        pass


def test_a_change_is_taken_in_although_the_pooler_keeps_its_notice(
    open_device: Callable[[str], Memory], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(postgres, "_LOOK", 0.1)
    monkeypatch.setattr(postgres, "_TURN", 0.1)
    writer, reader = open_device("one"), open_device("other")
    reader.scan()
    index = reader._open_store().index
    with following_changes(lambda: open_device("other"), settling=0.01):
        for number in range(2):
            writer.save(f"The sluice has gate {number}.", kind="fix")
            wait_until(lambda: index.cursors() == writer.heads)


def test_a_vault_is_moved_and_written_to_and_erased_through_it(
    pooler: Path, tmp_path: Path
) -> None:
    behind = shared_server().own_address(OWNER).rpartition("/")[2]
    address = f"postgres://{OWNER}@{quote(str(pooler), safe='')}/{behind}"
    folder = open_device_local(tmp_path)("laptop")
    for number in range(20):
        put(folder, Locator(f"Memory/fix/n{number}.md"), f"note {number}".encode())
    folder.add_other(Locator("image.png"), b"\x89PNG")
    opener = Opener("engrain_team.postgres", address, str(tmp_path / "state"))
    request = BackendRequest(
        address, state=str(tmp_path), device="laptop", entropy=os.urandom, create=True,
        vault=folder.vault,
    )  # fmt: skip
    with closing(open_backend(request)) as target:
        move_store(folder, target, address)
    stores = [opener(f"d{number}", create=False) for number in range(6)]

    def write(number: int) -> None:  # twice as many writers as the pooler has connections
        for turn in range(10):
            put(stores[number], Locator(f"d{number}/{turn}.md"), b"text")

    with ThreadPoolExecutor(len(stores)) as pool:
        list(pool.map(write, range(len(stores))))
    assert len(list(stores[0].scan())) == 20 + 60
    for number, store in enumerate(stores):
        assert_sound(stores[0], store.device, 10)
        assert stores[0].erase([f"d{number}-3"]) == [f"d{number}-3"]
    assert len(list(stores[0].read_all(seen.locator for seen in stores[0].scan()))) == 80
    with stores[0].hand_over("a folder"):
        pass
    with pytest.raises(StorageError, match="has moved to a folder"):
        put(stores[1], Locator("late.md"), b"late")
    opener.close()
