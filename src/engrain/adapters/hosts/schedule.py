"""A schedule of jobs, and changes to a scheduler of the operating system (S1.23, S4.11)."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from hashlib import blake2b

from engrain.adapters.hosts.files import FileEdit, write_all
from engrain.model.errors import UsageError

STEPS = (1, 2, 3, 4, 5, 6, 10, 12, 15, 20, 30, 60, 120, 180, 240, 360, 480, 720, 1440)
"""Minutes that divide an hour or a day: cron and calendars know no other intervals."""
NICE = 10
"""The niceness of jobs: they yield to what a person is doing."""
_NAME_BYTES = 6
_PATIENCE = 30.0


@dataclass(frozen=True, slots=True)
class Schedule:
    """The command that runs the due jobs of the vault at `location` every `every` minutes.

    Raises UsageError for an interval that is not in `STEPS`, and for words with control characters,
    such as line ends, or halves of characters.
    """

    location: str
    words: Sequence[str]
    every: int

    def __post_init__(self) -> None:
        if self.every not in STEPS:
            raise UsageError(
                f"schedulers can't come every {self.every} minutes",
                remedy="give --every one of " + ", ".join(map(str, STEPS)),
            )
        for word in self.words:
            if any(ch < " " or ch == "\x7f" or "\ud800" <= ch <= "\udfff" for ch in word):
                raise UsageError(f"no scheduler takes a command with {ascii(word)[:80]}")

    @property
    def name(self) -> str:
        return name_schedule(self.location)


def name_schedule(location: str) -> str:
    """Return the name of the schedule of the vault at `location`, the same for all schedulers."""
    real = os.path.realpath(location) if os.path.isabs(location) else location
    return f"engrain-{blake2b(os.fsencode(real), digest_size=_NAME_BYTES).hexdigest()}"


@dataclass(frozen=True, slots=True)
class SchedulePlan:
    """Changes to files, and the commands that tell the scheduler of them: run before and after
    the files are changed by `write`."""

    changes: Sequence[FileEdit]
    before: Sequence[Sequence[str]] = ()
    after: Sequence[Sequence[str]] = ()
    write: Callable[[Sequence[FileEdit]], object] = write_all

    @property
    def changed(self) -> bool:
        """Whether there is anything to do."""
        changing = any(change.action != "unchanged" for change in self.changes)
        return bool(self.before or self.after) or changing

    def apply(self) -> list[tuple[Sequence[str], str]]:
        """Carry the plan out and return the commands that failed, each with its reason; the files
        are changed nevertheless. Raises ConflictError, StorageError."""
        failed = _try_commands(self.before)
        if any(change.action != "unchanged" for change in self.changes):
            self.write(self.changes)
        return failed + _try_commands(self.after)


@dataclass(slots=True, eq=False)
class CommandResult:
    """The result of a command."""

    code: int
    output: bytes
    error: str


def run_command(words: Sequence[str], given: bytes = b"") -> CommandResult:
    """Run a program of the system with English messages; the code of a missing one is 127."""
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
        return CommandResult(127, b"", f"{words[0]} is not on this machine")
    except (OSError, subprocess.TimeoutExpired) as error:
        return CommandResult(126, b"", f"{words[0]}: {error}")
    return CommandResult(done.returncode, done.stdout, done.stderr.decode(errors="replace").strip())


def _try_commands(commands: Sequence[Sequence[str]]) -> list[tuple[Sequence[str], str]]:
    failed = []
    for words in commands:
        answer = run_command(words)
        if answer.code != 0:
            failed.append((words, answer.error or f"it left with {answer.code}"))
    return failed
