"""`engrain uninstall`: remove from a host what setup added."""

from __future__ import annotations

import os

from engrain.adapters.cli.everyday.setup import OPTIONS, choose_hosts, find_state_dir, report_hosts
from engrain.adapters.cli.options import Answer, Arguments, Command
from engrain.adapters.hosts.planning import UninstallPlan, plan_uninstall
from engrain.adapters.hosts.table import HOSTS
from engrain.adapters.present.records import Data
from engrain.adapters.present.text import clean
from engrain.resolution.leftovers import describe_leftover, find_leftovers


def _uninstall(args: Arguments) -> Answer:
    hosts, absent = choose_hosts(args)
    state_dir = find_state_dir(args)
    others = [host for host in HOSTS.values() if host not in hosts]
    plans = [plan_uninstall(host, os.environ, state_dir, others=others) for host in hosts]

    def apply(plan: UninstallPlan) -> tuple[Data, list[str]]:
        copies = None if args.dry_run else plan.apply()
        copied = f"  what other programs changed since setup was copied to {copies}"
        return {"copies": copies}, [copied] if copies else []

    data, lines = report_hosts(args, plans, absent, apply)
    lines += [f"not on this machine: {host.title}" for host in absent]
    if not args.dry_run:
        lines.append("the vault was not changed")
    for folder in find_leftovers(os.environ):
        what, remedy = describe_leftover(folder)
        lines.append(f"{clean(folder)} was left: {what}; {remedy}")
    return data, lines


COMMAND = Command(
    _uninstall,
    f"""{OPTIONS}
$ engrain uninstall claude-code
$ engrain uninstall --all --dry-run
""",
    opens=None,
)
