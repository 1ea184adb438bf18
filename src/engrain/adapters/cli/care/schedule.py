"""Has the jobs run by the operating system's own scheduler."""

from __future__ import annotations

import os
import shlex
from collections.abc import Sequence
from dataclasses import dataclass

from engrain.adapters.cli.base import Answer, BaseCommand, flag, option
from engrain.adapters.cli.files import describe_files, file_lines
from engrain.adapters.hosts.commands import may_vanish, program
from engrain.adapters.hosts.schedule import Schedule, SchedulePlan, name_schedule
from engrain.adapters.hosts.schedulers import KINDS, choose_kind, find_installed, open_scheduler
from engrain.adapters.present.jobs import describe_interval
from engrain.adapters.present.records import Data
from engrain.adapters.present.text import clean_line
from engrain.model.settings import KEYS
from engrain.resolution.selector import Resolution
from engrain.resolution.settings import read_whole_number

_MINUTES = 30
_MAY_VANISH = (
    "this engrain runs from a cache that may be cleared, and the schedule with it: install it"
    " with `pipx install` or `uv tool install`, then run this again"
)
_LOGGED_IN = "it runs while you are logged in; `loginctl enable-linger` has it run always"
_TOLD = ("vault", "state_dir", "backend")
"""The settings that the scheduled command is given."""


@dataclass(kw_only=True)
class _Scheduling(BaseCommand):
    kind: str | None = option("the scheduler; else the one running here", choices=KINDS)
    dry_run: bool = flag("show every change as a diff, and change nothing")


@dataclass(kw_only=True)
class InstallSchedule(_Scheduling):
    """Have the system's scheduler run the jobs."""

    examples = """
engrain jobs schedule --dry-run
engrain jobs schedule
engrain jobs schedule --kind cron --every 60
"""
    every: int | None = option("how often; else the setting jobs.minutes", "MINUTES")

    def run(self) -> Answer:
        resolution = self.resolve()
        every = self.every
        with self.open() as memory:  # one that can't be opened is not scheduled
            if every is None:
                every = read_whole_number(resolution.settings, "jobs.minutes") or _MINUTES
            words = [*program(), "jobs", "run", "--due", "--vault", resolution.location]
            words += ["--state-dir", resolution.state_dir, "--backend", resolution.backend]
            schedule = Schedule(resolution.location, words, every)
            jobs = memory.jobs.status()
        kind, reason = self.kind, "it was asked for"
        if kind is None:
            kind, reason = choose_kind(schedule.name, os.environ)
        plan = open_scheduler(kind, os.environ).plan_install(schedule)
        done = _Done(kind, plan, self.dry_run)
        lines = [
            f"{kind}, because {reason}: every {describe_interval(schedule.every)}",
            *done.lines(),
        ]
        names: dict[int, list[str]] = {}
        for state in jobs:
            names.setdefault(state.job.every, []).append(state.job.name)
        lines += [f"  every {describe_interval(n)}: {', '.join(names[n])}" for n in sorted(names)]
        notes = _notes(kind, resolution) if plan.changed else []
        lines += [f"note: {note}" for note in notes]
        data: Data = {"name": schedule.name, "reason": reason, "every_minutes": schedule.every}
        return _answer(self, [done], lines, {**data, "notes": notes})


@dataclass(kw_only=True)
class RemoveSchedule(_Scheduling):
    """Remove the jobs from the system's scheduler."""

    examples = "engrain jobs unschedule"

    def run(self) -> Answer:
        name = name_schedule(self.resolve().location)
        kinds = [self.kind] if self.kind else find_installed(name, os.environ)
        plans = [(kind, open_scheduler(kind, os.environ).plan_remove(name)) for kind in kinds]
        every = [_Done(kind, plan, self.dry_run) for kind, plan in plans]
        lines = [line for done in every for line in (done.kind, *done.lines())]
        return _answer(self, every, lines or ["nothing is scheduled"], {"name": name})


def _notes(kind: str, resolution: Resolution) -> list[str]:
    notes = [_MAY_VANISH] if may_vanish() else []
    unseen = [
        KEYS[name].variable
        for name, setting in resolution.settings.items()
        if setting.origin.startswith("environment") and name not in _TOLD
    ]
    unseen += [name for name in ("ENGRAIN_CONFIG", "XDG_CONFIG_HOME") if os.environ.get(name)]
    if unseen:
        notes.append(
            f"a scheduled run does not see {', '.join(unseen)}, set here:"
            " unset it and run `engrain config set` to make it permanent"
        )
    return [*notes, _LOGGED_IN] if kind == "systemd" else notes


class _Done:
    """What a plan did, or would do."""

    def __init__(self, kind: str, plan: SchedulePlan, dry_run: bool) -> None:
        self.kind = kind
        self._plan = plan
        self._dry_run = dry_run
        self.failed = [] if dry_run else plan.apply()

    def describe(self) -> Data:
        return {
            "kind": self.kind,
            "changed": self._plan.changed,
            "files": describe_files(self._plan.changes, dry_run=self._dry_run),
            "commands": [list(words) for words in (*self._plan.before, *self._plan.after)],
            "failed": [{"command": list(words), "reason": why} for words, why in self.failed],
            "run": self._by_hand() or None,
        }

    def lines(self) -> list[str]:
        lines = [] if self._plan.changed else ["  no change"]
        lines += file_lines(self._plan.changes, dry_run=self._dry_run)
        if self._dry_run:
            commands = (*self._plan.before, *self._plan.after)
            lines += [f"  would run: {clean_line(' '.join(words))}" for words in commands]
        for words, why in self.failed[:1]:
            lines.append(f"  the scheduler was not notified: {clean_line(f'{words[0]}: {why}')}")
            lines.append(f"  run: {self._by_hand()}")
        return lines

    def _by_hand(self) -> str:
        return clean_line(" && ".join(shlex.join(words) for words, _ in self.failed))


def _answer(args: _Scheduling, every: Sequence[_Done], lines: Sequence[str], more: Data) -> Answer:
    data = {"dry_run": args.dry_run, **more, "schedules": [done.describe() for done in every]}
    return data, lines, any(done.failed for done in every)
