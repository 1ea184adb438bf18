"""The port to the operator's own notes, the tier T1 (S1.7, DESIGN section 4).

No verb over the vault goes through it and no store holds one: it is opened by a call of its own,
for a use that the operator asked for.

Glossary
--------
root        the folder that `personal.root` names. There is none by default, and none is ever
            guessed from where the vault lies.
place       the name of a note below the root, checked as a locator is.
note        markdown or plain text in UTF-8, of `model.note.MAX_NOTE_BYTES` at most.
hash        SHA-256 of a note's bytes in hex; None stands for "nothing is there".
kept        a copy of what a write displaced, in this device's state and never in a vault.
use         one call of a verb, whether it was done or refused.

What every one of them promises:

- Nothing outside the root is read, listed or written, nothing hidden, nothing behind a symbolic
  link wherever on the way it stands, and nothing of a vault or of this device's state, even where
  these lie below the root.
- A note is changed only if it still is what the caller read, whole or not at all, and what was
  there is kept.
- Each use is in the log before its answer is given. One that would change something is in the log
  before it does: cut off, it stays there as `begun`. A use that can't be logged is refused.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import KW_ONLY, dataclass

from engrain.seam.clock import Clock, Entropy
from engrain.seam.locator import Locator
from engrain.seam.storage import Stored

DONE = "done"
BEGUN = "begun"
"""How a use came out; one that was refused has the code of its error."""

TEXT_ENDINGS = (".md", ".markdown", ".txt")
"""What the names of notes end with, in any case of letters."""


@dataclass(slots=True, eq=False)
class Use:
    """One use as the log has it: when (epoch seconds), by which agent, the verb, the place as it
    was given, and how it came out. `before` and `after` are hashes, None where there is none."""

    at: float
    agent: str
    verb: str
    place: str
    outcome: str
    before: str | None = None
    after: str | None = None


@dataclass(slots=True, eq=False)
class Changed:
    """What a change came to: where the note is now, its hash, the one it had before, and the path
    of the copy kept of what was displaced, None where nothing was. `redacted` says that secrets
    were replaced."""

    place: Locator
    after: str
    before: str | None = None
    kept: str | None = None
    _: KW_ONLY
    redacted: bool = False


class Personal(ABC):
    """The operator's own notes. Every verb may raise ConfigError when there is no root, or it can't
    be reached or lies in a vault; ForbiddenPathError for a place that leads elsewhere;
    NotFoundError; StorageError."""

    @abstractmethod
    def check(self) -> None:
        """Raises ConfigError where the root can't be used. It is itself no use."""

    @abstractmethod
    def list(self, folder: str = "") -> Sequence[str]:
        """The notes and folders right below a folder, in order; folders end with `/`."""

    @abstractmethod
    def read(self, place: str) -> Stored:
        """A note. Raises MalformedError for what is too large or no text."""

    @abstractmethod
    def look(self, place: str, verb: str) -> str:
        """The hash of a note that is there, for a use called `verb` that shows none of it. Raises
        as `read` does."""

    @abstractmethod
    def write(self, place: str, raw: bytes, expected: str | None = None) -> Changed:
        """Put a note in the place of the one with the hash `expected`, or where nothing is. Secrets
        in it are replaced as in what is saved. Raises ConflictError when something else is there,
        MalformedError for what is too large or no text, LockedError."""

    @abstractmethod
    def archive(self, place: str, expected: str) -> Changed:
        """Move a note with the hash `expected` below the root's own `_archive/`. Raises
        ConflictError, LockedError; UsageError for one that is there already."""

    @abstractmethod
    def refuse(self, verb: str, place: str, outcome: str) -> None:
        """Log a use that was refused before it got here. Raises nothing."""

    @abstractmethod
    def uses(self, since: float | None = None) -> Sequence[Use]:
        """The uses in the log from `since` on (epoch seconds), oldest first. It takes no root and
        is itself no use. Raises StorageError."""


@dataclass(slots=True, eq=False)
class PersonalRequest:
    """What the port is opened with. `root` is as configured; `closed` are folders that may never be
    entered; `state` is the device-local folder for the log and what is kept; `agent` is who acts;
    `redact` gives a text without its secrets."""

    root: str | None
    _: KW_ONLY
    closed: Sequence[str]
    state: str
    agent: str
    clock: Clock
    entropy: Entropy
    redact: Callable[[str], str]

    def __post_init__(self) -> None:
        self.closed = tuple(self.closed)
