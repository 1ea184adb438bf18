"""Who may read and write a namespace, and as whom: what the server itself makes sure of."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psycopg
import pytest

from contracts.backends import Opener
from contracts.storage_backend import AT, LOCK, RULE, change, content, put
from engrain.model.errors import EngrainError, LockedError, StorageError, VaultUnavailableError
from engrain.model.history.record import Record, encode_record
from engrain.model.note.note import hash_bytes
from engrain.seam.changes import ChangeSet, Write
from engrain.seam.storage import BackendRequest, StorageBackend
from engrain_team.postgres.address import parse_address
from engrain_team.postgres.schema import NEWEST, migrate
from team.servers import OWNER, Server, shared_server

NAMES = ["ann", "bot", "page", "eve", "guest", 'x"; DROP SCHEMA engrain CASCADE; --']


@dataclass
class Team:
    """A database with the namespaces `team` and `other`: `ann` is an operator of the first, `bot` a
    writer, `page` a writer of external origin, `guest` a reader; `eve` writes in the second."""

    server: Server
    database: str
    state: Path

    def open(self, role: str, namespace: str = "team", *, create: bool = False) -> StorageBackend:
        address = self.server.address(self.database, role, namespace)
        opener = Opener("engrain_team.postgres", address, str(self.state))
        store = opener(f"{role[:4]}pc", create=create)
        self.opened.append(store)
        return store

    def __post_init__(self) -> None:
        self.opened: list[StorageBackend] = []

    def refused(self, role: str, sql: str, *values: object) -> str:
        """What the server says to a role's own SQL."""
        with (
            self.server.connect(self.database, role) as connection,
            pytest.raises(psycopg.Error) as caught,
        ):
            connection.execute(sql.encode(), values)
        return str(caught.value)

    def seen(self, role: str, sql: str) -> list[tuple[object, ...]]:
        with self.server.connect(self.database, role) as connection:
            return connection.execute(sql.encode()).fetchall()


@pytest.fixture
def team(tmp_path: Path) -> Iterator[Team]:
    server = shared_server()
    team = Team(server, server.make_database(), tmp_path)
    with server.connect("postgres") as connection:
        for name in [*NAMES, "owner2"]:
            quoted = '"' + name.replace('"', '""') + '"'
            known = connection.execute("SELECT FROM pg_roles WHERE rolname = %s", (name,))
            if not known.fetchall():
                connection.execute(f"CREATE ROLE {quoted} LOGIN IN ROLE engrain_member".encode())
    team.open(OWNER, "team", create=True)
    team.open(OWNER, "other", create=True)
    with server.connect(team.database, OWNER) as connection:
        for namespace, member, access, origin in (
            ("team", "ann", "operator", "operator"),
            ("team", "bot", "writer", "agent"),
            ("team", "page", "writer", "external"),
            ("team", "guest", "reader", "external"),
            ("team", NAMES[-1], "writer", "agent"),
            ("other", "eve", "writer", "agent"),
        ):
            connection.execute(
                "SELECT engrain.set_access(%s, %s, %s, %s)", (namespace, member, access, origin)
            )
    yield team
    for store in team.opened:
        store.close()


# Origin


@pytest.mark.parametrize(
    ("role", "claimed", "origin"),
    [
        ("ann", "operator", "operator"),
        ("ann", "agent", "agent"),
        ("bot", "operator", "agent"),
        ("bot", "agent", "agent"),
        ("bot", "tool", "tool"),
        ("page", "operator", "external"),
        ("page", "tool", "external"),
    ],
)
def test_a_record_says_no_better_origin_than_the_role_has(
    team: Team, role: str, claimed: str, origin: str
) -> None:
    store = team.open(role)
    record = store.commit(change(Write(LOCK, b"text", "e1"), trust=claimed))
    assert record.trust == origin
    [link] = store.chain(store.device)
    assert link.vouched
    assert f'"trust":"{origin}"'.encode() in link.line


def forge(device: str, trust: str, raw: bytes) -> tuple[Any, ...]:
    """The values of a call of `engrain.commit` that claims an origin."""
    record = ChangeSet("save", [Write(LOCK, raw, "e1")], at=AT, trust=trust).to_record(device, 1)
    line, payload = encode_record(record, "0" * 64, "salt")
    return "team", device, 1, bytes(32), line, payload, [raw]


COMMIT = "SELECT engrain.commit(%s, %s, %s, %b, %b, %b, %b::bytea[])"


def test_the_server_refuses_an_origin_that_the_role_has_not(team: Team) -> None:
    assert "may not write as operator" in team.refused(
        "bot", COMMIT, *forge("bot1", "operator", b"planted")
    )
    assert "may not write as agent" in team.refused(
        "page", COMMIT, *forge("page1", "agent", b"planted")
    )
    assert "may not write as system" in team.refused(
        "bot", COMMIT, *forge("bot1", "system", b"planted")
    )
    assert content(team.open("ann"), LOCK) is None


def test_the_server_stores_no_bytes_but_those_of_the_record(team: Team) -> None:
    *honest, _ = forge("bot1", "agent", b"honest")
    for planted in ([b"planted"], [None], []):
        assert "not that of the change" in team.refused("bot", COMMIT, *honest, planted)
    namespace, device, n, prev, line, payload, raws = forge("bot1", "agent", b"honest")
    for wrong in (
        (namespace, "ann1", n, prev, line, payload, raws),
        (namespace, device, 2, prev, line, payload, raws),
        (namespace, device, n, bytes(31) + b"\1", line, payload, raws),
        (namespace, device, n, prev, line, payload + b" ", raws),
    ):
        assert "not that of the change" in team.refused("bot", COMMIT, *wrong)
    assert content(team.open("ann"), LOCK) is None
    assert team.open("ann").heads() == {}


def test_the_role_that_wrote_a_record_is_the_one_that_authenticated(team: Team) -> None:
    put(team.open("bot"), LOCK, b"lock")
    assert team.seen("ann", "SELECT member FROM engrain.links") == [("bot",)]


# Access


@pytest.mark.parametrize(
    "sql",
    [
        "INSERT INTO engrain.files VALUES ('team', 'x.md', '', '')",
        "UPDATE engrain.files SET raw = ''",
        "DELETE FROM engrain.files",
        "DELETE FROM engrain.links",
        "UPDATE engrain.links SET payload = '{}'",
        "UPDATE engrain.heads SET n = 9",
        "TRUNCATE engrain.links",
        "INSERT INTO engrain.members VALUES ('other', 'bot', 'admin', 'operator')",
        "UPDATE engrain.members SET access = 'admin'",
        "UPDATE engrain.namespaces SET vault = 'x'",
        "INSERT INTO engrain.migrations VALUES (99)",
        "SELECT * FROM engrain.files_0",
        "SET ROLE engrain_owner",
        "SET SESSION AUTHORIZATION ann",
        "SELECT engrain.set_access('team', 'bot', 'admin', 'operator')",
        "SELECT engrain.create_namespace('mine', 'x')",
        "ALTER TABLE engrain.files DISABLE ROW LEVEL SECURITY",
        "CREATE TABLE engrain.mine (x int)",
    ],
)
def test_a_member_writes_by_the_functions_and_no_other_way(team: Team, sql: str) -> None:
    put(team.open("ann"), LOCK, b"lock")
    said = team.refused("bot", sql)
    assert "permission denied" in said or "may not" in said or "must be owner" in said
    assert content(team.open("ann"), LOCK) == b"lock"


def test_a_reader_reads_and_is_refused_in_one_line(team: Team) -> None:
    put(team.open("ann"), LOCK, b"lock")
    guest = team.open("guest")
    assert content(guest, LOCK) == b"lock"
    assert "guest may not write" in (guest.probe() or "")
    with pytest.raises(StorageError, match="may not write there"):
        put(guest, RULE, b"rule")
    with pytest.raises(StorageError):
        guest.erase([f"{guest.device}-1"])


def test_only_who_wrote_a_payload_or_an_operator_blanks_it(team: Team) -> None:
    bot = team.open("bot")
    put(bot, LOCK, b"lock")
    erase = "SELECT engrain.erase('team', 'botpc', ARRAY[1])"
    assert team.seen("page", erase) == []
    assert team.seen("ann", erase) == [(1,)]
    assert team.seen("ann", erase) == []


def test_access_that_was_taken_away_is_gone_at_once(team: Team) -> None:
    bot = team.open("bot")
    put(bot, LOCK, b"lock")
    team.server.run(
        team.database, "SELECT engrain.set_access('team', 'bot', NULL, NULL)", role=OWNER
    )
    with pytest.raises(EngrainError):
        put(bot, RULE, b"rule")
    assert content(bot, LOCK) is None
    with pytest.raises(VaultUnavailableError, match="has no namespace team"):
        team.open("bot")


# Two namespaces


def test_nothing_of_one_namespace_is_seen_from_another(team: Team) -> None:
    canary = b"canary-7f3a"
    put(team.open("ann"), LOCK, canary)
    with pytest.raises(VaultUnavailableError) as caught:
        team.open("eve")
    with pytest.raises(VaultUnavailableError) as absent:
        team.open("eve", "absent")
    told = caught.value.message.replace("team", "absent")
    assert told == absent.value.message, "whether a namespace exists is nobody's affair"
    eve = team.open("eve", "other")
    assert content(eve, LOCK) is None
    assert (eve.heads(), list(eve.scan()), list(eve.chain("annpc"))) == ({}, [], [])
    for table in ("files", "heads", "links", "namespaces", "members"):
        assert team.seen("eve", f"SELECT * FROM engrain.{table} WHERE namespace = 'team'") == []
    for sql in (
        "SELECT engrain.erase('team', 'annpc', ARRAY[1])",
        "SELECT engrain.set_access('team', 'eve', 'admin', 'operator')",
    ):
        assert "may not" in team.refused("eve", sql)
    assert "may not write there" in team.refused("eve", COMMIT, *forge("eve1", "agent", b"x"))
    # A condition of the asker's own is not shown other rows, not even by its errors.
    leak = "SELECT * FROM engrain.files WHERE 1 / (position('canary'::bytea IN raw) - 1) = 0"
    assert team.seen("eve", leak) == []


def test_security_holds_for_the_owner_of_the_tables_too(team: Team) -> None:
    put(team.open("ann"), LOCK, b"lock")
    team.server.run(
        team.database, f"SELECT engrain.set_access('team', '{OWNER}', NULL, NULL)", role=OWNER
    )
    assert team.seen(OWNER, "SELECT * FROM engrain.files") == []
    assert team.seen(OWNER, "SELECT * FROM engrain.links_0") == []
    with team.server.connect(team.database, OWNER) as connection:
        connection.execute("SET ROLE engrain_owner")
        assert connection.execute("SELECT * FROM engrain.files").fetchall() == []


# Hostile text

TEXTS = [
    "'; DROP SCHEMA engrain CASCADE; --",
    '"x"',
    "\\",
    "$$",
    "%s",
    "a\ttab",
    "\u2028",
    "é" * 99,
]


@pytest.mark.parametrize("text", TEXTS)
def test_sql_in_any_text_is_text(team: Team, text: str) -> None:
    store = team.open(NAMES[-1])
    assert store.probe() is None
    made = store.commit(
        ChangeSet("save", [Write(LOCK, text.encode(), text)], at=AT, agent=text, reason=text)
    )
    assert (made.reason, made.agent, made.entries) == (text, text, (text,))
    assert content(store, LOCK) == text.encode()
    assert [link.line for link in store.chain(store.device)]
    for device in (text, f"{store.device}{text}"):
        try:
            assert list(store.chain(device)) == []
        except EngrainError as error:
            assert error.code == "forbidden_path"


def test_what_no_database_holds_is_replaced_or_refused(team: Team) -> None:
    store = team.open("ann")
    made = store.commit(
        ChangeSet("save", [Write(LOCK, b"x", "e1")], at=AT, agent="a\0b", reason="c\ud800d")
    )
    assert (made.agent, made.reason) == ("a\ufffdb", "c\ufffdd")
    with pytest.raises(StorageError) as caught:
        store.commit(change(Write(RULE, b"x", "e\0")))
    assert "\n" not in caught.value.message
    assert content(store, RULE) is None


# The schema


def test_the_schema_is_made_and_taken_back(team: Team) -> None:
    server = team.server
    server.run("postgres", "DROP DATABASE IF EXISTS bare WITH (FORCE)", "CREATE DATABASE bare")
    bare = parse_address(server.address("bare"), needs_namespace=False)
    with pytest.raises(VaultUnavailableError) as caught:
        open_bare(server)
    assert "engrain admin migrate" in (caught.value.remedy or "")
    assert migrate(bare) == (0, NEWEST)
    assert migrate(bare) == (NEWEST, NEWEST)
    open_bare(server).close()
    assert migrate(bare, 0) == (NEWEST, 0)
    with pytest.raises(VaultUnavailableError):
        open_bare(server)
    server.run("postgres", "DROP DATABASE bare WITH (FORCE)")


@pytest.mark.parametrize(
    ("change_", "said"),
    [
        ("INSERT INTO engrain.migrations VALUES (99)", "knows versions up to"),
        ("DELETE FROM engrain.migrations", f"needs {NEWEST}"),
    ],
)
def test_a_schema_of_another_version_is_refused_both_ways(
    team: Team, change_: str, said: str
) -> None:
    team.server.run(team.database, change_)
    with pytest.raises(VaultUnavailableError) as caught:
        team.open("ann")
    assert said in caught.value.message
    assert caught.value.remedy
    if "99" in change_:
        with pytest.raises(VaultUnavailableError):
            migrate(
                parse_address(team.server.address(team.database), needs_namespace=False), NEWEST
            )


def open_bare(server: Server) -> StorageBackend:
    opener = Opener("engrain_team.postgres", server.address("bare", "postgres", "n"), "/nowhere")
    from engrain_team.postgres import open_backend

    return open_backend(
        BackendRequest(opener.location, state=None, device="d", entropy=os.urandom, create=True)
    )


def test_a_record_keeps_its_hash_in_the_chain(team: Team) -> None:
    store = team.open("bot")
    record = put(store, LOCK, b"lock")
    assert isinstance(record, Record)
    [link] = store.chain(store.device)
    assert store.heads() == {store.device: f"1:{hash_bytes(link.line)}"}


def test_a_role_without_access_holds_up_no_job(team: Team) -> None:
    store, other = team.open("bot"), team.open(OWNER)
    with team.server.connect(team.database, "eve") as foreign:
        for name in ("team", store.vault):
            for seed in range(30):
                lock = "SELECT pg_advisory_lock(hashtextextended(%s, %s))"
                foreign.execute(lock.encode(), (name, seed))
        with store.claim_jobs() as held:
            assert held()
            with pytest.raises(LockedError, match="another device"), other.claim_jobs():
                pass
    assert "may not write there" in team.refused("eve", "SELECT engrain.note_job('team', 'x', 0)")


@pytest.mark.parametrize("taken", ["pg_advisory_lock", "pg_advisory_lock_shared"])
def test_a_role_without_access_holds_up_no_writer_and_no_hand_over(team: Team, taken: str) -> None:
    store, owner = team.open("bot"), team.open(OWNER)
    with team.server.connect(team.database, "eve") as foreign:
        for seed in range(30):
            foreign.execute(f"SELECT {taken}(hashtextextended('team', {seed}))".encode())
        with foreign.transaction(force_rollback=True):
            foreign.execute(b"SELECT FROM engrain.namespaces")
            store.commit(change(Write(LOCK, b"text", "e1")))
            with owner.hand_over("elsewhere"):
                pass
    refusal = team.refused("eve", "SELECT FROM engrain.namespaces FOR KEY SHARE")
    assert "permission denied" in refusal


def test_a_hand_over_waits_for_the_change_that_is_under_way(team: Team) -> None:
    store, owner = team.open("bot"), team.open(OWNER)
    record = Record(store.device, 1, AT, "save", [], [], trust="agent")
    line, payload = encode_record(record, "0" * 64, "00" * 16, lambda _: "")
    with (
        team.server.connect(team.database, "bot") as writer,
        team.server.connect(team.database, OWNER) as other,
        writer.transaction(),
    ):
        writer.execute(
            "SELECT engrain.commit('team', %s, 1, %b, %b, %b, '{}')",
            (store.device, bytes(32), line, payload),
        )
        with pytest.raises(psycopg.errors.QueryCanceled), other.transaction():
            other.execute("SET LOCAL statement_timeout = 300")
            other.execute("SELECT engrain.hand_over('team')")
    with owner.hand_over("elsewhere"):
        pass
    with pytest.raises(StorageError, match="has moved to elsewhere"):
        store.commit(change(Write(LOCK, b"text", "e1")))


@pytest.mark.parametrize("place", ["../../x", "/x", "a//x", ".hidden", "a/.x", "a\\\\x", ""])
def test_no_role_puts_a_file_outside_of_the_store(team: Team, place: str) -> None:
    refusal = team.refused("bot", "SELECT engrain.add_other('team', %s, 'x')", place)
    assert 'violates check constraint "inside"' in refusal
