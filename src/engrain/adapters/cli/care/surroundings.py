"""What lies around a memory on this device, for the console: hosts, hooks, the server, settings."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from importlib.util import find_spec

from engrain.adapters.cli.care.erase import find_repository
from engrain.adapters.cli.everyday.doctor import examine
from engrain.adapters.cli.options import Arguments, flags_of
from engrain.adapters.hooks.losses import forget_losses, read_losses
from engrain.adapters.hosts.check import BUDGETS, find_wired
from engrain.adapters.mcp.singleton import find_running
from engrain.adapters.present.text import counted
from engrain.adapters.web.asking import Around, Fact
from engrain.adapters.web.doors import Doors
from engrain.api.memory import Memory
from engrain.engine.diagnosis import Finding
from engrain.resolution.selector import Resolution
from engrain.resolution.settings import KEYS, load_settings

_LATELY = 7 * 86_400.0
_LEVELS = {"ok": "", "warning": "warning"}


_PARTS = ("jinja2", "markdown_it", "nh3", "starlette", "uvicorn")


def find_missing_parts() -> list[str]:
    """The packages of the extra `console` that are not installed."""
    return [name for name in _PARTS if find_spec(name) is None]


def open_console(memory: Memory, port: int, around: Around) -> Doors:
    """The console over a memory, for a server on this port; the extra must be installed."""
    from engrain.adapters.web.serving import make_console

    return make_console(memory, port, around)


def look_around(place: Resolution, args: Arguments) -> Around:
    """What the console shows of the device on which a vault was resolved by these arguments."""
    return Around(
        status=lambda: list(_list_status(place)),
        losses=lambda since: _list_losses(place, since),
        check=lambda memory: [_tell(finding) for finding in examine(memory, place)],
        settings=lambda: list(_list_settings(args)),
        forget_losses=lambda tells: forget_losses(place.state_dir, tells),
        unreachable=lambda: list(_list_unreachable(place)),
    )


def _tell(finding: Finding) -> Fact:
    where = f"{finding.path}: " if finding.path else ""
    remedy = f"; {finding.remedy}" if finding.remedy else ""
    level = _LEVELS.get(finding.level, "bad")
    return Fact(finding.subject, f"{where}{finding.message}{remedy}", level)


def _list_status(place: Resolution) -> Iterator[Fact]:
    wired = [name for name, is_wired in find_wired(os.environ).items() if is_wired]
    yield Fact("hosts", ", ".join(wired) or "none is wired: engrain setup --all")
    server = find_running(place)
    text = f"{server.url or server.socket}, process {server.pid}" if server else "none runs"
    yield Fact("server", text)
    losses = _list_losses(place, time.time() - _LATELY)
    if losses:
        times = counted(len(losses), "time")
        text = f"{times} in 7 days one could not do all of its work; last {losses[-1].text}"
        yield Fact("hooks", text, "warning", losses[-1].at)
    else:
        yield Fact("hooks", "each did all of its work in the last 7 days")


def _list_losses(place: Resolution, since: float) -> list[Fact]:
    """What hooks could not do, each with the time it took and may take."""
    return [
        Fact(
            f"{one.event} of {one.host}",
            f"{one.event} of {one.host} after {one.ms} ms{_name_budget(one.event)}: {one.reason}",
            "warning",
            one.at,
        )
        for one in read_losses(place.state_dir, since)
    ]


def _name_budget(event: str) -> str:
    return f" of {BUDGETS[event] * 1000:.0f}" if event in BUDGETS else ""


def _list_settings(args: Arguments) -> Iterator[tuple[str, str, str, str, str]]:
    settings = load_settings(flags_of(args), os.environ, os.getcwd())
    for name, key in KEYS.items():
        found = settings[name]
        yield name, found.value or "", found.origin, key.meaning, key.default or ""


def _list_unreachable(place: Resolution) -> Iterator[str]:
    if repository := find_repository(place.location):
        yield f"{repository}: the vault lies in this git repository"
