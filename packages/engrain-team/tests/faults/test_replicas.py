"""A primary and its streaming replica in one address: after a promotion all that was acknowledged
is there."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from functools import cache
from pathlib import Path

import pytest

from contracts.backends import Opener
from contracts.storage_backend import LOCK, assert_sound, content, put
from engrain_team.postgres import store as postgres
from engrain_team.postgres.admin import Administration
from support.load import writing
from team.servers import OWNER, Server, start_server


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
    opener = Opener("engrain_team.postgres", address, str(tmp_path))
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


def test_of_several_hosts_the_one_that_takes_writes_is_used(
    pair: tuple[Server, Server], tmp_path: Path
) -> None:
    primary, replica = pair
    database = primary.make_database()
    catch_up(primary, replica)
    opener = Opener(
        "engrain_team.postgres",
        replica.address(database, OWNER, "notes", primary),  # the replica is named first
        str(tmp_path),
    )
    store = opener("laptop")
    replay(replica, "pause")
    put(store, LOCK, b"one")
    assert content(opener("desktop", create=False), LOCK) == b"one"
    assert_sound(store, "laptop", 1)
    opener.close()


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
    opener = Opener("engrain_team.postgres", address, str(tmp_path))
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
        admin = Administration(server.address(database))
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
