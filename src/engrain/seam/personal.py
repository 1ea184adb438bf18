"""The port to the operator's own notes, the tier T1 (S1.7, DESIGN section 4).

It is separate from all verbs over the vault, and is opened by a call of its own for a use that the
operator asked for.

Glossary
--------
root        the folder of the setting `personal.root`. There is none by default, and it is never
            guessed from the place of the vault.
place       the name of a note below the root, checked as a locator is.
note        markdown or plain text in UTF-8, of `model.note.MAX_NOTE_BYTES` at most.
hash        SHA-256 of a note's bytes in hex; None stands for "nothing is there".
kept        a copy of what a write replaced, in this device's state and never in a vault.
use         one call of a verb, whether it was done or refused.

Every implementation promises:

- Nothing outside the root is read, listed or written, nothing hidden, nothing behind a symbolic
  link anywhere on the way, and nothing of a vault or of this device's state, even below the root.
- A note is changed only if it is still what the caller read, as a whole or not at all, and the old
  version is kept.
- Each use is logged before its answer is returned, and a change before it is made: interrupted, it
  stays in the log as `begun`. A use that can't be logged is refused.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import KW_ONLY, dataclass
from typing import TypeAlias

from engrain.seam.clock import Clock, Entropy
from engrain.seam.locator import Locator
from engrain.seam.storage import Stored

DONE = "done"
BEGUN = "begun"
"""The outcomes of uses; a refused one has the code of its error."""

TEXT_ENDINGS = (".md", ".markdown", ".txt")
"""The endings of notes, in upper or lower case."""


@dataclass(slots=True, eq=False)
class Use:
    """One use in the log: its time (epoch seconds), agent, verb, place as given, and outcome.
    `before` and `after` are hashes, None for none."""

    at: float
    agent: str
    verb: str
    place: str
    outcome: str
    before: str | None = None
    after: str | None = None


@dataclass(slots=True, eq=False)
class Changed:
    """The result of a change: the place of the note now, its hashes after and before, and the path
    of the kept copy, None for none. `redacted` says that secrets were replaced."""

    place: Locator
    after: str
    before: str | None = None
    kept: str | None = None
    _: KW_ONLY
    redacted: bool = False


class Personal(ABC):
    """The operator's own notes. Every verb may raise ConfigError if there is no root, or it can't
    be reached or lies in a vault; ForbiddenPathError for a place that leads elsewhere;
    NotFoundError; StorageError."""

    @abstractmethod
    def check(self) -> None:
        """Raise ConfigError if the root can't be used. This is no use, and is not logged."""

    @abstractmethod
    def list(self, folder: str = "") -> Sequence[str]:
        """Return the notes and folders right below a folder, in order; folders end with `/`."""

    @abstractmethod
    def read(self, place: str) -> Stored:
        """Return a note. Raises MalformedError if it is too large or no text."""

    @abstractmethod
    def write(self, place: str, raw: bytes, expected: str | None = None) -> Changed:
        """Replace the note with the hash `expected`, or create a note where nothing is. Secrets in
        it are replaced, as in saved entries. Raises ConflictError if something else is there,
        MalformedError if it is too large or no text, LockedError."""

    @abstractmethod
    def refuse(self, verb: str, place: str, outcome: str) -> None:
        """Log a use that the caller refused. Raises nothing."""

    @abstractmethod
    def uses(self, since: float | None = None) -> Sequence[Use]:
        """Return the uses in the log from `since` on (epoch seconds), oldest first. This needs no
        root and is not logged. Raises StorageError."""


OpenPersonal: TypeAlias = "Callable[[], Personal]"
"""Opens the operator's own notes."""


@dataclass(slots=True, eq=False)
class PersonalRequest:
    """The arguments for opening the port. `root` is as configured; `closed` are forbidden folders;
    `state` is the device-local folder for the log and the kept copies; `agent` is who acts;
    `redact` returns a text without its secrets."""

    root: str | None
    _: KW_ONLY
    closed: Sequence[str]
    state: str
    agent: str
    clock: Clock
    entropy: Entropy
    redact: Callable[[str], str]
