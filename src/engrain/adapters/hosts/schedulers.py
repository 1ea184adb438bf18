"""The schedulers of operating systems: systemd's user manager, and cron (also on macOS).

Sources: systemd.timer(5), systemd.service(5), crontab(5).
"""

from __future__ import annotations

import os
import re
import shlex
import shutil
from collections.abc import Mapping, Sequence

from engrain.adapters.hosts.files import FileEdit, read, remove_folders, write_all
from engrain.adapters.hosts.schedule import NICE, Schedule, SchedulePlan, run_command
from engrain.model.errors import ConfigError, ConflictError, StorageError, UsageError

KINDS = ("systemd", "cron")
_SYSTEMCTL = ("systemctl", "--user")
_UNIT_NOTE = "# `engrain jobs schedule` wrote this, and `engrain jobs unschedule` takes it away.\n"
_NOT_IN_A_PROGRAM = frozenset("'\"\\")
_SPREAD = 30
"""Seconds over which runs are spread, so that the jobs of several vaults do not start as one."""
_CRONTAB = "crontab"
_MISSING = 127
_NONE_YET = re.compile(r"no crontab for|No such file or directory")
"""The messages of `crontab -l` that say there is none; after any other failure there may be one."""


class Systemd:
    """The user's units, below the configuration folder of `environ`. Plans raise ConfigError for
    what can't be read."""

    def __init__(self, environ: Mapping[str, str]) -> None:
        given = environ.get("XDG_CONFIG_HOME", "")
        config = given if os.path.isabs(given) else os.path.expanduser("~/.config")
        self._folder = os.path.join(config, "systemd", "user")

    def has(self, name: str) -> bool:
        """Return whether the schedule of that name is installed."""
        return bool(self._change_files(name, None, None))

    def plan_install(self, schedule: Schedule) -> SchedulePlan:
        changes = self._change_files(schedule.name, write_timer(schedule), write_service(schedule))
        timer = f"{schedule.name}.timer"
        as_wanted = all(change.action == "unchanged" for change in changes)
        if as_wanted and os.path.islink(self._link(schedule.name)):
            return SchedulePlan(changes)
        commands = (("daemon-reload",), ("enable", timer), ("restart", timer))
        return SchedulePlan(changes, after=[(*_SYSTEMCTL, *words) for words in commands])

    def plan_remove(self, name: str) -> SchedulePlan:
        changes = self._change_files(name, None, None)
        if not changes:
            return SchedulePlan([])

        def write(changes: Sequence[FileEdit]) -> None:
            # `systemctl disable` would do the same, but only where a manager runs.
            if os.path.islink(self._link(name)):
                os.unlink(self._link(name))
            write_all(changes)
            remove_folders([os.path.dirname(self._link(name))])

        stop, reload = (*_SYSTEMCTL, "stop", f"{name}.timer"), (*_SYSTEMCTL, "daemon-reload")
        return SchedulePlan(changes, before=[stop], after=[reload], write=write)

    def _change_files(self, name: str, timer: str | None, service: str | None) -> list[FileEdit]:
        """Return the changes that give the two units these texts, or remove those that exist."""
        changes = []
        for ending, text in (("timer", timer), ("service", service)):
            path = os.path.join(self._folder, f"{name}.{ending}")
            before = read(path)
            if before is not None or text is not None:
                changes.append(FileEdit(path, before, None if text is None else text.encode()))
        return changes

    def _link(self, name: str) -> str:
        """Return the path of the link that `systemctl enable` makes."""
        return os.path.join(self._folder, "timers.target.wants", f"{name}.timer")


def write_service(schedule: Schedule) -> str:
    """Return the unit that runs the jobs once. Raises UsageError for a program with quotes."""
    program, *words = schedule.words
    if not _NOT_IN_A_PROGRAM.isdisjoint(program):
        raise UsageError(
            f"systemd starts no program with a quote or backslash in its path: {program[:80]}",
            remedy="give another --kind",
        )
    # A `$` begins a variable in arguments, but not in the program's path.
    command = " ".join(
        [_systemd_quote(program), *(_systemd_quote(word).replace("$", "$$") for word in words)]
    )
    return (
        f"{_UNIT_NOTE}[Unit]\nDescription={_describe(schedule)}\n\n"
        f"[Service]\nType=oneshot\nExecStart={command}\nNice={NICE}\n"
        "IOSchedulingClass=idle\nStandardOutput=null\n"
    )


def write_timer(schedule: Schedule) -> str:
    """Return the unit that starts the other. `Persistent` replaces all missed runs by one."""
    hours, minutes = divmod(schedule.every, 60)
    times = f"00/{hours}:00" if hours else f"*:00/{minutes}"
    calendar = f"*-*-* {'00:00' if hours == 24 else times}:00"
    return (
        f"{_UNIT_NOTE}[Unit]\nDescription={_describe(schedule)}\n\n"
        f"[Timer]\nOnCalendar={calendar}\nPersistent=true\n"
        f"RandomizedDelaySec={_SPREAD}\n\n"
        "[Install]\nWantedBy=timers.target\n"
    )


def _describe(schedule: Schedule) -> str:
    # Without quotes a backslash at its end would join the next line to it.
    return f'Engrain jobs of "{schedule.location}"'.replace("%", "%%")


def _systemd_quote(word: str) -> str:
    escaped = word.replace("\\", "\\\\").replace('"', '\\"').replace("%", "%%")
    return f'"{escaped}"'


class Cron:
    """The user's crontab. Each schedule is a line that ends with its name. Plans raise ConfigError
    for what can't be read.

    The line is put first, so no setting of other lines affects it and it needs no line end from
    them: when it is removed, every other byte is unchanged.
    """

    def has(self, name: str) -> bool:
        """Return whether the schedule of that name is installed."""
        try:
            crontab = _read_crontab() or b""
        except ConfigError:
            return False  # no cron here, or not for this user
        return any(is_ours(line, name) for line in crontab.split(b"\n"))

    def plan_install(self, schedule: Schedule) -> SchedulePlan:
        before = _read_crontab()
        after = put_line(before or b"", write_cron_line(schedule), schedule.name)
        return SchedulePlan([FileEdit(_CRONTAB, before, after)], write=_write_crontab)

    def plan_remove(self, name: str) -> SchedulePlan:
        before = _read_crontab()
        after = drop_line(before or b"", name)
        if after == (before or b""):
            return SchedulePlan([])
        return SchedulePlan([FileEdit(_CRONTAB, before, after or None)], write=_write_crontab)


def write_cron_line(schedule: Schedule) -> bytes:
    """Return the line. Raises UsageError for a backslash, which crons read differently."""
    words = " ".join(map(_cron_quote, schedule.words))
    hours, minutes = divmod(schedule.every, 60)
    times = "0 " + {1: "*", 24: "0"}.get(hours, f"*/{hours}") if hours else f"*/{minutes} *"
    return f"{times} * * * nice -n {NICE} {words} >/dev/null 2>&1 # {schedule.name}".encode()


def put_line(crontab: bytes, line: bytes, name: str) -> bytes:
    """Return the crontab with this line in the place of those of that name, else as the first."""
    lines = crontab.split(b"\n")
    ours = [at for at, found in enumerate(lines) if is_ours(found, name)]
    if not ours:
        return line + b"\n" + crontab
    first, *others = ours
    lines[first] = line
    return b"\n".join(found for at, found in enumerate(lines) if at not in others)


def drop_line(crontab: bytes, name: str) -> bytes:
    """Return the crontab without the lines of that name."""
    return b"\n".join(line for line in crontab.split(b"\n") if not is_ours(line, name))


def is_ours(line: bytes, name: str) -> bool:
    """Whether a line is the schedule of that name, and not a comment of the user."""
    return line.endswith(b" # " + name.encode()) and not line.lstrip().startswith(b"#")


def _cron_quote(word: str) -> str:
    r"""Quote a word for cron's shell. In most crons `%` ends the command and `\%` means `%`; others
    pass `\%` on unchanged, and outside of quotes the shell reads both as `%`."""
    if "\\" in word:
        raise UsageError(
            f"cron can't take a backslash, as in {word[:80]}", remedy="give another --kind"
        )
    return "\\%".join(shlex.quote(part) if part else "" for part in word.split("%")) or "''"


def _read_crontab() -> bytes | None:
    """Return the user's crontab, None if there is none. Raises ConfigError if that is not certain,
    since writing one might destroy another."""
    answer = run_command([_CRONTAB, "-l"])
    if answer.code == 0:
        return answer.output
    if answer.code != _MISSING and _NONE_YET.search(answer.error):
        return None
    raise ConfigError(
        f"the crontab can't be read: {answer.error or answer.code}",
        remedy="give another --kind, or let `engrain mcp` run the jobs",
    )


def _write_crontab(changes: Sequence[FileEdit]) -> None:
    for change in changes:
        if _read_crontab() != change.before:
            raise ConflictError(
                "another program has just changed the crontab; it was left alone",
                remedy="run the same command again",
            )
        option = "-r" if change.after is None else "-"
        answer = run_command([_CRONTAB, option], change.after or b"")
        if answer.code != 0:
            raise StorageError(f"the crontab can't be written: {answer.error or answer.code}")


def open_scheduler(kind: str, environ: Mapping[str, str]) -> Systemd | Cron:
    """Return the scheduler of that kind."""
    return Systemd(environ) if kind == "systemd" else Cron()


def find_installed(name: str, environ: Mapping[str, str]) -> list[str]:
    """Return the kinds of schedulers that have the schedule of that name."""
    return [kind for kind in KINDS if open_scheduler(kind, environ).has(name)]


def choose_kind(name: str, environ: Mapping[str, str]) -> tuple[str, str]:
    """Return (kind of scheduler, reason) for installing that schedule: where it is installed
    already, else what runs here. Raises ConfigError if there is none."""
    for kind in find_installed(name, environ):
        return kind, "the schedule is there already"
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
