"""A primary and its streaming replica: a device reads from the replica what it wrote, whatever the
replica has replayed, and after a promotion all that was acknowledged is there."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from functools import cache
from pathlib import Path

import pytest

from contracts.backends import Opener
from contracts.storage_backend import LOCK, RULE, assert_sound, content, put
from engrain.backends.postgres import replicas
from engrain.backends.postgres import store as postgres
from engrain.backends.postgres.admin import open_admin
from engrain.model.errors import StorageError, VaultUnavailableError
from engrain.model.note.note import hash_bytes
from engrain.seam.storage import StorageBackend
from support.load import writing
from support.postgres import OWNER, Server, start_server


@cache
def own_pair() -> tuple[Server, Server]:
    primary = start_server(fsync="off")
    primary.make_template()
    return primary, start_server(primary, fsync="off", hot_standby_feedback="on")


@pytest.fixture
def pair() -> Iterator[tuple[Server, Server]]:
    primary, replica = own_pair()
    yield primary, replica
    for server in (primary, replica):
        with suppress(RuntimeError):
            server.start()
    replay(replica, "resume")


@pytest.fixture
def opener(pair: tuple[Server, Server], tmp_path: Path) -> Iterator[Opener]:
    primary, replica = pair
    database = primary.make_database()
    catch_up(primary, replica)
    address = primary.address(database, OWNER, "notes", replica)
    opener = Opener("engrain.backends.postgres", address, str(tmp_path))
    yield opener
    opener.close()


def replay(replica: Server, what: str) -> None:
    """Have a replica replay what it gets (`resume`), or keep it for later (`pause`)."""
    with replica.connect("postgres") as connection:
        connection.execute(b"SELECT pg_wal_replay_" + what.encode() + b"()")
        while what == "pause":
            state = connection.execute("SELECT pg_get_wal_replay_pause_state()").fetchone()
            if state == ("paused",):
                return


def catch_up(primary: Server, replica: Server) -> None:
    with primary.connect("postgres") as connection:
        position = connection.execute("SELECT pg_current_wal_lsn()").fetchone()
    with replica.connect("postgres") as connection:
        while connection.execute("SELECT pg_last_wal_replay_lsn() >= %s", position).fetchone() != (
            True,
        ):
            pass


def reads_of(server: Server, store: StorageBackend) -> int:
    """How many connections the store's readers have to a server."""
    database = store.describe().rpartition("/")[2].partition("?")[0]
    with server.connect("postgres") as connection:
        counted = connection.execute(
            "SELECT count(*) FROM pg_stat_activity WHERE datname = %s", (database,)
        ).fetchone()
    assert counted
    return int(counted[0])


def test_reads_are_the_replicas_and_writes_the_primarys(
    pair: tuple[Server, Server], opener: Opener
) -> None:
    primary, replica = pair
    opener("laptop").close()
    catch_up(primary, replica)
    store = opener("laptop", create=False)
    assert store.heads() == {}
    assert (reads_of(primary, store), reads_of(replica, store)) == (0, 1)
    put(store, LOCK, b"lock")
    assert reads_of(primary, store) == 1
    catch_up(primary, replica)
    assert content(store, LOCK) == b"lock"


def test_a_device_reads_what_it_wrote_from_a_replica_that_is_behind(
    pair: tuple[Server, Server], opener: Opener
) -> None:
    primary, replica = pair
    store, other = opener("laptop"), opener("desktop")
    put(store, LOCK, b"one")
    catch_up(primary, replica)
    assert content(other, LOCK) == b"one"
    replay(replica, "pause")
    put(store, LOCK, b"two", hash_bytes(b"one"))
    assert content(store, LOCK) == b"two"
    assert store.heads()["laptop"].startswith("2:")
    again = opener("laptop", create=False)  # as another process of the device does
    assert again.heads()["laptop"].startswith("2:")
    assert content(again, LOCK) == b"two"
    assert_sound(again, "laptop", 2)
    # Another device may see it later, and then whole.
    assert content(other, LOCK) == b"one"
    assert other.heads()["laptop"].startswith("1:")
    # What was erased is not read from a replica that still has it.
    assert store.erase(["laptop-1"]) == ["laptop-1"]
    assert b"one" not in store.find_change("laptop", 1).payload
    replay(replica, "resume")
    catch_up(primary, replica)
    assert content(other, LOCK) == b"two"
    assert other.heads() == store.heads()


def test_a_device_never_sees_the_store_go_back(pair: tuple[Server, Server], opener: Opener) -> None:
    primary, replica = pair
    store, other = opener("laptop"), opener("desktop")
    put(store, LOCK, b"one")
    catch_up(primary, replica)
    late = "ALTER SYSTEM {} recovery_min_apply_delay"
    replica.run("postgres", late.format("SET") + " = '1h'", "SELECT pg_reload_conf()")
    try:
        replica.stop()
        put(store, LOCK, b"two", hash_bytes(b"one"))
        assert other.heads()["laptop"].startswith("2:")  # from the primary, the only one there is
        assert len(list(other.chain("laptop"))) == 2
        other.close()
        replica.start()
        assert opener("desktop", create=False).heads()["laptop"].startswith("2:")
    finally:
        replica.run("postgres", late.format("RESET"), "SELECT pg_reload_conf()")


def test_without_a_primary_a_replica_is_read_as_far_as_it_has_what_was_seen(
    pair: tuple[Server, Server], opener: Opener, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(postgres, "_RESTART_SECONDS", 0.0)
    primary, replica = pair
    store = opener("laptop")
    put(store, LOCK, b"one")
    catch_up(primary, replica)
    assert content(store, LOCK) == b"one"
    replay(replica, "pause")
    other = opener("desktop")
    put(other, LOCK, b"two", hash_bytes(b"one"))
    primary.stop("immediate")
    assert content(store, LOCK) == b"one"
    assert content(opener("laptop", create=False), LOCK) == b"one"
    with pytest.raises(VaultUnavailableError):
        other.read(LOCK)
    with pytest.raises(StorageError):
        put(store, RULE, b"rule")


def test_a_write_whose_position_was_not_told_is_read_from_the_primary(
    pair: tuple[Server, Server], opener: Opener, monkeypatch: pytest.MonkeyPatch
) -> None:
    primary, replica = pair
    store = opener("laptop")
    catch_up(primary, replica)
    replay(replica, "pause")
    with monkeypatch.context() as patched:
        patched.setattr(replicas, "_WRITTEN", "SELECT 1 FROM nowhere")
        put(store, LOCK, b"one")
    again = opener("laptop", create=False)
    for one in (again, store):
        assert one.heads()["laptop"].startswith("1:")
        assert content(one, LOCK) == b"one"


def test_after_a_promotion_under_load_all_that_was_acknowledged_is_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(postgres, "_RESTART_SECONDS", 60.0)
    primary = start_server(synchronous_standby_names="*")
    with primary.connect("postgres") as connection:
        connection.execute("ALTER SYSTEM SET synchronous_commit = 'local'")  # till it is there
        connection.execute("SELECT pg_reload_conf()")
    primary.make_template()
    replica = start_server(primary)
    with primary.connect("postgres") as connection:
        connection.execute("ALTER SYSTEM RESET synchronous_commit")
        connection.execute("SELECT pg_reload_conf()")
    address = primary.address(primary.make_database(), OWNER, "notes", replica)
    opener = Opener("engrain.backends.postgres", address, str(tmp_path))
    with writing([opener(f"d{number}") for number in range(4)]) as load:
        load.wait_for(40)
        primary.kill()
        replica.run("postgres", "ALTER SYSTEM SET synchronous_standby_names = ''")
        replica.promote()
        load.wait_for(20)
    load.check(opener("reader", create=False))
    opener.close()


def test_the_figures_show_how_far_a_replica_is_behind(
    pair: tuple[Server, Server], opener: Opener
) -> None:
    primary, replica = pair
    store = opener("laptop")
    database = store.describe().rpartition("/")[2].partition("?")[0]
    catch_up(primary, replica)
    replay(replica, "pause")
    put(store, LOCK, b"one")
    with primary.connect("postgres") as connection:  # until the replica has told of itself
        while not connection.execute(
            "SELECT FROM pg_stat_replication WHERE replay_lsn < flush_lsn"
        ).fetchall():
            pass

    def figures(server: Server) -> dict[str, float]:
        admin = open_admin(server.address(database))
        try:
            return {
                metric.name.removeprefix("engrain_"): metric.samples[0][2]
                for metric in admin.measure()
                if metric.samples
            }
        finally:
            admin.close()

    behind = figures(primary)
    assert (behind["is_replica"], behind["changes_total"]) == (0, 1)
    assert behind["replica_lag_bytes"] > 0
    assert behind["commit_seconds"] in (0, 1)
    shown = figures(replica)
    assert shown["is_replica"] == 1
    assert "changes_total" not in shown  # it has replayed none yet
    assert shown["replay_lag_seconds"] > 0
    assert "commit_seconds" not in shown
