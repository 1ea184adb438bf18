"""`engrain setup`: connect an agent's host to this memory: hooks, MCP server, skill."""

from __future__ import annotations

import os
from collections.abc import Iterator

from engrain.adapters.cli.agreeing import OPTION, agree_to_learn
from engrain.adapters.cli.answer import Answer
from engrain.adapters.cli.console import Console
from engrain.adapters.cli.diffs import describe_files, file_lines
from engrain.adapters.cli.options import Arguments, Command, open_from
from engrain.adapters.hosts.check import find_obstacles
from engrain.adapters.hosts.commands import may_vanish
from engrain.adapters.hosts.planning import Plan, plan_setup
from engrain.adapters.hosts.table import HOSTS, Host
from engrain.adapters.present.records import Data
from engrain.model.errors import UsageError
from engrain.resolution.config_file import set_default
from engrain.resolution.place import check_state_dir
from engrain.resolution.selector import absolute_location
from engrain.resolution.settings import default_state_dir, load_settings

_DEFAULT_VAULT = os.path.join("~", "engrain")
_MAY_VANISH = (
    "this engrain runs from a cache that may be cleared, and the hooks with it: install it,"
    " for instance by `uv tool install engrain`, then run this again"
)
_FROM_ENVIRONMENT = (
    "the vault comes from ENGRAIN_VAULT, which a host started elsewhere does not see;"
    " `engrain config set vault {}` makes it permanent"
)
OPTIONS = f"""
host=HOST?  {", ".join(HOSTS)}
--all       every host that is on this machine
--dry-run   show every change as a diff, and change nothing
"""


def _setup(args: Arguments, console: Console) -> Answer:
    hosts, absent = choose_hosts(args)
    state_dir = find_state_dir(args)
    # Every file of every host is read and understood before anything is made.
    plans = [plan_setup(host, os.environ, state_dir) for host in hosts]
    vault, lines, notes = _ensure_vault(args)
    notes += [_MAY_VANISH] if may_vanish() else []
    notes += [note for host in hosts for note in find_obstacles(host, os.environ)]
    described: list[Data] = []
    seen: dict[str, str] = {}
    for plan in plans:
        if not args.dry_run:
            plan.apply()
        after = plan.host.after if plan.changed else ""
        described.append({**describe_plan(plan, args.dry_run), "next": after or None})
        lines += plan_lines(plan, args.dry_run, seen)
        if after and not args.dry_run:
            lines.append(f"  next: {after}")
    learning, asked = agree_to_learn(args, hosts, console)
    lines += asked
    lines += [f"not on this machine: {host.title}" for host in absent]
    lines += [f"note: {note}" for note in notes]
    if not args.dry_run and any(plan.changed for plan in plans):
        lines.append("`engrain doctor` runs every hook and shows how long each takes")
    data = describe_hosts(args, described, absent)
    return {**data, "vault": vault, "learning": learning, "notes": notes}, lines


def choose_hosts(args: Arguments) -> tuple[list[Host], list[Host]]:
    """Choose the hosts that are meant, and with --all those that are not on this machine."""
    if bool(args.host) == args.all:
        raise UsageError("name a host, or give --all", remedy="one of " + ", ".join(HOSTS))
    if args.host:
        if args.host not in HOSTS:
            raise UsageError(f"no host {args.host!r}", remedy="one of " + ", ".join(HOSTS))
        return [HOSTS[args.host]], []
    here = [host for host in HOSTS.values() if os.path.isdir(host.folder(os.environ))]
    return here, [host for host in HOSTS.values() if host not in here]


def find_state_dir(args: Arguments) -> str:
    """The state folder, where copies of other people's settings are kept. Raises ConfigError."""
    flags = {"state_dir": getattr(args, "state_dir", None)}
    given = load_settings(flags, os.environ, os.getcwd())["state_dir"].value
    state_dir = os.path.abspath(os.path.expanduser(given or default_state_dir(os.environ)))
    check_state_dir(state_dir, None)
    return state_dir


def plan_lines(plan: Plan, dry_run: bool, seen: dict[str, str]) -> Iterator[str]:
    """A host, and its files that change; a text that is in `seen` is not shown again."""
    yield plan.host.title + ("" if plan.changed else ": no change")
    yield from file_lines(plan.changes, dry_run=dry_run, seen=seen)


def describe_plan(plan: Plan, dry_run: bool) -> Data:
    """What is done to a host's files."""
    files = describe_files(plan.changes, dry_run=dry_run)
    return {"host": plan.host.name, "changed": plan.changed, "files": files}


def describe_hosts(args: Arguments, plans: list[Data], absent: list[Host]) -> Data:
    """What is done to all hosts, and which of them are not on this machine."""
    return {
        "dry_run": args.dry_run, "hosts": plans, "absent": [host.name for host in absent],
    }  # fmt: skip


def _ensure_vault(args: Arguments) -> tuple[Data, list[str], list[str]]:
    """The default vault, made if none is configured: (what it is, lines, notes)."""
    known = load_settings({}, os.environ, os.getcwd())["vault"]
    wanted = getattr(args, "vault", None)
    location = absolute_location(known.value or wanted or _DEFAULT_VAULT)
    passing = known.origin.startswith("environment")
    if known.value and wanted and absolute_location(wanted) != location:
        raise UsageError(
            f"hooks use the default vault, which is {location} (from {known.origin})",
            remedy=f"`engrain config set vault {absolute_location(wanted)}` changes it",
        )
    notes = [_FROM_ENVIRONMENT.format(location)] if passing else []
    data: Data = {"path": location, "created": False}
    # One that the settings name and that is gone may be on a disk that is not there now.
    if known.value and (not passing or os.path.lexists(location)):
        if not args.dry_run:
            with open_from(args) as memory:
                assert memory.vault
        return data, [], notes
    if args.dry_run:
        return data, [f"would make a vault: {location}"], notes
    args.vault = location
    with open_from(args, create=True) as memory:
        memory.scan()
        recall = memory.survey().recall
    lines = [f"vault ready: {location}"]
    if not known.value:
        written = set_default(os.environ, "vault", location)
        lines.append(f"it is now your default vault, by {written}")
    lines.append(f"recall: {recall}")
    return {**data, "created": True}, lines, notes


COMMAND = Command(
    _setup,
    f"""{OPTIONS}{OPTION.lstrip()}
$ engrain setup claude-code --dry-run
$ engrain setup claude-code --learn yes
$ engrain setup --all --vault ~/memory
""",
)
