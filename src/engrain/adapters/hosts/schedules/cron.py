"""A line in the user's crontab (crontab(5)), which ends with the schedule's name.

It is put first, where no setting of another's lines reaches it, and where it needs no line end
from them: taken away again, every other byte is unchanged.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Sequence

from engrain.adapters.hosts.files import Change
from engrain.adapters.hosts.schedules.schedule import (
    NICE,
    Found,
    Plan,
    Schedule,
    Scheduler,
    run_command,
)
from engrain.model.errors import ConfigError, ConflictError, StorageError, UsageError

_PROGRAM = "crontab"
_MISSING = 127
_NONE_YET = re.compile(r"no crontab for|No such file or directory")
"""How `crontab -l` says that there is none; whatever else it fails with, there may be one."""


class Cron(Scheduler):
    """The crontab of whoever runs this."""

    def find(self, name: str) -> Found | None:
        try:
            crontab = _read() or b""
        except ConfigError:
            return None  # no cron here, or not for this user
        for line in crontab.split(b"\n"):
            if is_ours(line, name):
                return Found(_PROGRAM, line.decode(errors="replace"), True)
        return None

    def plan_install(self, schedule: Schedule) -> Plan:
        before = _read()
        after = put_line(before or b"", write_line(schedule), schedule.name)
        return Plan([Change(_PROGRAM, before, after)], write=_write)

    def plan_remove(self, name: str) -> Plan:
        before = _read()
        after = drop_line(before or b"", name)
        if after == (before or b""):
            return Plan([])
        return Plan([Change(_PROGRAM, before, after or None)], write=_write)


def write_line(schedule: Schedule) -> bytes:
    """The line. Raises UsageError for a backslash, which no two crons read alike."""
    words = " ".join(map(_quote, schedule.words))
    line = f"{_fields(schedule.every)} nice -n {NICE} {words} >/dev/null 2>&1 # {schedule.name}"
    return line.encode()


def put_line(crontab: bytes, line: bytes, name: str) -> bytes:
    """The crontab with this line where one of that name stands, else before all others."""
    lines = crontab.split(b"\n")
    ours = [at for at, found in enumerate(lines) if is_ours(found, name)]
    if not ours:
        return line + b"\n" + crontab
    first, *others = ours
    lines[first] = line
    return b"\n".join(found for at, found in enumerate(lines) if at not in others)


def drop_line(crontab: bytes, name: str) -> bytes:
    """The crontab without the lines of that name."""
    return b"\n".join(line for line in crontab.split(b"\n") if not is_ours(line, name))


def is_ours(line: bytes, name: str) -> bool:
    """Whether a line is the schedule of that name, and no comment of somebody's."""
    return line.endswith(b" # " + name.encode()) and not line.lstrip().startswith(b"#")


def _fields(every: int) -> str:
    if every < 60:
        return f"*/{every} * * * *"
    hours = {60: "*", 1440: "0"}.get(every, f"*/{every // 60}")
    return f"0 {hours} * * *"


def _quote(word: str) -> str:
    r"""A word for cron's shell. To cron `%` ends the command unless it stands as `\%`, and a cron
    that knows no such rule leaves it so: outside of quotes the shell takes both for `%`."""
    if "\\" in word:
        raise UsageError(
            f"cron can't take a backslash, as in {word[:80]}", remedy="give another --kind"
        )
    return "\\%".join(shlex.quote(part) if part else "" for part in word.split("%")) or "''"


def _read() -> bytes | None:
    """The user's crontab, None when there is none. Raises ConfigError when that can't be known: to
    write one then might destroy another."""
    answer = run_command([_PROGRAM, "-l"])
    if answer.code == 0:
        return answer.output
    if answer.code != _MISSING and _NONE_YET.search(answer.error):
        return None
    raise ConfigError(
        f"the crontab can't be read: {answer.error or answer.code}",
        remedy="give another --kind, or let `engrain mcp` run the jobs",
    )


def _write(changes: Sequence[Change]) -> None:
    for change in changes:
        if _read() != change.before:
            raise ConflictError(
                "another program has just changed the crontab; it was left alone",
                remedy="run the same command again",
            )
        how = "-r" if change.after is None else "-"
        answer = run_command([_PROGRAM, how], change.after or b"")
        if answer.code != 0:
            raise StorageError(f"the crontab can't be written: {answer.error or answer.code}")
