"""What a member of one namespace sees of another's thousand entries, by any command: nothing."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from threading import Barrier, Thread

import psycopg
import pytest

from engrain import open_memory
from engrain.adapters.mcp import tools
from engrain.model.errors import ConflictError, EngrainError
from engrain_team.postgres.admin import Administration
from team.servers import OWNER, Server, shared_server
from unit.adapters.shell import CommandLine

COUNT = 1000
CANARY = re.compile(r"canary[ -]\d{4}")
ASKS = "canary 0007 which pump does the greenhouse use"

COMMANDS = [
    ["recall", ASKS],
    ["recall", ASKS, "--json", "--explain", "--profile", "deep", "--all-projects"],
    ["recall", ASKS, "--profile", "task", "--action", "run_test"],
    ["recall", ASKS, "--profile", "associative", "--include-archive", "--include-inbox"],
    ["recall", ASKS, "--profile", "tiered", "--limit", "50"],
    ["list", "--all-projects", "--json", "--include-archive", "--include-inbox"],
    ["show", "{id}"],
    ["show", "{slug}", "--json"],
    ["history"],
    ["history", "--json"],
    ["history", "{id}"],
    ["history", "{change}"],
    ["undo", "{change}"],
    ["edit", "{id}", "--expect", "0" * 64, "--title", "mine"],
    ["forget", "{id}"],
    ["erase", "{id}", "--yes"],
    ["link", "{id}", "{own}"],
    ["links", "check", "--json"],
    ["graph", "neighbors", "{id}"],
    ["graph", "around", "{own}", "--hops", "3", "--json"],
    ["graph", "path", "{own}", "{id}"],
    ["graph", "stats", "--json"],
    ["graph", "export", "--format", "json"],
    ["export", "--format", "loki", "out1"],
    ["export", "--format", "three-layer", "out2"],
    ["export", "--format", "living", "out3"],
    ["check", "--deep", "--json"],
    ["doctor", "--json"],
    ["status", "--json"],
    ["episode", "stats", "--json"],
    ["digest"],
    ["review"],
    ["today"],
    ["jobs", "reindex"],
    ["jobs", "status"],
    ["jobs", "run", "map", "--json"],
    ["entity", "list", "--json"],
    ["migrate", "--to", "out4"],
    ["admin", "sql", "{database}"],
    ["admin", "members", "{foreign}"],
]


@dataclass
class Tenants:
    """A database in which `alice` keeps the canaries, and `eve` one entry of her own."""

    server: Server
    database: str
    id: str
    slug: str
    change: str
    own: str

    def address(self, role: str, namespace: str) -> str:
        return self.server.address(self.database, role, namespace)

    def fill(self, word: str) -> str:
        return word.format(
            foreign=self.address("tenant_eve", "canaries"),
            database=self.server.address(self.database, "tenant_eve"),
            id=self.id,
            slug=self.slug,
            change=self.change,
            own=self.own,
        )


@pytest.fixture(scope="module")
def tenants(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Tenants]:
    folder = tmp_path_factory.mktemp("tenants")
    notes = folder / "notes"
    notes.mkdir()
    patch = pytest.MonkeyPatch()
    patch.chdir(folder)  # or all would be of this repository's project
    for n in range(COUNT):
        (notes / f"canary-{n:04}.md").write_text(
            f"---\nkind: fix\ntags: [canary-{n:04}, pump]\n---\n# The pump canary {n:04}\n"
            f"The greenhouse uses pump canary-{n:04}, like [[canary-{(n + 1) % COUNT:04}]].\n"
        )
    server = shared_server()
    database = server.make_database()
    for namespace, role in (("canaries", "tenant_alice"), ("mine", "tenant_eve")):
        admin = Administration(server.address(database, "postgres", namespace))
        admin.create_namespace()
        admin.set_access(role, "operator")
        admin.close()
    with open_memory(
        server.address(database, "tenant_alice", "canaries"), state_dir=folder / "alice"
    ) as memory:
        memory.import_folder(str(notes))
        rows = memory.list(limit=2000).rows
        change = memory.history(limit=1)[0].change
    with open_memory(
        server.address(database, "tenant_eve", "mine"), state_dir=folder / "eve"
    ) as memory:
        own = memory.save("My greenhouse has a pump of its own.", title="My pump", kind="fix").id
    patch.undo()
    assert len(rows) == COUNT
    yield Tenants(server, database, rows[7].id, rows[7].slug, change, own)


@pytest.fixture
def eve(bare: CommandLine, tenants: Tenants, monkeypatch: pytest.MonkeyPatch) -> CommandLine:
    monkeypatch.setenv("ENGRAIN_STATE_DIR", str(bare.state))
    monkeypatch.setenv("ENGRAIN_VAULT", tenants.address("tenant_eve", "mine"))
    return bare


@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
def test_nothing_of_another_namespace_is_seen_by_any_command(
    eve: CommandLine, tenants: Tenants, command: list[str]
) -> None:
    argv = [tenants.fill(word) for word in command]
    said = [eve(*argv), eve(*argv, "--vault", tenants.address("tenant_eve", "canaries"))]
    given = " ".join(argv)
    for done in said:
        seen = set(CANARY.findall(done.out + done.err)) - set(CANARY.findall(given))
        assert not seen
        assert "Traceback" not in done.err
    if command[0] not in ("admin", "doctor"):
        assert said[1].code != 0
    for path in Path.cwd().rglob("*"):
        assert not CANARY.search(path.name)
        if path.is_file():
            assert not CANARY.search(path.read_text(errors="replace"))


def test_a_thousand_questions_find_none_of_a_thousand_canaries(
    eve: CommandLine, tenants: Tenants
) -> None:
    place = os.environ["ENGRAIN_VAULT"]
    seen: set[str] = set()
    with open_memory(place) as memory:
        for n in range(COUNT):
            found = memory.recall(f"canary-{n:04} pump", scan=False)
            seen.update(one.row.title for one in (*found.given, *found.nearest))
        for tool in ("memory_search", "memory_recall"):
            answer = tools.call(memory, tool, {"query": ASKS})
            assert not CANARY.search(answer.text)
        with pytest.raises(EngrainError):
            tools.call(memory, "memory_forget", {"id": tenants.id})
        own = memory.recall("greenhouse pump", profile="deep")
        assert [one.row.title for one in own.results] == ["My pump"]
    assert seen <= {"My pump"}


@pytest.mark.parametrize(
    "query",
    [
        "SELECT * FROM engrain.{table}",
        "SELECT * FROM engrain.{table} WHERE namespace = 'canaries'",
        "SELECT count(*) FROM engrain.{table}_3 HAVING count(*) > 0",
        "SET ROLE engrain_owner; SELECT * FROM engrain.{table}",
        "COPY engrain.{table} TO STDOUT",
        "SELECT most_common_vals::text FROM pg_stats WHERE tablename LIKE '{table}%'",
    ],
)
@pytest.mark.parametrize("table", ["files", "attachments", "links", "heads"])
def test_no_sql_of_the_role_shows_another_namespace(
    tenants: Tenants, query: str, table: str
) -> None:
    tenants.server.run(tenants.database, f"ANALYZE engrain.{table}")
    with tenants.server.connect(tenants.database, "tenant_eve") as connection:
        try:
            cursor = connection.cursor()
            statement = query.format(table=table).encode()
            if statement.startswith(b"COPY"):
                with cursor.copy(statement) as copy:
                    shown = b"".join(bytes(part) for part in copy)
            else:
                cursor.execute(statement)
                while cursor.nextset():
                    pass
                shown = repr(cursor.fetchall()).encode()
        except psycopg.Error as error:
            shown = str(error).encode()
    assert b"canar" not in shown
    assert tenants.change.partition("-")[0].encode() not in shown


def test_of_two_who_change_one_entry_one_is_reported(tenants: Tenants, tmp_path: Path) -> None:
    address = tenants.server.own_address(OWNER)
    memories = [open_memory(address, state_dir=tmp_path / str(n), create=True) for n in range(2)]
    saved = memories[0].save("The pump is blue.", title="Pump", kind="fix")
    barrier = Barrier(2)
    made: list[str] = []
    told: list[str] = []

    def edit(n: int) -> None:
        memories[n].show(saved.id)
        barrier.wait(30)
        try:
            text = f"The pump is of colour {n}."
            made.append(memories[n].edit(saved.id, text=text, expect=saved.hash).hash)
        except ConflictError as error:
            told.append(error.message)

    threads = [Thread(target=edit, args=(n,)) for n in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert (len(made), len(told)) == (1, 1)
    assert memories[1].show(saved.id).entry.hash == made[0]
    for memory in memories:
        memory.close()
