"""`engrain setup`: connect an agent's host to this memory: hooks, MCP server, skill."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal, TypeVar

from engrain.adapters.cli.base import Answer, BaseCommand, argument, flag, option
from engrain.adapters.cli.deciding import ask, choose, has_person
from engrain.adapters.cli.files import describe_files, file_lines
from engrain.adapters.hooks.answers import WRITING
from engrain.adapters.hosts.check import find_obstacles
from engrain.adapters.hosts.commands import may_vanish
from engrain.adapters.hosts.planning import (
    HostPlan,
    Ledger,
    SetupPlan,
    UninstallPlan,
    plan_setup,
    plan_uninstall,
)
from engrain.adapters.hosts.table import HOSTS, Host
from engrain.adapters.present.records import Data
from engrain.engine.core.scope import ASK, MINE
from engrain.lifecycle.policy import AGENT, LEARN, MODEL, NO, RULES
from engrain.model.errors import UsageError
from engrain.resolution.config_file import set_default_vault, set_value
from engrain.resolution.files import check_state_dir
from engrain.resolution.selector import absolute_location
from engrain.resolution.settings import (
    Setting,
    absolute_state_dir,
    is_afar,
    load_settings,
    user_config_file,
)
from engrain.resolution.sources import HOSTS as KEEPERS
from engrain.resolution.sources import find_transcripts

P = TypeVar("P", bound=HostPlan)
_CHOICES = (RULES, AGENT, MODEL, NO)
_EDITS = "edits"
_WHOSE = (
    "A file of the vault that is changed in an editor on this device counts as your own word."
    " If other programs write there too, it can wait until you accept it (`engrain review`)."
)
UNASKED = "default"
"""Where the setting comes from if nobody was asked."""
_COST = "1,500 to 4,500"
*_OTHERS, _LAST = [HOSTS[name].title for name in KEEPERS]
_EXPLANATION = (
    f"Learning reads transcripts of {', '.join(_OTHERS)} and {_LAST} on this device, after a turn"
    " and at a session's end.",
    "It keeps tasks with their errors and fixes, what you state, facts and a line per session in"
    " the daily note: never a transcript, and no secrets.",
    "rules: only what is certain, and nothing leaves this device. agent: your own client reads each"
    f" session once more, which costs {_COST} tokens of your plan a session, at most 20"
    " sessions and 100,000 tokens a day. model: the server of llm_url does.",
    f"`engrain config set {LEARN} {NO}` ends it.",
)
_SENT = "The lessons and what you state are then sent to {}, the rest stays on this device."
_NOT_ASKED = "not asked: Engrain does not learn from sessions until `--learn rules` is given"
_LEFT = (
    "no host is connected now; this device keeps settings and keys in {}, index and journals in {}:"
    " remove them too if you will not use the vault here again"
)
_DEFAULT_VAULT = os.path.join("~", "engrain")
_MAY_VANISH = (
    "this engrain runs from a cache that may be cleared, and the hooks with it: install it"
    " with `pipx install` or `uv tool install`, then run this again"
)
_FROM_ENVIRONMENT = (
    "the vault comes from ENGRAIN_VAULT, which a host started elsewhere does not see;"
    " `engrain config set vault {}` makes it permanent"
)


@dataclass(kw_only=True)
class SetupCommand(BaseCommand):
    """Connect an agent's host to this memory, or --remove it again."""

    examples = """
engrain setup claude-code --dry-run
engrain setup claude-code --learn agent
engrain setup --all --vault ~/memory
engrain setup claude-code --remove
engrain setup --all --remove --dry-run
"""
    host: str | None = argument(", ".join(HOSTS), "HOST", default=None)
    all: bool = flag("every host that is on this machine")
    dry_run: bool = flag("show every change as a diff, and change nothing")
    remove: bool = flag("remove from the host what setup added; the vault stays")
    edits: Literal["mine", "ask", "external"] | None = option(
        "whose an edit in an editor is; else you are asked once, in a terminal"
    )
    learn: Literal["rules", "agent", "model", "no"] | None = option(
        "who judges what sessions teach; else you are asked once"
    )

    def check(self) -> None:
        if self.remove and (self.learn or self.edits):
            raise UsageError("--remove takes no --learn and no --edits")

    def run(self) -> Answer:
        if self.remove:
            return _remove(self)
        hosts, absent = _choose_hosts(self)
        state_dir = _find_state_dir(self)
        # Every file of every host is read and understood before anything is made.
        plans = [plan_setup(host, os.environ, state_dir) for host in hosts]
        afar = _find_remote(self)
        vault, lines, notes = afar or _ensure_vault(self)
        notes += [_MAY_VANISH] if may_vanish() else []
        notes += [note for host in hosts for note in find_obstacles(host, os.environ)]

        def apply(plan: SetupPlan) -> tuple[Data, list[str]]:
            after = plan.host.after if plan.changed else ""
            if self.dry_run:
                return {"next": after or None}, []
            plan.apply()
            return {"next": after or None}, [f"  next: {after}"] if after else []

        data, done = _report_hosts(self, plans, absent, apply)
        learning, asked = _agree_to_learn(self, hosts, str(vault["path"]) if afar else "")
        edits, told = _agree_on_edits(self)
        lines += [*done, *asked, *told]
        lines += _describe_absent(absent)
        lines += [f"note: {note}" for note in notes]
        if not self.dry_run and any(plan.changed for plan in plans):
            lines.append("`engrain doctor` runs every hook and shows how long each takes")
        return {**data, "vault": vault, "learning": learning, **edits, "notes": notes}, lines


def _remove(args: SetupCommand) -> Answer:
    """Remove from hosts what setup added."""
    hosts, absent = _choose_hosts(args)
    state_dir = _find_state_dir(args)
    others = [host for host in HOSTS.values() if host not in hosts]
    plans = [plan_uninstall(host, os.environ, state_dir, others=others) for host in hosts]

    def apply(plan: UninstallPlan) -> tuple[Data, list[str]]:
        copies = None if args.dry_run else plan.apply()
        if plan.host.name == WRITING and not args.dry_run:  # our plugin wrote them
            shutil.rmtree(find_transcripts(WRITING, os.environ), ignore_errors=True)
        copied = f"  what other programs changed since setup was copied to {copies}"
        return {"copies": copies}, [copied] if copies else []

    data, lines = _report_hosts(args, plans, absent, apply)
    lines += _describe_absent(absent)
    if args.dry_run:
        return data, lines
    lines.append("the vault was not changed")
    left = _find_left(state_dir)
    return {**data, "left": left}, [*lines, *([_LEFT.format(*left)] if left else [])]


def _find_left(state_dir: str) -> list[str]:
    """Return the folders of this device that stay once no host is connected: that of settings and
    keys, and the state folder."""
    if any(Ledger(state_dir, name).files for name in HOSTS):
        return []
    return [os.path.dirname(user_config_file(os.environ)), state_dir]


def _choose_hosts(args: SetupCommand) -> tuple[list[Host], list[Host]]:
    """Choose the hosts that are meant, and with --all those that are not on this machine."""
    here = [host for host in HOSTS.values() if os.path.isdir(host.folder(os.environ))]
    if bool(args.host) == args.all:
        found = ", ".join(host.name for host in here) or "none"
        remedy = f"found on this machine: {found}; there are {', '.join(HOSTS)}"
        raise UsageError("name a host, or give --all", remedy=remedy)
    if args.host:
        if args.host not in HOSTS:
            raise UsageError(f"no host {args.host!r}", remedy="one of " + ", ".join(HOSTS))
        return [HOSTS[args.host]], []
    return here, [host for host in HOSTS.values() if host not in here]


def _describe_absent(absent: Sequence[Host]) -> list[str]:
    """Return a line that names the hosts that are not on this machine, none if all are."""
    names = ", ".join(host.title for host in absent)
    return [f"not on this machine: {names}"] if names else []


def _find_state_dir(args: SetupCommand) -> str:
    """Return the state folder, where copies of other people's settings are kept. Raises
    ConfigError."""
    flags = {"state_dir": args.state_dir}
    given = load_settings(flags, os.environ, os.getcwd())["state_dir"].value
    state_dir = absolute_state_dir(given, os.environ)
    check_state_dir(state_dir, None)
    return state_dir


def _report_hosts(
    args: SetupCommand,
    plans: Sequence[P],
    absent: Sequence[Host],
    apply: Callable[[P], tuple[Data, list[str]]],
) -> tuple[Data, list[str]]:
    """Report what is done to the files of hosts. `apply` carries out a plan, unless this is a dry
    run, and returns more data and lines."""
    described = []
    lines: list[str] = []
    seen: dict[str, str] = {}
    for plan in plans:
        more, said = apply(plan)
        files = describe_files(plan.changes, dry_run=args.dry_run)
        described.append({"host": plan.host.name, "changed": plan.changed, "files": files, **more})
        lines.append(plan.host.title + ("" if plan.changed else ": no change"))
        lines += [*file_lines(plan.changes, dry_run=args.dry_run, seen=seen), *said]
    names = [host.name for host in absent]
    return {"dry_run": args.dry_run, "hosts": described, "absent": names}, lines


def read_agreement(name: str = LEARN) -> Setting:
    """Read the setting for learning; its origin is `UNASKED` where nobody was asked."""
    return load_settings({}, os.environ, os.getcwd())[name]


def _agree_to_learn(
    args: SetupCommand, hosts: Sequence[Host], remote: str
) -> tuple[Data, list[str]]:
    """Set who judges what sessions teach, by the option, else by asking a person once: (what holds
    now, lines). With a `remote` memory that agrees to send it what they teach. Without a person
    nothing is set, which means nobody. Raises ConfigError."""
    setting = read_agreement("remote.learn" if remote else LEARN)
    said: str | None = args.learn
    *told, ends = _EXPLANATION
    told += [*([_SENT.format(remote)] if remote else []), ends]
    lines = told if said not in (None, NO) else []
    if said is None and setting.origin == UNASKED and any(host.name in KEEPERS for host in hosts):
        if args.dry_run or not has_person(args.console):
            lines = [*told, _NOT_ASKED]
        else:
            args.console.write_lines(told)
            said = choose(args.console, "Learn from sessions?", _CHOICES, NO)
    if said is None:
        return {"by": read_agreement().value, "asked": setting.origin != UNASKED}, lines
    return {"by": said, "asked": True}, [*lines, *_set_judge(args, said, remote)]


def _set_judge(args: SetupCommand, said: str, remote: str) -> Iterator[str]:
    """Set who judges; yield what there is to say of it."""
    yield _set(args, LEARN, said)
    if remote:
        yield _set(args, "remote.learn", "no" if said == NO else "yes")
    if said == MODEL and not load_settings({}, os.environ, os.getcwd())["llm_url"].value:
        yield "no model is set yet: `engrain config set llm_url URL`, and llm_model"


def _set(args: SetupCommand, name: str, value: str) -> str:
    """Set a setting, unless this is a dry run; return what is said of it."""
    would = "would be" if args.dry_run else "is"
    path = user_config_file(os.environ) if args.dry_run else set_value(os.environ, name, value)
    return f"{name} {would} {value}, by {path}"


def _agree_on_edits(args: SetupCommand) -> tuple[Data, list[str]]:
    """Set whose an edit in an editor is, by the option, else by asking a person once: (what holds
    now, lines). Without a person the default stays. Raises ConfigError."""
    setting = load_settings({}, os.environ, os.getcwd())[_EDITS]
    said: str | None = args.edits
    if said is None and setting.origin == UNASKED and not args.dry_run and has_person(args.console):
        args.console.write_lines([_WHOSE])
        said = ASK if ask(args.console, "Hold them until you accept them? [y/N]") else MINE
    if said is None:
        return {_EDITS: setting.value}, []
    return {_EDITS: said}, [_set(args, _EDITS, said)]


def _find_remote(args: SetupCommand) -> tuple[Data, list[str], list[str]] | None:
    """Find the remote server that hooks and tools ask where it is set and no vault is named: (what
    it is, lines, notes)."""
    settings = load_settings({}, os.environ, os.getcwd())
    remote = settings["remote.url"].value
    if args.vault or not is_afar(settings):
        return None
    return {"path": remote, "created": False}, [f"memory: {remote}"], []


def _ensure_vault(args: SetupCommand) -> tuple[Data, list[str], list[str]]:
    """Find the default vault, or make one: (what it is, lines, notes)."""
    known = load_settings({}, os.environ, os.getcwd())["vault"]
    wanted = args.vault
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
            with args.open() as memory:
                assert memory.vault
        return data, [], notes
    if args.dry_run:
        return data, [f"would make a vault: {location}"], notes
    args.vault = location
    with args.open(create=True) as memory:
        memory.scan()
        recall = memory.survey().recall
    lines = [f"vault ready: {location}"]
    if not known.value:
        written = set_default_vault(os.environ, location)
        lines.append(f"it is now your default vault, by {written}")
    lines.append(f"recall: {recall}")
    return {**data, "created": True}, lines, notes


COMMAND = SetupCommand
