"""`engrain uninstall`: take out of a host what setup put there."""

from __future__ import annotations

import argparse
import os
from collections.abc import Sequence
from typing import TypeAlias

from engrain.adapters.cli.console import Console
from engrain.adapters.cli.options import Command
from engrain.adapters.hosts.planning import Plan, plan_uninstall
from engrain.adapters.hosts.table import HOSTS, Host
from engrain.adapters.present.failures import EXIT_OK
from engrain.adapters.present.records import envelope
from engrain.model.errors import UsageError
from engrain.resolution.place import check_state_dir
from engrain.resolution.settings import default_state_dir, load_settings

Data: TypeAlias = "dict[str, object]"


def _arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("host", nargs="?", metavar="HOST", help=", ".join(HOSTS))
    parser.add_argument("--all", action="store_true", help="every host that is on this machine")
    parser.add_argument(
        "--dry-run", action="store_true", help="show every change as a diff, and change nothing"
    )


def _uninstall(args: argparse.Namespace, console: Console) -> int:
    hosts, absent = _choose(args)
    state_dir = _state_dir(args)
    lines: list[str] = []
    described = []
    for plan in [plan_uninstall(host, os.environ, state_dir) for host in hosts]:
        copies = None if args.dry_run else plan.apply()
        described.append({**_describe(plan, args.dry_run), "copies": copies})
        lines += _lines(plan, args.dry_run)
        if copies:
            lines.append(f"  what others had changed since setup is kept, as it was, in {copies}")
    lines += [f"not on this machine: {host.title}" for host in absent]
    if not args.dry_run:
        lines.append("the vault is as it was")
    return _answer("uninstall", args, console, lines, described, absent, {})


def _choose(args: argparse.Namespace) -> tuple[list[Host], list[Host]]:
    """(the hosts that are meant, those of all that are not on this machine)."""
    if bool(args.host) == args.all:
        raise UsageError("name a host, or give --all", remedy="one of " + ", ".join(HOSTS))
    if args.host:
        if args.host not in HOSTS:
            raise UsageError(f"no host {args.host!r}", remedy="one of " + ", ".join(HOSTS))
        return [HOSTS[args.host]], []
    here = [host for host in HOSTS.values() if os.path.isdir(host.folder(os.environ))]
    return here, [host for host in HOSTS.values() if host not in here]


def _state_dir(args: argparse.Namespace) -> str:
    flags = {"state_dir": getattr(args, "state_dir", None)}
    given = load_settings(flags, os.environ, os.getcwd())["state_dir"].value
    state_dir = os.path.abspath(os.path.expanduser(given or default_state_dir(os.environ)))
    check_state_dir(state_dir, None)  # copies of other people's settings go there
    return state_dir


def _lines(plan: Plan, dry_run: bool) -> list[str]:
    lines = [plan.host.title + ("" if plan.changed else ": no change")]
    for change in plan.changes:
        if change.action != "unchanged":
            lines.append(f"  {'would be ' if dry_run else ''}{change.action}: {change.path}")
            lines += change.diff() if dry_run else []
    return lines


def _describe(plan: Plan, dry_run: bool) -> Data:
    files = []
    for change in plan.changes:
        file: Data = {"path": change.path, "action": change.action}
        if dry_run:
            file["diff"] = "\n".join(change.diff())
        files.append(file)
    return {"host": plan.host.name, "changed": plan.changed, "files": files}


def _answer(
    command: str,
    args: argparse.Namespace,
    console: Console,
    lines: Sequence[str],
    described: Sequence[Data],
    absent: Sequence[Host],
    more: Data,
) -> int:
    if console.as_json:
        data: Data = {
            "dry_run": args.dry_run,
            "hosts": list(described),
            "absent": [host.name for host in absent],
            **more,
        }
        console.write_json(envelope(command, data))
    else:
        console.write_lines(lines)
    return EXIT_OK


COMMANDS = {
    "uninstall": Command(
        _arguments,
        _uninstall,
        "engrain uninstall claude-code",
        "engrain uninstall --all --dry-run",
    ),
}
