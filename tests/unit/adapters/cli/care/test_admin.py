"""`engrain admin`: a team's database set up from nothing, and used by several people."""

from __future__ import annotations

from pathlib import Path
from typing import Any, cast

import pytest

from support.postgres import shared_server
from unit.adapters.shell import Done, Shell

BAD = 'x"; DROP ROLE ann; --'


class Person:
    """Somebody with a role and a machine of their own."""

    def __init__(self, folder: Path, role: str) -> None:
        (folder / role).mkdir()
        self._shell = Shell(folder / role)
        self._environ = {"PGUSER": role}

    def __call__(self, *argv: str, code: int = 0) -> Done:
        done = self._shell.run(*argv, environ=self._environ)
        assert done.code == code, done.out + done.err
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
    assert "schema version 1, was none" in admin("admin", "migrate", database).out
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
        assert "unbroken" in person("--vault", team, "verify").out
        person("--vault", team, "doctor")

    admin("admin", "access", team, "--role", "bot", "--may", "none")
    assert "has no namespace" in bot("--vault", team, "list", code=5).err


@pytest.mark.parametrize("role", [BAD, "o'neil", "日本"])
def test_a_hostile_name_of_a_role_is_a_name(tmp_path: Path, database: str, role: str) -> None:
    admin = Person(tmp_path, "postgres")
    team = f"{database}?namespace=team"
    admin("admin", "migrate", database)
    admin("admin", "namespace", team)
    admin("admin", "access", team, "--role", role, "--may", "writer")
    [member] = [
        one["role"]
        for one in admin.ask("admin", "members", team)["members"]
        if one["access"] == "writer"
    ]
    assert member == role


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
def test_wrong_input_is_told_in_one_line(
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
