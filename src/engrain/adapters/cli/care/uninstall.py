"""`engrain uninstall`: remove from a host what setup added."""

from __future__ import annotations

import os

from engrain.adapters.cli.answer import Answer
from engrain.adapters.cli.console import Console
from engrain.adapters.cli.everyday.setup import (
    OPTIONS,
    choose_hosts,
    describe_hosts,
    describe_plan,
    find_state_dir,
    plan_lines,
)
from engrain.adapters.cli.options import Arguments, Command
from engrain.adapters.hosts.planning import plan_uninstall
from engrain.adapters.hosts.table import HOSTS
from engrain.adapters.present.records import Data


def _uninstall(args: Arguments, _: Console) -> Answer:
    hosts, absent = choose_hosts(args)
    state_dir = find_state_dir(args)
    lines: list[str] = []
    described: list[Data] = []
    seen: dict[str, str] = {}
    others = [host for host in HOSTS.values() if host not in hosts]
    for plan in [plan_uninstall(host, os.environ, state_dir, others=others) for host in hosts]:
        copies = None if args.dry_run else plan.apply()
        described.append({**describe_plan(plan, args.dry_run), "copies": copies})
        lines += plan_lines(plan, args.dry_run, seen)
        if copies:
            lines.append(f"  what other programs changed since setup was copied to {copies}")
    lines += [f"not on this machine: {host.title}" for host in absent]
    if not args.dry_run:
        lines.append("the vault was not changed")
    return describe_hosts(args, described, absent), lines


COMMAND = Command(
    _uninstall,
    f"""{OPTIONS}
$ engrain uninstall claude-code
$ engrain uninstall --all --dry-run
""",
)
