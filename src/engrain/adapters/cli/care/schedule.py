"""`engrain schedule`: have the jobs run by the operating system's own scheduler."""

from __future__ import annotations

import os
import shlex
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress

from engrain.adapters.cli.care.jobs import describe_interval, describe_job, tell_next
from engrain.adapters.cli.files import describe_files, file_lines
from engrain.adapters.cli.options import Answer, Arguments, Command, one_of, open_from, resolve_from
from engrain.adapters.hosts.commands import may_vanish, program
from engrain.adapters.hosts.schedule import InstalledSchedule, Schedule, SchedulePlan, name_schedule
from engrain.adapters.hosts.schedulers import KINDS, choose_kind, find_installed, open_scheduler
from engrain.adapters.present.records import Data, fields
from engrain.adapters.present.text import clean, clean_line, style
from engrain.lifecycle.jobs.runner import JobState
from engrain.model.errors import EngrainError
from engrain.model.settings import KEYS
from engrain.resolution.selector import Resolution
from engrain.resolution.settings import read_whole_number

_MINUTES = 30
_MAY_VANISH = (
    "this engrain runs from a cache that may be cleared, and the schedule with it: install it,"
    " for instance by `uv tool install engrain`, then run this again"
)
_LOGGED_IN = "it runs while you are logged in; `loginctl enable-linger` has it run always"
_TOLD = ("vault", "state_dir", "backend")
"""The settings that the scheduled command is given."""


def _install(args: Arguments) -> Answer:
    resolution = resolve_from(args)
    every = args.every
    with open_from(args) as memory:  # one that can't be opened is not scheduled
        if every is None:
            every = read_whole_number(resolution.settings, "jobs.minutes") or _MINUTES
        words = [*program(), "jobs", "run", "--due", "--vault", resolution.location]
        words += ["--state-dir", resolution.state_dir, "--backend", resolution.backend]
        schedule = Schedule(resolution.location, words, every)
        jobs = memory.jobs.status()
    kind, reason = args.kind, "it was asked for"
    if kind is None:
        kind, reason = choose_kind(schedule.name, os.environ)
    plan = open_scheduler(kind, os.environ).plan_install(schedule)
    done = _Done(kind, plan, args.dry_run)
    lines = [f"{kind}, because {reason}: every {describe_interval(schedule.every)}", *done.lines()]
    names: dict[int, list[str]] = {}
    for state in jobs:
        names.setdefault(state.job.every, []).append(state.job.name)
    lines += [f"  every {describe_interval(n)}: {', '.join(names[n])}" for n in sorted(names)]
    notes = _notes(kind, resolution) if plan.changed else []
    lines += [f"note: {note}" for note in notes]
    data: Data = {"name": schedule.name, "reason": reason, "every_minutes": schedule.every}
    return _answer(args, [done], lines, {**data, "notes": notes})


def _remove(args: Arguments) -> Answer:
    name = name_schedule(resolve_from(args).location)
    kinds = [args.kind] if args.kind else list(find_installed(name, os.environ))
    plans = [(kind, open_scheduler(kind, os.environ).plan_remove(name)) for kind in kinds]
    every = [_Done(kind, plan, args.dry_run) for kind, plan in plans]
    lines = [line for done in every for line in (done.kind, *done.lines())]
    return _answer(args, every, lines or ["nothing is scheduled"], {"name": name})


def _show(args: Arguments) -> Answer:
    name = name_schedule(resolve_from(args).location)
    found = find_installed(name, os.environ)
    if args.kind:
        found = {kind: one for kind, one in found.items() if kind == args.kind}
    jobs: Sequence[JobState] = []
    if found:
        with suppress(EngrainError), open_from(args) as memory:  # schedules are shown even then
            jobs = memory.jobs.status()
    schedules = [{"kind": kind, **fields(one, "path active text")} for kind, one in found.items()]
    data = {"name": name, "schedules": schedules, "jobs": [describe_job(job) for job in jobs]}
    return data, _lines(found, jobs)


def _lines(found: Mapping[str, InstalledSchedule], jobs: Sequence[JobState]) -> Iterator[str]:
    for kind, one in found.items():
        yield f"{kind}: {one.path}, {'active' if one.active else style('warning', 'not active')}"
        yield from (f"  {clean(line)}" for line in one.text.splitlines())
    if jobs:
        yield "each time it comes, it runs what is due by then:"
        for state in jobs:
            often = f"every {describe_interval(state.job.every)}"
            yield f"  {state.job.name:<11} {often:<16} {style('dim', tell_next(state))}"
    if not found:
        yield "nothing is scheduled; `engrain schedule install` does it"


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


def _answer(args: Arguments, every: Sequence[_Done], lines: Sequence[str], more: Data) -> Answer:
    data = {"dry_run": args.dry_run, **more, "schedules": [done.describe() for done in every]}
    return data, lines, any(done.failed for done in every)


COMMAND = Command(
    [_install, _remove, _show],
    f"""
<install|remove|show>  the action
--kind {one_of(KINDS)}  the scheduler; else the one running here
--every MINUTES/int    install: else the setting jobs.minutes
--dry-run              show every change as a diff, and change nothing
$ engrain schedule install --dry-run
$ engrain schedule install
$ engrain schedule install --kind cron --every 60
$ engrain schedule show
$ engrain schedule remove
""",
    opens=None,
    strict=True,
)
