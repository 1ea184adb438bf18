"""`engrain admin`: a team's database set up from nothing, and used by several people."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, cast
from urllib.parse import quote

import pytest

from engrain_team.postgres.schema import NEWEST
from team.servers import shared_server
from unit.adapters.shell import Done, Inside, Shell

BAD = 'x"; DROP ROLE ann; --'


class Person:
    """Somebody with a role and a machine of their own."""

    def __init__(self, folder: Path, role: str) -> None:
        (folder / role).mkdir()
        self._shell = Inside(folder / role)
        self._environ = {"PGUSER": role}

    def __call__(self, *argv: str, code: int = 0) -> Done:
        done = self._shell.run(*argv, environ=self._environ)
        assert done.code == code, done.out + done.err
        return done

    def act_as(self, role: str) -> None:
        """Connect with another role than the one that the machine is called after."""
        self._environ["PGUSER"] = role

    def refused(self, *argv: str) -> Done:
        """A command that fails with one line and a remedy."""
        done = self._shell.run(*argv, environ=self._environ)
        assert done.code in (1, 2), done.out + done.err
        assert not done.out
        assert len(done.err.splitlines()) <= 2, done.err
        assert done.err.isascii()
        assert all(line.isprintable() for line in done.err.splitlines())
        return done

    def ask(self, *argv: str) -> dict[str, Any]:
        return cast("dict[str, Any]", self(*argv, "--json").answer["data"])


@pytest.fixture
def database() -> str:
    """The address of a database with nothing in it."""
    server = shared_server()
    server.run("postgres", "DROP DATABASE IF EXISTS fresh WITH (FORCE)", "CREATE DATABASE fresh")
    return server.address("fresh", "").replace("@", "")


def test_a_team_shares_a_namespace_by_role(tmp_path: Path, database: str) -> None:
    admin, ann, bot = (Person(tmp_path, role) for role in ("postgres", "ann", "bot"))
    team = f"{database}?namespace=team"
    assert f"schema version {NEWEST}, was none" in admin("admin", "migrate", database).out
    admin("admin", "namespace", team)
    admin("admin", "access", team, "--role", "ann", "--may", "operator")
    done = admin("admin", "access", team, "--role", "bot", "--may", "writer")
    assert "'bot'" in done.out
    assert admin("admin", "members", team).out.split("\n")[:2] == [
        "operator  as operator  ann",
        "writer    as agent     bot",
    ]

    ann("--vault", team, "save", "The staging database listens on port 5544.", "--kind", "fix")
    found = bot.ask("--vault", team, "recall", "which port does the staging database use?")
    [hit] = found["results"]
    assert "5544" in str(hit)
    bot("--vault", team, "save", "Deploys of the shop need the blue flag.", "--kind", "workflow")
    shown = ann("--vault", team, "list").out
    assert "staging database" in shown
    assert "blue flag" in shown
    moved = "The staging database listens on port 6000."
    ann("--vault", team, "evolve", hit["id"], moved)
    assert "6000" in bot("--vault", team, "recall", "port of the staging database").out
    assert "evolve" in bot("--vault", team, "history", hit["id"]).out
    ann("--vault", team, "undo")
    assert "5544" in bot("--vault", team, "show", hit["id"]).out
    ann("--vault", team, "forget", hit["id"])
    gone = bot("--vault", team, "recall", "which port does the staging database use?").out
    assert "5544" not in gone
    for person in (ann, bot):
        assert "Nothing is wrong" in person("--vault", team, "check", "history").out
        person("--vault", team, "doctor")

    admin("admin", "access", team, "--role", "bot", "--may", "none")
    assert "has no namespace" in bot("--vault", team, "list", code=5).err


STORED_ROLES = [
    BAD,
    "o'neil",
    "日本",
    "select",
    "Ann",
    "a\\b",
    "$$",
    "%s",
    "{}",
    " ",
    "-- ",
    "é" * 31,
    "ann@db.example:5432/x",
]
REFUSED_ROLES = [
    "",
    "ann\u202e",
    "\u200bann",
    "ann\nbob",
    "\udcff",
    "\x1b[2J",
    "é" * 32,
    "r" * 64,
    "engrain_owner",
    "engrain_member",
    "pg_monitor",
    "public",
    "none",
]
STORED_NAMESPACES = ["select", "public", "engrain", "null", "a.-_b", "0", "n" * 63]
REFUSED_NAMESPACES = [
    "",
    "Team",
    "team'; DROP SCHEMA engrain CASCADE; --",
    'te"am',
    "日本",
    "te\u202eam",
    "team\n",
    "te\0am",
    "../team",
    "-team",
    "$$",
    "n" * 64,
]


@pytest.fixture
def team(tmp_path: Path, database: str) -> tuple[Person, str]:
    """The admin of a namespace, and its address."""
    admin = Person(tmp_path, "postgres")
    admin("admin", "migrate", database)
    admin("admin", "namespace", f"{database}?namespace=team")
    return admin, f"{database}?namespace=team"


def list_members(admin: Person, team: str) -> list[str]:
    return sorted(one["role"] for one in admin.ask("admin", "members", team)["members"])


def test_a_hostile_name_of_a_role_is_a_name(team: tuple[Person, str]) -> None:
    admin, address = team
    for role in STORED_ROLES:
        admin("admin", "access", address, f"--role={role}", "--may", "writer")
    assert list_members(admin, address) == sorted(["postgres", *STORED_ROLES])
    admin("admin", "access", address, f"--role={BAD}", "--may", "none")
    assert BAD not in list_members(admin, address)


def test_a_member_with_a_hostile_name_saves_and_recalls(
    tmp_path: Path, team: tuple[Person, str]
) -> None:
    admin, address = team
    for number, role in enumerate((BAD, "日本")):
        admin("admin", "access", address, f"--role={role}", "--may", "writer")
        member = Person(tmp_path, f"member{number}")
        member.act_as(role)
        member("--vault", address, "save", f"Staging {number} listens on port 554{number}.")
        assert f"554{number}" in member("--vault", address, "list").out
    assert "Nothing is wrong" in admin("--vault", address, "check", "history").out


@pytest.mark.parametrize("role", REFUSED_ROLES, ids=ascii)
def test_a_name_that_no_member_can_have_is_refused_in_one_line(
    team: tuple[Person, str], role: str
) -> None:
    admin, address = team
    done = admin.refused("admin", "access", address, f"--role={role}", "--may", "writer")
    assert ascii(role)[1:-1] in done.err
    assert list_members(admin, address) == ["postgres"]


def test_a_namespace_has_a_plain_name(team: tuple[Person, str]) -> None:
    admin, address = team
    database = address.partition("?")[0]
    for name in STORED_NAMESPACES:
        own = f"{database}?namespace={name}"
        admin("--vault", own, "init")
    admin("--vault", f"{database}?namespace=select", "save", "This is of select.", "--kind", "fix")
    assert "of select" in admin("--vault", f"{database}?namespace=select", "list").out
    assert "of select" not in admin("--vault", f"{database}?namespace=null", "list").out
    for name in REFUSED_NAMESPACES:
        own = f"{database}?namespace={quote(name, safe='')}"
        assert "no name of a namespace" in admin.refused("admin", "namespace", own).err
    assert "no name of a namespace" in admin.refused("--vault", own, "list").err
    with shared_server().connect("fresh") as connection:
        made = connection.execute("SELECT namespace FROM engrain.namespaces").fetchall()
    assert {name for (name,) in made} == {"team", *STORED_NAMESPACES}


@pytest.mark.parametrize(
    ("argv", "code", "said"),
    [
        (["admin", "migrate", "postgres://ann:s3cret@db/memory"], 2, "holds a password"),
        (["--vault", "postgres://ann:s3cret@db/memory?namespace=n", "list"], 2, "holds a password"),
        (["admin", "migrate", "/home/ann/notes"], 2, "no address of a database"),
        (["admin", "migrate"], 2, "no address of a database"),
        (["admin", "namespace", "postgres://db/memory?namespace=No!"], 2, "no name of a namespace"),
        (["admin", "migrate", "postgres://db/memory", "--to", "0"], 2, "destroys every namespace"),
        (["admin", "migrate", "postgres://db/memory", "--to", "9"], 1, "no schema version 9"),
        (["admin", "access", "postgres://db/m?namespace=n", "--may", "writer"], 2, "needs a role"),
        (
            ["admin", "access", "postgres://db/m?namespace=n", "--role", "r" * 64, "--may", "none"],
            2,
            "can't be a member's role",
        ),
        (
            [
                "admin",
                "access",
                "postgres://db/m?namespace=n",
                "--role=engrain_owner",
                "--may=none",
            ],
            2,
            "can't be a member's role",
        ),
    ],
)
def test_wrong_input_is_reported_in_one_line(
    tmp_path: Path, argv: list[str], code: int, said: str
) -> None:
    done = Person(tmp_path, "postgres")(*argv, code=code)
    assert said in done.err
    assert "s3cret" not in done.out + done.err
    assert "Traceback" not in done.err


def test_the_sql_can_be_read_before_it_is_run(tmp_path: Path) -> None:
    admin = Person(tmp_path, "postgres")
    done = admin("admin", "sql", "postgres://db/memory").out
    assert "CREATE SCHEMA engrain" in done
    assert "FORCE ROW LEVEL SECURITY" in done
    assert "DROP SCHEMA" in admin("admin", "sql", "postgres://db/memory", "--to", "0").out


def test_one_step_back_and_forward_again_keeps_every_namespace(
    tmp_path: Path, database: str
) -> None:
    admin = Person(tmp_path, "postgres")
    team = f"{database}?namespace=team"
    admin("admin", "migrate", database)
    admin("admin", "namespace", team)
    admin("--vault", team, "save", "The staging database listens on port 5544.", "--kind", "fix")
    assert f"schema version 1, was {NEWEST}" in admin("admin", "migrate", database, "--to", "1").out
    refused = admin("--vault", team, "list", code=5).err
    assert f"has schema version 1, and this Engrain needs {NEWEST}" in refused
    assert "engrain admin migrate" in refused
    admin("admin", "migrate", database)
    assert "5544" in admin("--vault", team, "recall", "port of the staging database").out
    assert "Nothing is wrong" in admin("--vault", team, "check", "history").out
    script = admin("admin", "sql", database, "--to", "1").out
    assert "engrain.files" in script
    assert "engrain.jobs" not in script


SAMPLE = re.compile(
    r'[a-z_]+(\{[a-z]+="[^"\n]*"(,[a-z]+="[^"\n]*")*\})? (-?\d+(\.\d+)?(e-?\d+)?|[+-]Inf|NaN)'
)


def test_the_figures_name_nobody_and_show_no_text(tmp_path: Path, database: str) -> None:
    admin, watch = (Person(tmp_path, role) for role in ("postgres", "watch"))
    team = f"{database}?namespace=annssecrets"
    admin("admin", "migrate", database)
    admin("admin", "namespace", team)
    server = shared_server()
    server.run(
        "fresh",
        "DROP ROLE IF EXISTS watch",
        "CREATE ROLE watch LOGIN IN ROLE pg_monitor, engrain_member",
    )
    admin("--vault", team, "save", "The safe is behind the clock.", "--kind", "fix")
    text = watch("admin", "metrics", database).out
    lines = text.splitlines()
    assert all(SAMPLE.fullmatch(line) for line in lines if not line.startswith("# "))
    assert f"engrain_schema_version {NEWEST}" in lines
    assert "engrain_stores 1" in lines
    assert re.search(r'^engrain_changes_total\{store="\w{16}"\} [1-9]', text, re.MULTILINE)
    assert re.search(r'^engrain_commit_seconds_bucket\{le="\+Inf"\} 1$', text, re.MULTILINE)
    assert "engrain_commit_seconds_count 1" in lines
    assert not re.search("annssecrets|clock|postgres|watch", text)
    for role, code in (("stranger", 5), ("member", 1)):
        server.run("fresh", f"DROP ROLE IF EXISTS {role}", f"CREATE ROLE {role} LOGIN")
        if role == "member":
            server.run("fresh", "GRANT engrain_member TO member")
        assert not Person(tmp_path, role)("admin", "metrics", database, code=code).out


def test_the_figures_are_served_until_a_signal_and_say_when_the_server_is_gone(
    tmp_path: Path, database: str
) -> None:
    Person(tmp_path, "postgres")("admin", "migrate", database)
    shell = Shell(tmp_path / "watcher")
    listen = ["admin", "metrics", database, "--listen", "127.0.0.1:0", "--json"]
    with serving(shell, listen) as (process, url):
        assert "engrain_up 1" in fetch(url)[1]
        assert "engrain_commit_seconds_count 2" in fetch(url)[1]
        assert fetch(url.replace("metrics", "healthz")) == (200, "ok\n")
        assert fetch(url.replace("metrics", "vault"))[0] == 404
        shared_server().run("postgres", "DROP DATABASE fresh WITH (FORCE)")
        assert fetch(url) == (200, "# HELP engrain_up 1 if the database can be used.\n"
                              "# TYPE engrain_up gauge\nengrain_up 0\n")  # fmt: skip
        assert fetch(url.replace("metrics", "healthz"))[0] == 503
        process.send_signal(signal.SIGTERM)
        assert process.wait(30) == 0
    for bad in ("9187", "host:", "host:99999", ":1", "host:x"):
        person = Person(tmp_path, f"who{len(bad)}{bad[-1]}")
        assert "no place" in person("admin", "metrics", database, "--listen", bad, code=2).err


@contextmanager
def serving(shell: Shell, argv: list[str]) -> Iterator[tuple[subprocess.Popen[bytes], str]]:
    with subprocess.Popen(
        [sys.executable, "-m", "engrain", *argv],
        env={**shell.environ, "PGUSER": "postgres", "PYTHONPATH": os.pathsep.join(sys.path)},
        stdout=subprocess.PIPE,
    ) as process:
        try:
            assert process.stdout
            yield process, json.loads(process.stdout.readline())["data"]["url"]
        finally:
            process.kill()


def fetch(url: str) -> tuple[int, str]:
    try:
        with urllib.request.urlopen(url, timeout=60) as answer:
            return answer.status, answer.read().decode()
    except urllib.error.HTTPError as error:
        return error.code, error.read().decode()
