"""A timer and a service of systemd's user manager (systemd.timer(5), systemd.service(5))."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence

from engrain.adapters.hosts.files import Change, read, remove_folders, write_all
from engrain.adapters.hosts.schedules.schedule import (
    NICE,
    Found,
    Plan,
    Schedule,
    Scheduler,
    run_command,
)
from engrain.model.errors import UsageError

_SYSTEMCTL = ("systemctl", "--user")
_NOTE = "# `engrain schedule install` wrote this, and `engrain schedule remove` takes it away.\n"
_NOT_IN_A_PROGRAM = frozenset("'\"\\")
_SPREAD = 30
"""Seconds over which runs are spread, so that the jobs of several vaults do not start as one."""


class Systemd(Scheduler):
    """`environ` says where the user's units are."""

    def __init__(self, environ: Mapping[str, str]) -> None:
        given = environ.get("XDG_CONFIG_HOME", "")
        config = given if os.path.isabs(given) else os.path.expanduser("~/.config")
        self._folder = os.path.join(config, "systemd", "user")

    def find(self, name: str) -> Found | None:
        timer, service = self._path(name, "timer"), self._path(name, "service")
        texts = [raw for raw in (read(timer), read(service)) if raw is not None]
        if not texts:
            return None
        active = run_command([*_SYSTEMCTL, "is-active", f"{name}.timer"]).code == 0
        return Found(timer, b"\n".join(texts).decode(errors="replace"), active)

    def plan_install(self, schedule: Schedule) -> Plan:
        texts = {"service": write_service(schedule), "timer": write_timer(schedule)}
        changes = [
            Change(path, read(path), text.encode())
            for ending, text in texts.items()
            for path in [self._path(schedule.name, ending)]
        ]
        timer = f"{schedule.name}.timer"
        as_wanted = all(change.action == "unchanged" for change in changes)
        if as_wanted and os.path.islink(self._link(schedule.name)):
            return Plan(changes)
        commands = (("daemon-reload",), ("enable", timer), ("restart", timer))
        return Plan(changes, after=[(*_SYSTEMCTL, *words) for words in commands])

    def plan_remove(self, name: str) -> Plan:
        changes = [
            Change(path, before, None)
            for path in (self._path(name, "timer"), self._path(name, "service"))
            if (before := read(path)) is not None
        ]
        if not changes:
            return Plan([])

        def write(changes: Sequence[Change]) -> None:
            # As `systemctl disable` does it, but where no manager runs too.
            if os.path.islink(self._link(name)):
                os.unlink(self._link(name))
            write_all(changes)
            remove_folders([os.path.dirname(self._link(name))])

        return Plan(
            changes,
            before=[(*_SYSTEMCTL, "stop", f"{name}.timer")],
            after=[(*_SYSTEMCTL, "daemon-reload")],
            write=write,
        )

    def _path(self, name: str, ending: str) -> str:
        return os.path.join(self._folder, f"{name}.{ending}")

    def _link(self, name: str) -> str:
        """What `systemctl enable` makes."""
        return os.path.join(self._folder, "timers.target.wants", f"{name}.timer")


def write_service(schedule: Schedule) -> str:
    """The unit that runs the jobs once. Raises UsageError for a program it could not start."""
    program, *words = schedule.words
    if not _NOT_IN_A_PROGRAM.isdisjoint(program):
        raise UsageError(
            f"systemd starts no program with a quote or backslash in its path: {program[:80]}",
            remedy="give another --kind",
        )
    # A `$` begins a variable in arguments alone; the program is no place for one.
    command = " ".join([_quote(program), *(_quote(word).replace("$", "$$") for word in words)])
    return (
        f"{_NOTE}[Unit]\nDescription={_describe(schedule)}\n\n"
        f"[Service]\nType=oneshot\nExecStart={command}\nNice={NICE}\n"
        "IOSchedulingClass=idle\nStandardOutput=null\n"
    )


def write_timer(schedule: Schedule) -> str:
    """The unit that says when; `Persistent` makes up once for every run that was missed."""
    return (
        f"{_NOTE}[Unit]\nDescription={_describe(schedule)}\n\n"
        f"[Timer]\nOnCalendar={_calendar(schedule.every)}\nPersistent=true\n"
        f"RandomizedDelaySec={_SPREAD}\n\n"
        "[Install]\nWantedBy=timers.target\n"
    )


def _calendar(every: int) -> str:
    if every < 60:
        return f"*-*-* *:00/{every}:00"
    return "*-*-* 00:00:00" if every == 1440 else f"*-*-* 00/{every // 60}:00:00"


def _describe(schedule: Schedule) -> str:
    # In quotes, or a backslash at its end would join the next line to it.
    return f'Engrain jobs of "{schedule.location}"'.replace("%", "%%")


def _quote(word: str) -> str:
    escaped = word.replace("\\", "\\\\").replace('"', '\\"').replace("%", "%%")
    return f'"{escaped}"'
