"""An agent of launchd (launchd.plist(5)): runs that a sleep of the machine left out are not made
up by launchd, but by the next one, which runs whatever is due."""

from __future__ import annotations

import os
import plistlib

from engrain.adapters.hosts.files import Change, read
from engrain.adapters.hosts.schedules.schedule import (
    NICE,
    Found,
    Plan,
    Schedule,
    Scheduler,
    run_command,
)

_LAUNCHCTL = "launchctl"


class Launchd(Scheduler):
    """The agents of whoever runs this."""

    def find(self, name: str) -> Found | None:
        raw = read(_path(name))
        if raw is None:
            return None
        return Found(_path(name), raw.decode(errors="replace"), _is_loaded(name))

    def plan_install(self, schedule: Schedule) -> Plan:
        path = _path(schedule.name)
        change = Change(path, read(path), write_plist(schedule))
        loaded = _is_loaded(schedule.name)
        if loaded and change.action == "unchanged":
            return Plan([change])
        before = [(_LAUNCHCTL, "bootout", _service(schedule.name))] if loaded else []
        return Plan([change], before, [(_LAUNCHCTL, "bootstrap", _domain(), path)])

    def plan_remove(self, name: str) -> Plan:
        path = _path(name)
        before = read(path)
        if before is None:
            return Plan([])
        commands = [(_LAUNCHCTL, "bootout", _service(name))] if _is_loaded(name) else []
        return Plan([Change(path, before, None)], commands)


def write_plist(schedule: Schedule) -> bytes:
    """The agent's property list."""
    return plistlib.dumps(
        {
            "Label": schedule.name,
            "ProgramArguments": list(schedule.words),
            "StartInterval": schedule.every * 60,
            "RunAtLoad": True,
            "ProcessType": "Background",
            "LowPriorityIO": True,
            "Nice": NICE,
            "StandardOutPath": os.devnull,
            "StandardErrorPath": os.devnull,
        }
    )


def _path(name: str) -> str:
    return os.path.join(os.path.expanduser("~/Library/LaunchAgents"), f"{name}.plist")


def _domain() -> str:
    return f"gui/{os.getuid()}"


def _service(name: str) -> str:
    return f"{_domain()}/{name}"


def _is_loaded(name: str) -> bool:
    return run_command([_LAUNCHCTL, "print", _service(name)]).code == 0
