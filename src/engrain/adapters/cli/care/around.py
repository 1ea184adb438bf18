"""What the console's pages ask of this device: hosts, hooks, the server, settings, the vault's
folder."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator

from engrain.adapters.cli.care.config import change_setting
from engrain.adapters.cli.care.erase import find_repository
from engrain.adapters.cli.everyday.doctor import examine
from engrain.adapters.cli.options import Arguments, flags_of
from engrain.adapters.hooks.losses import forget_losses, read_losses, read_times
from engrain.adapters.hosts.check import BUDGETS, find_wired
from engrain.adapters.mcp.singleton import find_running
from engrain.adapters.present.text import counted
from engrain.adapters.web.asking import Fact, Pace, Setting
from engrain.api.memory import Memory
from engrain.model.errors import UsageError
from engrain.model.settings import KEYS
from engrain.resolution.config_file import config_version
from engrain.resolution.selector import Resolution
from engrain.resolution.settings import load_settings, user_config_file

_LATELY = 7 * 86_400.0
_LEVELS = {"ok": "", "warning": "warning"}


def check_all(place: Resolution, memory: Memory) -> list[Fact]:
    """Return what `engrain doctor` finds."""
    facts = []
    for finding in examine(memory, place):
        where = f"{finding.path}: " if finding.path else ""
        remedy = f"; {finding.remedy}" if finding.remedy else ""
        level = _LEVELS.get(finding.level, "bad")
        facts.append(Fact(finding.subject, f"{where}{finding.message}{remedy}", level))
    return facts


def drop_losses(place: Resolution, tells: Callable[[str], bool]) -> None:
    """Remove from the hooks' log what tells of something that is erased. Raises OSError."""
    forget_losses(place.state_dir, tells)


def list_status(place: Resolution) -> list[Fact]:
    """Return the state of hosts, the server and hooks."""
    wired = [name for name, is_wired in find_wired(os.environ).items() if is_wired]
    server = find_running(place)
    address = f"{server.url or server.socket}, process {server.pid}" if server else "none runs"
    hooks = Fact("hooks", "each did all of its work in the last 7 days")
    if losses := list_losses(place, time.time() - _LATELY):
        times = counted(len(losses), "time")
        text = f"{times} in 7 days one could not do all of its work; last {losses[-1].text}"
        hooks = Fact("hooks", text, "warning", losses[-1].at)
    hosts = Fact("hosts", ", ".join(wired) or "none is connected: engrain setup --all")
    return [hosts, Fact("server", address), hooks]


def list_losses(place: Resolution, since: float) -> list[Fact]:
    """Return what hooks could not do, each with the time it took and may take."""

    def budget(event: str) -> str:
        return f" of {BUDGETS[event] * 1000:.0f}" if event in BUDGETS else ""

    return [
        Fact(
            f"{one.event} of {one.host}",
            f"{one.event} of {one.host} after {one.ms} ms{budget(one.event)}: {one.reason}",
            "warning",
            one.at,
        )
        for one in read_losses(place.state_dir, since)
    ]


_BY_HAND = ("vault", "also", "shards", "backend", "state_dir", "personal.root", "remote.", "serve.")
"""What says which memories these are, which notes are the operator's own and how a remote server
is reached: not set by a page."""


def list_settings(args: Arguments) -> tuple[str, list[Setting]]:
    """Return the version of the user's file, and every setting. Raises ConfigError."""
    version = config_version(os.environ)
    found = load_settings(flags_of(args), os.environ, os.getcwd())
    own = ("default", f"user configuration {user_config_file(os.environ)}")
    return version, [
        Setting(
            name,
            found[name].value or "",
            found[name].origin,
            key.meaning,
            key.default or "",
            found[name].origin in own and not name.startswith(_BY_HAND),
        )
        for name, key in KEYS.items()
    ]


def change_value(args: Arguments, name: str, value: str | None, version: str) -> str:
    """Set a setting as `engrain config set` does; return what was done. Raises UsageError too."""
    if name not in KEYS or name.startswith(_BY_HAND):
        raise UsageError(f"{name[:40]!r} is not set here", remedy="engrain config set")
    settings = load_settings(flags_of(args), os.environ, os.getcwd())
    config = change_setting(settings, name, value, version)
    return f"{name} = {value or '(unset)'}, in {config}"


def list_paces(place: Resolution) -> list[Pace]:
    """Return how fast hooks were in the last days."""
    return [
        Pace(one.event, one.count, one.median, one.p95, one.budget, one.warm)
        for one in read_times(place.state_dir, time.time() - _LATELY)
    ]


def list_unreachable(place: Resolution) -> Iterator[str]:
    """Yield places that no erasure reaches."""
    if repository := find_repository(place.location):
        yield f"{repository}: the vault lies in this git repository"
