"""A PostgreSQL that goes away, comes back, or refuses: acknowledged means stored, and what was not
acknowledged is absent or complete."""

from __future__ import annotations

import os
import socket
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from functools import cache
from pathlib import Path
from urllib.parse import quote

import pytest

from contracts.backends import Opener
from contracts.storage_backend import LOCK, RULE, assert_sound, change, content, put
from engrain.model.errors import (
    ConflictError,
    EngrainError,
    LockedError,
    StorageError,
    VaultUnavailableError,
)
from engrain.model.note.note import MAX_NOTE_BYTES, hash_bytes
from engrain.seam.changes import Write
from engrain.seam.locator import Locator
from engrain.seam.storage import StorageBackend
from engrain_team.postgres import address as addresses
from engrain_team.postgres import connections
from engrain_team.postgres import store as postgres
from team.servers import OWNER, Server, start_server


@cache
def own_server() -> Server:
    server = start_server()
    server.make_template()
    return server


@pytest.fixture
def server() -> Iterator[Server]:
    server = own_server()
    yield server
    with suppress(RuntimeError):
        server.start()  # whatever the test did to it


@pytest.fixture
def opener(server: Server, tmp_path: Path) -> Iterator[Opener]:
    address = server.address(server.make_database(), OWNER, "notes")
    opener = Opener("engrain_team.postgres", address, str(tmp_path))
    yield opener
    opener.close()


def test_a_server_that_waits_for_its_disk_is_durable(opener: Opener) -> None:
    assert opener("laptop").capabilities.durable


def test_a_server_that_is_gone_is_reported_in_one_line(server: Server, opener: Opener) -> None:
    store = opener("laptop")
    put(store, LOCK, b"lock")
    server.stop("fast")
    for call in (
        lambda: store.read(LOCK),
        lambda: put(store, RULE, b"rule"),
        lambda: opener("laptop", create=False),
    ):
        with pytest.raises(EngrainError) as caught:
            call()
        assert "\n" not in caught.value.message
        assert caught.value.remedy
    assert store.probe()
    server.start()
    assert content(store, LOCK) == b"lock"
    put(store, RULE, b"rule")
    assert_sound(store, "laptop", 2)


def test_a_server_that_was_restarted_between_two_changes_is_not_noticed(
    server: Server, opener: Opener
) -> None:
    store = opener("laptop")
    put(store, LOCK, b"lock")
    server.stop()
    server.start()
    put(store, RULE, b"rule")
    assert_sound(store, "laptop", 2)


@pytest.mark.parametrize("back", [True, False])
def test_a_server_that_crashes_while_a_change_is_under_way(
    server: Server, opener: Opener, monkeypatch: pytest.MonkeyPatch, back: bool
) -> None:
    monkeypatch.setattr(postgres, "_RESTART_SECONDS", 60.0 if back else 0.5)
    store = opener("laptop")
    put(store, LOCK, b"lock")
    database = opener.location.rpartition("/")[2].partition("?")[0]
    with server.connect(database) as holder, holder.transaction():
        holder.execute("SELECT * FROM engrain.heads FOR UPDATE")
        with ThreadPoolExecutor(1) as pool:
            made = pool.submit(put, store, RULE, b"rule")
            _wait_for_lock(server, database)
            server.stop()
            if back:
                server.start()
                assert made.result(90).n == 2
            else:
                with pytest.raises(StorageError, match="whole or not at all"):
                    made.result(30)
                server.start()
        with suppress(Exception):
            holder.close()
    assert content(store, RULE) == (b"rule" if back else None)
    assert_sound(store, "laptop", 1 + back)


def _wait_for_lock(server: Server, database: str) -> None:
    waiting = "SELECT FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = %s"
    with server.connect("postgres") as connection:
        for _ in range(200):
            if connection.execute(waiting, (database,)).fetchall():
                return
            time.sleep(0.05)
    raise AssertionError("nobody waits")


class Cutter:
    """Stands between a client and the server. It cuts one connection in the middle of a change:
    before the server has the change, or when it is done and before its answer (`crash before` and
    `crash after`: the server crashes there, and is started again). It may delay each answer."""

    def __init__(self, server: Server, folder: Path) -> None:
        self.folder = folder
        self.cut = ""
        self.delay = 0.0
        self._server = server
        self._listener = socket.socket(socket.AF_UNIX)
        self._listener.bind(str(folder / ".s.PGSQL.5432"))
        self._listener.listen()
        self._sockets: list[socket.socket] = []
        self._clients: list[socket.socket] = []
        self._threads: list[threading.Thread] = []
        self._start(self._accept)

    def _start(self, what: Callable[..., None], *values: socket.socket) -> None:
        self._threads.append(threading.Thread(target=what, args=values, daemon=True))
        self._threads[-1].start()

    def close(self) -> None:
        for one in [self._listener, *self._sockets]:
            with suppress(OSError):
                one.shutdown(socket.SHUT_RDWR)
        for thread in self._threads:
            thread.join(10)
        for one in [self._listener, *self._sockets]:
            one.close()

    def _accept(self) -> None:
        with suppress(OSError):
            while True:
                client = self._listener.accept()[0]
                upstream = socket.socket(socket.AF_UNIX)
                upstream.connect(str(self._server.folder / ".s.PGSQL.5432"))
                self._sockets += [client, upstream]
                self._clients.append(client)
                self._start(self._carry, client, upstream)
                self._start(self._carry, upstream, client)

    def _carry(self, source: socket.socket, target: socket.socket) -> None:
        deaf = False
        with suppress(OSError):
            while data := source.recv(65536):
                if _is_change(data) and self.cut == "crash after":
                    self.cut = "crash"  # when the answer comes
                elif self.cut == "crash" or (_is_change(data) and self.cut == "crash before"):
                    self.cut = ""
                    self._server.stop()
                    self._server.start()
                    break
                elif _is_change(data) and self.cut:
                    cut, self.cut = self.cut, ""
                    if cut == "after":
                        target.sendall(data)
                        deaf = True
                        time.sleep(0.5)  # the server is done, and its answer is lost
                    source.shutdown(socket.SHUT_RDWR)
                    break
                if target in self._clients:
                    time.sleep(self.delay)
                target.sendall(data)
        if not deaf:
            for one in (source, target):
                with suppress(OSError):
                    one.shutdown(socket.SHUT_RDWR)


def _is_change(data: bytes) -> bool:
    return b"engrain.commit(" in data


@pytest.fixture
def between(
    server: Server, opener: Opener, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[tuple[Cutter, StorageBackend]]:
    """What stands between a store and its server, and that store."""
    opener("desktop")
    folder = Path(tmp_path_factory.mktemp("s"))
    cutter = Cutter(server, folder)
    database = opener.location.rpartition("/")[2]
    address = f"postgres://{OWNER}@{quote(str(folder), safe='')}/{database}"
    store = Opener("engrain_team.postgres", address, opener.state)("laptop", create=False)
    yield cutter, store
    store.close()
    cutter.close()


@pytest.mark.parametrize("cut", ["before", "after", "crash before", "crash after"])
def test_a_connection_that_breaks_in_a_change_stores_it_once(
    between: tuple[Cutter, StorageBackend], monkeypatch: pytest.MonkeyPatch, cut: str
) -> None:
    monkeypatch.setattr(postgres, "_RESTART_SECONDS", 60.0)
    cutter, store = between
    put(store, LOCK, b"one")
    cutter.cut = cut
    made = put(store, LOCK, b"two", hash_bytes(b"one"))
    assert not cutter.cut, "it was cut"
    assert made.n == 2
    assert put(store, LOCK, b"three", hash_bytes(b"two")).n == 3
    assert_sound(store, "laptop", 3)


def test_a_slow_server_is_waited_for_within_a_limit(
    between: tuple[Cutter, StorageBackend], monkeypatch: pytest.MonkeyPatch
) -> None:
    cutter, store = between
    cutter.delay = 0.1
    put(store, LOCK, b"one")
    assert content(store, LOCK) == b"one"
    monkeypatch.setattr(connections, "SILENCE_SECONDS", 0.3)
    cutter.delay = 2.5
    with pytest.raises(VaultUnavailableError, match="said nothing for"):
        store.read(LOCK)
    cutter.delay = 0.0
    monkeypatch.undo()
    assert content(store, LOCK) == b"one"


def test_a_server_that_hangs_is_given_up(
    server: Server, opener: Opener, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = opener("laptop")
    put(store, LOCK, b"lock")
    monkeypatch.setattr(connections, "SILENCE_SECONDS", 0.5)
    monkeypatch.setattr(postgres, "_RESTART_SECONDS", 0.0)
    monkeypatch.setattr(addresses, "_CONNECT_SECONDS", 2)
    with server.stopped():
        with pytest.raises(StorageError, match="stored whole or not at all") as caught:
            put(store, RULE, b"rule")
        assert "said nothing" in caught.value.message
        for call in (lambda: store.read(LOCK), lambda: opener("laptop", create=False)):
            with pytest.raises(VaultUnavailableError) as lost:
                call()
            assert "\n" not in lost.value.message
            assert lost.value.remedy
        assert "can't be reached" in (store.probe() or "")
    monkeypatch.undo()
    late = opener("laptop", create=False)
    assert content(late, RULE) in (None, b"rule")
    assert_sound(late, "laptop", 1 if content(late, RULE) is None else 2)


def test_a_server_without_room_on_its_disk_refuses_and_keeps_what_it_has(
    server: Server, opener: Opener
) -> None:
    store = opener("laptop")
    put(store, LOCK, b"lock")
    server.stop("fast")
    server.start(largest=1 << 24)  # the size of a file of the write-ahead log
    kept = {}
    with pytest.raises(StorageError, match="could not extend file") as caught:
        for number in range(40):
            place, raw = Locator(f"n{number}.md"), os.urandom(MAX_NOTE_BYTES)
            put(store, place, raw)
            kept[place] = hash_bytes(raw)
    assert "\n" not in caught.value.message
    assert len(kept) > 10
    assert {seen.locator: seen.stamp for seen in store.scan()} == {
        **kept,
        LOCK: hash_bytes(b"lock"),
    }
    server.stop("fast")
    server.start()
    put(store, RULE, os.urandom(MAX_NOTE_BYTES))
    assert_sound(store, "laptop", len(kept) + 2)


def test_a_server_that_takes_no_writes_is_reported_in_one_line(
    server: Server, opener: Opener
) -> None:
    store = opener("laptop")
    put(store, LOCK, b"lock")
    database = opener.location.rpartition("/")[2].partition("?")[0]
    server.run("postgres", f"ALTER DATABASE {database} SET default_transaction_read_only = on")
    late = opener("laptop", create=False)
    assert content(late, LOCK) == b"lock"
    assert "takes no writes" in (late.probe() or "")
    with pytest.raises(StorageError, match="takes no writes now"):
        put(late, RULE, b"rule")
    with pytest.raises(StorageError, match="takes no writes now"):
        late.erase(["laptop-1"])
    assert_sound(store, "laptop", 1)


def test_a_server_without_a_free_connection_is_reported_in_one_line(
    server: Server, opener: Opener
) -> None:
    store = opener("laptop")
    server.run("postgres", f"ALTER ROLE {OWNER} CONNECTION LIMIT 1")
    try:
        with pytest.raises(VaultUnavailableError, match="too many connections") as caught:
            opener("desktop", create=False)
        assert "\n" not in caught.value.message
        put(store, LOCK, b"lock")
    finally:
        server.run("postgres", f"ALTER ROLE {OWNER} CONNECTION LIMIT -1")


def test_who_waits_too_long_for_another_writer_is_told(server: Server, opener: Opener) -> None:
    store = opener("laptop")
    put(store, LOCK, b"lock")
    database = opener.location.rpartition("/")[2].partition("?")[0]
    with server.connect(database) as holder, holder.transaction():
        holder.execute("SELECT * FROM engrain.files FOR UPDATE")
        with pytest.raises(LockedError):
            put(store, LOCK, b"two", hash_bytes(b"lock"))
    assert put(store, LOCK, b"two", hash_bytes(b"lock")).n == 2


def test_what_was_acknowledged_survives_crashes_of_the_server(
    server: Server, opener: Opener
) -> None:
    opener("d0")
    stop = threading.Event()
    acknowledged: list[Locator] = []
    failed: list[Locator] = []

    def write(device: str) -> None:
        store = opener(device, create=False)
        n = 0
        while not stop.is_set():
            n += 1
            pair = [Locator(f"{device}/{n}a.md"), Locator(f"{device}/{n}b.md")]
            try:
                _put_both(store, pair)
                acknowledged.extend(pair)
            except ConflictError:
                raise
            except EngrainError:
                failed.extend(pair)
                time.sleep(0.05)

    with ThreadPoolExecutor(4) as pool:
        writers = [pool.submit(write, f"d{number % 2}") for number in range(1)]
        writers += [pool.submit(write, f"e{number}") for number in range(3)]
        try:
            for _ in range(2):
                time.sleep(0.6)
                server.stop()
                time.sleep(0.1)
                server.start()
            time.sleep(0.5)
        finally:
            stop.set()
        for writer in writers:
            writer.result(60)
    store = opener("reader", create=False)
    there = {seen.locator for seen in store.scan()}
    assert len(acknowledged) > 10
    assert set(acknowledged) <= there
    for one, other in zip(failed[::2], failed[1::2], strict=True):
        assert (one in there) == (other in there)
    counted = 0
    for device, cursor in store.heads().items():
        counted += len(assert_sound(store, device, int(cursor.partition(":")[0])))
    assert counted * 2 == len(there)


def test_writers_of_the_same_files_in_opposite_order_never_wait_for_each_other(
    server: Server, opener: Opener
) -> None:
    one, two = Locator("one.md"), Locator("two.md")
    first = opener("d0")
    _put_both(first, [one, two])
    stores = [opener(f"d{number}", create=False) for number in range(8)]
    counts = {"stored": 0, "new": 0}
    mutex = threading.Lock()

    def write(number: int) -> None:
        store = stores[number]
        pair = [one, two] if number % 2 else [two, one]
        for turn in range(10):
            while True:  # both exist: each is compared and replaced
                try:
                    writes = [_count_up(store, place) for place in pair]
                    store.commit(change(*writes))
                    break
                except ConflictError:
                    continue
            fresh = [Locator(f"{turn}-{place}") for place in pair]
            try:  # neither exists: they are inserted at the same moment
                _put_both(store, fresh)
                new = 1
            except ConflictError:
                new = 0
            with mutex:
                counts["stored"] += 1
                counts["new"] += new

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(write, range(8)))
    assert counts == {"stored": 80, "new": 10}
    assert content(first, one) == content(first, two) == b"80"
    made = sum(
        len(assert_sound(first, device, int(cursor.partition(":")[0])))
        for device, cursor in first.heads().items()
    )
    assert made == 1 + 80 + 10


def _count_up(store: StorageBackend, place: Locator) -> Write:
    stored = store.read(place)
    count = int(stored.raw) if stored.raw.isdigit() else 0
    return Write(place, str(count + 1).encode(), place, stored.hash)


def _put_both(store: StorageBackend, pair: list[Locator]) -> None:
    store.commit(change(*(Write(place, b"text of " + place.encode(), place) for place in pair)))
