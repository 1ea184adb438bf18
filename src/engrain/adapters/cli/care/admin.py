"""`engrain admin`: the schema, namespaces and roles of a database that keeps stores."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager

from engrain.adapters.cli.answer import Answer
from engrain.adapters.cli.care.monitoring import serve_figures
from engrain.adapters.cli.console import Console
from engrain.adapters.cli.options import Arguments, Command, one_of
from engrain.adapters.mcp.serving import leaving_on_signals
from engrain.adapters.present.failures import EXIT_OK
from engrain.adapters.present.metrics import render_metrics
from engrain.adapters.present.text import clean_line
from engrain.model.errors import UsageError
from engrain.model.note.tiers import ORIGINS
from engrain.resolution.selector import load_administration
from engrain.seam.administration import ACCESS, Administration

_NONE = "none"


def _sql(args: Arguments, _: Console) -> Answer:
    with _opened(args) as admin:
        script = admin.script(args.to)
    return {"sql": script}, [line for part in script for line in part.rstrip().split("\n")]


def _migrate(args: Arguments, _: Console) -> Answer:
    if args.to == 0 and not args.yes:
        raise UsageError(
            "version 0 destroys every namespace of the database", remedy="repeat it with --yes"
        )
    with _opened(args) as admin:
        before, after = admin.migrate(args.to)
    said = f"schema version {after}" + ("" if before == after else f", was {before or 'none'}")
    return {"before": before, "after": after}, [said]


def _namespace(args: Arguments, _: Console) -> Answer:
    with _opened(args) as admin:
        vault = admin.create_namespace()
    return {"id": vault}, [f"namespace ready, with the id {vault}"]


def _access(args: Arguments, _: Console) -> Answer:
    if not args.role or not args.may:
        raise UsageError(
            "`admin access` needs a role and what it may do",
            remedy="such as --role ann --may writer",
        )
    with _opened(args) as admin:
        done = admin.set_access(args.role, None if args.may == _NONE else args.may, args.origin)
    data = {"role": args.role, "access": args.may, "statements": done}
    return data, [clean_line(statement) + ";" for statement in done]


def _members(args: Arguments, _: Console) -> Answer:
    with _opened(args) as admin:
        found = admin.members()
    data = {"members": [{"role": m.role, "access": m.access, "origin": m.origin} for m in found]}
    lines = [f"{m.access:<9} as {m.origin:<9} {clean_line(m.role)}" for m in found]
    return data, lines or ["nobody"]


def _metrics(args: Arguments, console: Console) -> Answer | int:
    def ready(address: str) -> None:
        console.answer("admin", {"url": address}, [f"figures: {address}, until Ctrl-C"])
        console.flush()

    with _opened(args) as admin:
        if args.listen:
            with leaving_on_signals():
                serve_figures(admin, args.listen, ready)
            return EXIT_OK
        text = render_metrics(admin.measure())
    return {"metrics": text}, text.splitlines()


@contextmanager
def _opened(args: Arguments) -> Iterator[Administration]:
    address = args.address or getattr(args, "vault", None) or os.environ.get("ENGRAIN_VAULT") or ""
    admin = load_administration(address)
    try:
        yield admin
    finally:
        admin.close()


COMMAND = Command(
    [_sql, _migrate, _namespace, _access, _members, _metrics],
    f"""
<sql|migrate|namespace|access|members|metrics>  sql: print the SQL of the schema; migrate: make or
 change the schema; namespace: make one; access: let a role use one; members: list those roles;
 metrics: how the server fares
address=ADDRESS?  postgres://HOST/DATABASE, with ?namespace=NAME where one is meant; else the vault
--to N/int        sql, migrate: the schema's version; the newest by default
--yes             migrate: do not ask for confirmation
--role NAME       access: the role; one that is not there is made, without a password
--may {one_of([*ACCESS, _NONE])}  access: what it may do
--origin {one_of(ORIGINS)}  access: the best origin of what it writes; agent by default for a
 writer, operator for an operator
--listen HOST:PORT  metrics: serve /metrics and /healthz there, in Prometheus' text format
$ engrain admin sql postgres://db.example/memory
$ engrain admin migrate postgres://db.example/memory
$ engrain admin namespace "postgres://db.example/memory?namespace=team"
$ engrain admin access "postgres://db.example/memory?namespace=team" --role ann --may operator
$ engrain admin metrics postgres://watch@db.example/memory --listen 127.0.0.1:9187
""",
    strict=True,
)
