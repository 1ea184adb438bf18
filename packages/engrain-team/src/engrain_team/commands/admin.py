"""`engrain admin`: the schema, namespaces and roles of a database that keeps stores."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

from engrain.adapters.cli.options import Answer, Arguments, Command, one_of, open_from
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


def _sql(args: Arguments) -> Answer:
    with _opened(args) as admin:
        script = admin.script(args.to)
    return {"sql": script}, [line for part in script for line in part.rstrip().split("\n")]


def _migrate(args: Arguments) -> Answer:
    if args.to == 0 and not args.yes:
        raise UsageError(
            "version 0 destroys every namespace of the database", remedy="repeat it with --yes"
        )
    with _opened(args) as admin:
        before, after = admin.migrate(args.to)
    said = f"schema version {after}" + ("" if before == after else f", was {before or 'none'}")
    return {"before": before, "after": after}, [said]


def _namespace(args: Arguments) -> Answer:
    with _opened(args) as admin:
        vault = admin.create_namespace()
    return {"id": vault}, [f"namespace ready, with the id {vault}"]


def _access(args: Arguments) -> Answer:
    if not args.role or not args.may:
        raise UsageError(
            "`admin access` needs a role and what it may do",
            remedy="such as --role ann --may writer",
        )
    with _opened(args) as admin:
        done = admin.set_access(args.role, None if args.may == _NONE else args.may, args.origin)
    data = {"role": args.role, "access": args.may, "statements": done}
    return data, [clean_line(statement) + ";" for statement in done]


def _members(args: Arguments) -> Answer:
    with _opened(args) as admin:
        found = admin.members()
    lines = [f"{m.access:<9} as {m.origin:<9} {clean_line(m.role)}" for m in found]
    data = {"members": list_fields(found, "role access origin")}
    return data, lines or ["nobody"]


def _metrics(args: Arguments) -> Answer | int:
    with _opened(args) as admin:
        return show_metrics(args, admin)


def _tombstones(args: Arguments) -> Answer:
    if bool(args.export) == bool(args.apply):
        raise UsageError("`admin tombstones` needs either --export or --apply, with a file")
    with _opened(args) as admin:
        found = admin.erased()
    if args.export:
        write_tombstones(args.export, found)
        count = sum(len(one.ids) for one in found)
        line = f"{counted(count, 'id')} of erased entries in {counted(len(found), 'namespace')}"
        return {"namespaces": len(found), "ids": count}, [line]
    server = _address(args).partition("?")[0]
    known = {one.vault: one.namespace for one in found}
    erased: dict[str, list[str]] = {}
    missing = []
    for one in read_tombstones(args.apply):
        if one.vault not in known:
            missing.append(one.namespace)
            continue
        args.vault = f"{server}?namespace={known[one.vault]}"
        with show_progress(args.console, known[one.vault]) as progress, open_from(args) as memory:
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
    """The same back. Raises UsageError for a file that holds something else."""
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


@contextmanager
def _opened(args: Arguments) -> Iterator[Administration]:
    admin = Administration(_address(args))
    try:
        yield admin
    finally:
        admin.close()


def _address(args: Arguments) -> str:
    return args.address or args.vault or os.environ.get("ENGRAIN_VAULT") or ""


COMMAND = Command(
    [_sql, _migrate, _namespace, _access, _members, _metrics, _tombstones],
    f"""
<sql|migrate|namespace|access|members|metrics|tombstones>  sql: print the SQL of the schema;
 migrate: make or change the schema; namespace: make one;
 access: let a role use one; members: list those roles; metrics: how the server fares;
 tombstones: which entries were erased
address=ADDRESS?  postgres://HOST/DATABASE, with ?namespace=NAME where one is meant; else the vault
--to N/int        sql, migrate: the schema's version; the newest by default
--yes             migrate: do not ask for confirmation
--role NAME       access: the role; one that is not there is made, without a password
--may {one_of([*ACCESS, _NONE])}  access: what it may do
--origin {one_of(ORIGINS)}  access: the best origin of what it writes; agent by default for a
 writer, operator for an operator
--listen HOST:PORT  metrics: serve /metrics and /healthz there, in Prometheus' text format
--export FILE  tombstones: write the ids of what was erased, to be kept beside the backups
--apply FILE  tombstones: erase again what a restored backup brought back
$ engrain admin sql postgres://db.example/memory
$ engrain admin migrate postgres://db.example/memory
$ engrain admin namespace "postgres://db.example/memory?namespace=team"
$ engrain admin access "postgres://db.example/memory?namespace=team" --role ann --may operator
$ engrain admin tombstones postgres://db.example/memory --export erased.json
$ engrain admin metrics postgres://watch@db.example/memory --listen 127.0.0.1:9187
""",
    opens=None,
    strict=True,
)
