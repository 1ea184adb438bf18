"""`engrain setup`: wire an agent's host to this memory: hooks, MCP server, skill."""

from __future__ import annotations

import argparse
import os
from collections.abc import Sequence
from typing import TypeAlias

from engrain.adapters.cli.console import Console
from engrain.adapters.cli.options import Command, open_from
from engrain.adapters.hosts.commands import may_vanish
from engrain.adapters.hosts.obstacles import find_obstacles
from engrain.adapters.hosts.planning import Plan, has_mcp, plan_setup
from engrain.adapters.hosts.table import HOSTS, Host
from engrain.adapters.present.failures import EXIT_OK
from engrain.adapters.present.records import envelope
from engrain.model.errors import UsageError
from engrain.resolution.config_file import set_default
from engrain.resolution.place import check_state_dir
from engrain.resolution.selector import absolute_location
from engrain.resolution.settings import default_state_dir, load_settings

Data: TypeAlias = "dict[str, object]"


_DEFAULT_VAULT = os.path.join("~", "engrain")


_NO_MCP = (
    "the MCP server is not wired: it needs an extra; install `engrain[mcp]`, then run this again"
)


_MAY_VANISH = (
    "this engrain runs from a cache that may be cleared, and the hooks with it: install it,"
    " for instance by `uv tool install engrain`, then run this again"
)


_FROM_ENVIRONMENT = (
    "the vault comes from ENGRAIN_VAULT, which a host started elsewhere does not see:"
    " `engrain config set vault {}` is for always"
)


def _arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("host", nargs="?", metavar="HOST", help=", ".join(HOSTS))
    parser.add_argument("--all", action="store_true", help="every host that is on this machine")
    parser.add_argument(
        "--dry-run", action="store_true", help="show every change as a diff, and change nothing"
    )


def _setup(args: argparse.Namespace, console: Console) -> int:
    hosts, absent = _choose(args)
    state_dir = _state_dir(args)
    with_mcp = has_mcp()
    # Every file of every host is read and understood before anything is made.
    plans = [plan_setup(host, os.environ, state_dir, with_mcp=with_mcp) for host in hosts]
    vault, lines, notes = _ensure_vault(args)
    if not with_mcp:
        notes.append(_NO_MCP)
    if may_vanish():
        notes.append(_MAY_VANISH)
    notes += [note for host in hosts for note in find_obstacles(host, os.environ)]
    described = []
    for plan in plans:
        if not args.dry_run:
            plan.apply()
        after = plan.host.after if plan.changed else ""
        described.append({**_describe(plan, args.dry_run), "next": after or None})
        lines += _lines(plan, args.dry_run)
        if after and not args.dry_run:
            lines.append(f"  next: {after}")
    lines += [f"not on this machine: {host.title}" for host in absent]
    lines += [f"note: {note}" for note in notes]
    if not args.dry_run and any(plan.changed for plan in plans):
        lines.append("`engrain doctor` runs every hook and tells its time")
    data: Data = {"vault": vault, "notes": notes}
    return _answer("setup", args, console, lines, described, absent, data)


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


def _ensure_vault(args: argparse.Namespace) -> tuple[Data, list[str], list[str]]:
    """The default vault, made if none is configured: (what it is, lines, notes)."""
    known = load_settings({}, os.environ, os.getcwd())["vault"]
    wanted = getattr(args, "vault", None)
    if known.value:
        location = absolute_location(known.value)
        if wanted and absolute_location(wanted) != location:
            raise UsageError(
                f"hooks use the default vault, which is {location} (from {known.origin})",
                remedy=f"`engrain config set vault {absolute_location(wanted)}` changes it",
            )
        notes = (
            [_FROM_ENVIRONMENT.format(location)] if known.origin.startswith("environment") else []
        )
        return {"path": location, "created": False}, [], notes
    location = absolute_location(wanted or _DEFAULT_VAULT)
    if args.dry_run:
        return {"path": location, "created": False}, [f"would make a vault: {location}"], []
    args.vault = location
    with open_from(args, create=True) as memory:
        memory.scan()
    written = set_default(os.environ, "vault", location)
    lines = [f"vault ready: {location}", f"it is now your default vault, by {written}"]
    return {"path": location, "created": True}, lines, []


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
    "setup": Command(
        _arguments,
        _setup,
        "engrain setup claude-code --dry-run",
        "engrain setup claude-code",
        "engrain setup --all --vault ~/memory",
    ),
}
