"""What is scheduled, and what a scheduler of the operating system can be asked (S1.23, S4.11)."""

from __future__ import annotations

import os
import subprocess
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from hashlib import blake2b

from engrain.adapters.hosts.files import Change, write_all
from engrain.model.errors import UsageError

STEPS = (1, 2, 3, 4, 5, 6, 10, 12, 15, 20, 30, 60, 120, 180, 240, 360, 480, 720, 1440)
"""Minutes that an hour or a day is a multiple of: cron and calendars know no others."""
NICE = 10
"""How far jobs stand back for what a person is doing."""
_NAME_BYTES = 6
_PATIENCE = 30.0


class Schedule:
    """The command that runs one vault's due jobs, every so many minutes, under the vault's name.

    Raises UsageError for an interval that is none of `STEPS`, and for words that no scheduler can
    be told.
    """

    __slots__ = ("every", "location", "name", "words")

    def __init__(self, location: str, words: Sequence[str], every: int) -> None:
        if every not in STEPS:
            raise UsageError(
                f"schedulers can't come every {every} minutes",
                remedy="give --every one of " + ", ".join(map(str, STEPS)),
            )
        for word in words:
            if not _can_be_told(word):
                raise UsageError(f"no scheduler takes a command with {ascii(word)[:80]}")
        self.location = location
        self.name = name_schedule(location)
        self.words = tuple(words)
        self.every = every


def _can_be_told(word: str) -> bool:
    """Whether it is text without control characters, such as line ends."""
    return not any(ch < " " or ch == "\x7f" or "\ud800" <= ch <= "\udfff" for ch in word)


def name_schedule(location: str) -> str:
    """What the schedule of the vault at `location` is called, everywhere."""
    real = os.path.realpath(location) if os.path.isabs(location) else location
    return f"engrain-{blake2b(os.fsencode(real), digest_size=_NAME_BYTES).hexdigest()}"


class Plan:
    """Changes to files, and the commands that make the scheduler heed them: `before` and `after`
    the files are changed."""

    __slots__ = ("_write", "after", "before", "changes")

    def __init__(
        self,
        changes: Sequence[Change],
        before: Sequence[Sequence[str]] = (),
        after: Sequence[Sequence[str]] = (),
        write: Callable[[Sequence[Change]], object] = write_all,
    ) -> None:
        self.changes = changes
        self.before = before
        self.after = after
        self._write = write

    @property
    def changed(self) -> bool:
        """Whether there is anything to do."""
        work = (*self.before, *self.after)
        return bool(work) or any(change.action != "unchanged" for change in self.changes)

    def apply(self) -> list[tuple[Sequence[str], str]]:
        """Do it; the commands that failed, each with its reason. The files are changed even so.
        Raises ConflictError, StorageError."""
        failed = [(words, reason) for words in self.before if (reason := try_command(words))]
        if any(change.action != "unchanged" for change in self.changes):
            self._write(self.changes)
        return failed + [(words, reason) for words in self.after if (reason := try_command(words))]


@dataclass(slots=True, eq=False)
class Found:
    """A schedule that is installed: where, what is written there, and whether the scheduler heeds
    it."""

    path: str
    text: str
    active: bool


class Scheduler(ABC):
    """One kind of scheduler. Plans raise ConfigError for what can't be read."""

    @abstractmethod
    def find(self, name: str) -> Found | None:
        """The schedule of that name, None when it is not installed."""

    @abstractmethod
    def plan_install(self, schedule: Schedule) -> Plan:
        """What makes it so; nothing where it is. Raises UsageError for what it can't express."""

    @abstractmethod
    def plan_remove(self, name: str) -> Plan:
        """What takes it away, and nothing else."""


@dataclass(slots=True, eq=False)
class Answer:
    """What a command left."""

    code: int
    output: bytes
    error: str


def run_command(words: Sequence[str], given: bytes = b"") -> Answer:
    """Run a program of the system, in plain English; one that is not there leaves 127."""
    try:
        done = subprocess.run(
            words,
            input=given,
            capture_output=True,
            check=False,
            timeout=_PATIENCE,
            env={**os.environ, "LC_ALL": "C"},
        )
    except FileNotFoundError:
        return Answer(127, b"", f"{words[0]} is not on this machine")
    except (OSError, subprocess.TimeoutExpired) as error:
        return Answer(126, b"", f"{words[0]}: {error}")
    return Answer(done.returncode, done.stdout, done.stderr.decode(errors="replace").strip())


def try_command(words: Sequence[str]) -> str:
    """Run it; why it failed, "" when it did not."""
    answer = run_command(words)
    return "" if answer.code == 0 else answer.error or f"it left with {answer.code}"
