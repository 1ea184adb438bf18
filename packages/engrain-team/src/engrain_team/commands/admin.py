"""`engrain admin`: the schema, namespaces and roles of a database that keeps stores."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from engrain.adapters.cli.base import Answer, BaseCommand, argument, flag, option
from engrain.adapters.cli.progress import show_progress
from engrain.adapters.present.records import list_fields
from engrain.adapters.present.text import clean_line, counted
from engrain.model.errors import StorageError, UsageError
from engrain.model.note.tiers import ORIGINS
from engrain.resolution.files import replace_file
from engrain_team.metrics import show_metrics
from engrain_team.postgres.admin import ACCESS, Administration, Erased

_NONE = "none"
_VERSION = 1
"""Of the file of tombstones."""


@dataclass(kw_only=True)
class _AdminCommand(BaseCommand):
    address: str | None = argument(
        "postgres://HOST/DATABASE, with ?namespace=NAME where one is meant; else the vault",
        "ADDRESS",
        default=None,
    )

    def find_address(self) -> str:
        """Return the address of the database."""
        return self.address or self.vault or os.environ.get("ENGRAIN_VAULT") or ""

    @contextmanager
    def connect(self) -> Iterator[Administration]:
        """Connect to the database."""
        admin = Administration(self.find_address())
        try:
            yield admin
        finally:
            admin.close()


@dataclass(kw_only=True)
class SqlAdmin(_AdminCommand):
    """Print the SQL of the schema."""

    examples = "engrain admin sql postgres://db.example/memory"
    to: int | None = option("the schema's version; the newest by default", "N")

    def run(self) -> Answer:
        with self.connect() as admin:
            script = admin.script(self.to)
        return {"sql": script}, [line for part in script for line in part.rstrip().split("\n")]


@dataclass(kw_only=True)
class MigrateAdmin(_AdminCommand):
    """Make or change the schema."""

    examples = "engrain admin migrate postgres://db.example/memory"
    to: int | None = option("the schema's version; the newest by default", "N")
    yes: bool = flag("do not ask for confirmation")

    def run(self) -> Answer:
        if self.to == 0 and not self.yes:
            raise UsageError(
                "version 0 destroys every namespace of the database", remedy="repeat it with --yes"
            )
        with self.connect() as admin:
            before, after = admin.migrate(self.to)
        said = f"schema version {after}" + ("" if before == after else f", was {before or 'none'}")
        return {"before": before, "after": after}, [said]


@dataclass(kw_only=True)
class NamespaceAdmin(_AdminCommand):
    """Make a namespace."""

    examples = 'engrain admin namespace "postgres://db.example/memory?namespace=team"'

    def run(self) -> Answer:
        with self.connect() as admin:
            vault = admin.create_namespace()
        return {"id": vault}, [f"namespace ready, with the id {vault}"]


@dataclass(kw_only=True)
class AccessAdmin(_AdminCommand):
    """Let a role use a namespace."""

    examples = """
engrain admin access "postgres://db.example/memory?namespace=team" --role ann --may operator
"""
    role: str | None = option("the role; one that is not there is made, without a password", "NAME")
    may: str | None = option("what it may do", choices=[*ACCESS, _NONE])
    origin: str | None = option(
        "the best origin of what it writes; agent by default for a writer, operator for an"
        " operator",
        choices=ORIGINS,
    )

    def run(self) -> Answer:
        if not self.role or not self.may:
            raise UsageError(
                "`admin access` needs a role and what it may do",
                remedy="such as --role ann --may writer",
            )
        with self.connect() as admin:
            done = admin.set_access(self.role, None if self.may == _NONE else self.may, self.origin)
        data = {"role": self.role, "access": self.may, "statements": done}
        return data, [clean_line(statement) + ";" for statement in done]


@dataclass(kw_only=True)
class MembersAdmin(_AdminCommand):
    """List the roles of a namespace."""

    def run(self) -> Answer:
        with self.connect() as admin:
            found = admin.members()
        lines = [f"{m.access:<9} as {m.origin:<9} {clean_line(m.role)}" for m in found]
        data = {"members": list_fields(found, "role access origin")}
        return data, lines or ["nobody"]


@dataclass(kw_only=True)
class MetricsAdmin(_AdminCommand):
    """Show how the server fares."""

    examples = """
engrain admin metrics postgres://watch@db.example/memory --listen 127.0.0.1:9187
"""
    listen: str | None = option(
        "serve /metrics and /healthz there, in Prometheus' text format", "HOST:PORT"
    )

    def run(self) -> Answer | int:
        with self.connect() as admin:
            return show_metrics(self.console, admin, self.listen)


@dataclass(kw_only=True)
class TombstonesAdmin(_AdminCommand):
    """Write which entries were erased, or erase them again."""

    examples = """
engrain admin tombstones postgres://db.example/memory --export erased.json
"""
    export: str | None = option(
        "write the ids of what was erased, to be kept beside the backups", "FILE"
    )
    apply: str | None = option("erase again what a restored backup brought back", "FILE")

    def check(self) -> None:
        if bool(self.export) == bool(self.apply):
            raise UsageError("`admin tombstones` needs either --export or --apply, with a file")

    def run(self) -> Answer:
        with self.connect() as admin:
            found = admin.erased()
        if self.export:
            write_tombstones(self.export, found)
            count = sum(len(one.ids) for one in found)
            line = f"{counted(count, 'id')} of erased entries in {counted(len(found), 'namespace')}"
            return {"namespaces": len(found), "ids": count}, [line]
        server = self.find_address().partition("?")[0]
        known = {one.vault: one.namespace for one in found}
        erased: dict[str, list[str]] = {}
        missing = []
        for one in read_tombstones(self.apply or ""):
            if one.vault not in known:
                missing.append(one.namespace)
                continue
            self.vault = f"{server}?namespace={known[one.vault]}"
            with show_progress(self.console, known[one.vault]) as progress, self.open() as memory:
                erased[known[one.vault]] = memory.erase_again(one.ids, progress)
        lines = [
            f"{name}: {counted(len(ids), 'entry', 'entries')} erased again"
            for name, ids in erased.items()
        ]
        lines += [f"{clean_line(name)}: not there, or not for this role" for name in missing]
        return {"erased": erased, "missing": missing}, lines, bool(missing)


def write_tombstones(path: str, found: Iterable[Erased]) -> None:
    """Write what was erased to a file that is kept beside the backups. Raises StorageError."""
    rows = [{"namespace": one.namespace, "vault": one.vault, "ids": [*one.ids]} for one in found]
    text = json.dumps({"v": _VERSION, "erased": rows}, indent=1) + "\n"
    try:
        replace_file(path, text, private=True)
    except OSError as error:
        raise StorageError(f"can't be written: {error.strerror}", path=path) from None


def read_tombstones(path: str) -> list[Erased]:
    """Return the same back. Raises UsageError for a file that holds something else."""
    try:
        said = json.loads(Path(path).read_text(encoding="utf-8"))
        rows = [Erased(row["namespace"], row["vault"], row["ids"]) for row in said["erased"]]
        texts = [text for row in rows for text in (row.namespace, row.vault, *row.ids)]
        if said["v"] != _VERSION or "" in texts or {type(text) for text in texts} - {str}:
            raise ValueError
    except OSError as error:
        raise UsageError(f"{path}: {error.strerror}") from None
    except (ValueError, KeyError, TypeError, RecursionError):
        raise UsageError(
            f"{path} is no file of tombstones",
            remedy="`engrain admin tombstones --export` writes one",
        ) from None
    return rows


COMMAND = {
    "sql": SqlAdmin,
    "migrate": MigrateAdmin,
    "namespace": NamespaceAdmin,
    "access": AccessAdmin,
    "members": MembersAdmin,
    "metrics": MetricsAdmin,
    "tombstones": TombstonesAdmin,
}
