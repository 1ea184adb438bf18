"""Which scheduler: the one that has the schedule, else the one that runs here."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Mapping

from engrain.adapters.hosts.schedules.cron import Cron
from engrain.adapters.hosts.schedules.launchd import Launchd
from engrain.adapters.hosts.schedules.schedule import Found, Scheduler
from engrain.adapters.hosts.schedules.systemd import Systemd
from engrain.model.errors import ConfigError

KINDS = ("systemd", "cron", "launchd")


def open_scheduler(kind: str, environ: Mapping[str, str]) -> Scheduler:
    """The scheduler of that kind."""
    if kind == "systemd":
        return Systemd(environ)
    if kind == "cron":
        return Cron()
    return Launchd()


def find_installed(name: str, environ: Mapping[str, str]) -> dict[str, Found]:
    """By kind, where the schedule of that name is installed."""
    found = {kind: open_scheduler(kind, environ).find(name) for kind in KINDS}
    return {kind: one for kind, one in found.items() if one is not None}


def choose_kind(name: str, environ: Mapping[str, str]) -> tuple[str, str]:
    """(the kind to install that schedule with, why). Raises ConfigError when there is none."""
    for kind in find_installed(name, environ):
        return kind, "the schedule is there already"
    if sys.platform == "darwin":
        return "launchd", "this is macOS"
    path = environ.get("PATH")
    runtime = environ.get("XDG_RUNTIME_DIR") or f"/run/user/{os.getuid()}"
    if shutil.which("systemctl", path=path):
        if os.path.exists(os.path.join(runtime, "systemd", "private")):
            return "systemd", "systemd's user manager runs here"
        if not shutil.which("crontab", path=path):
            return "systemd", "systemctl is here, and its user manager runs while you are logged in"
    if shutil.which("crontab", path=path):
        return "cron", "crontab is here, and no user manager of systemd runs"
    raise ConfigError(
        "no scheduler is here: neither systemctl nor crontab",
        remedy="let the server run the jobs (`engrain mcp`), or give --kind to have the files",
    )
