"""The port of sources: the files outside the vault that facts are learned from (S4.4).

Which they are is the operator's word and stands in their configuration; a file is read only when
its source names the place in which it lies.

Glossary
--------
source      a file, or a folder with all below it, under a name of its own. What is hidden below it,
            links that lead out of it, the vault and this device's state are no part of it.
trust       the origin of what is said there: operator, agent or external (DESIGN section 2.8).
format      how its files are read, a name of `learn.sources.formats`, "" where each file tells.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import KW_ONLY, dataclass

OWN = "daily"
"""The name of the source that every vault has without anybody's word: its own daily notes."""


@dataclass(slots=True, eq=False)
class Source:
    """One place that is learned from. `path` is absolute; `match` are patterns of file names, none
    for those of every format that is known; `host` is the agents' host whose sessions it holds, ""
    for none; `project` is that of all it says, "" for none in particular."""

    name: str
    path: str
    _: KW_ONLY
    format: str = ""
    trust: str = "external"
    project: str = ""
    host: str = ""
    match: Sequence[str] = ()

    def __post_init__(self) -> None:
        self.match = tuple(self.match)


@dataclass(slots=True, eq=False)
class SourceFile:
    """One file of a source: its `name` in it with `/`, its `size` in bytes, when it was last
    written, in epoch seconds, None where that is not known, and what the system knows it by."""

    name: str
    size: int
    mtime: float | None
    identity: str


class Shelf(ABC):
    """Where the files of sources are."""

    @abstractmethod
    def files(self, source: Source) -> Iterator[SourceFile | OSError]:
        """The files of a source, by name. For what can't be looked at it has the error, with its
        `filename`, and goes on. Raises ForbiddenPathError where the place is closed by now."""

    @abstractmethod
    def read(self, source: Source, name: str, offset: int = 0) -> Iterator[bytes]:
        """The bytes of a file from an offset on, in pieces of some size. Raises OSError."""


class Sources(Shelf):
    """The sources of one vault, and their files."""

    @abstractmethod
    def list(self) -> Sequence[Source]:
        """Every source, in the order in which they were added. Raises ConfigError."""

    @abstractmethod
    def add(self, source: Source) -> Source:
        """Keep a source; as it is kept, its path absolute and its name one that is free where it
        has none. Raises UsageError for a path that is not there or a name that is taken,
        ForbiddenPathError for a place that is closed to learning, ConfigError, StorageError."""

    @abstractmethod
    def remove(self, name: str) -> Source:
        """Forget a source; its files stay. Raises NotFoundError, ConfigError, StorageError."""

    @abstractmethod
    def detect(self) -> Sequence[Source]:
        """The folders on this device where hosts keep their sessions, whether added or not."""

    @abstractmethod
    def place(self, path: str) -> Source:
        """A file or folder as a source that is not kept, for one reading: its name is its path.
        Raises UsageError, ForbiddenPathError."""

    @abstractmethod
    def session(self, host: str, path: str) -> Source:
        """The transcript of one session of a host as a source that is not kept. Raises UsageError
        for one that is gone or too large, or a host whose transcripts nobody reads;
        ForbiddenPathError for a path outside of where the host keeps them."""

    @abstractmethod
    def find_project(self, folder: str) -> str | None:
        """The project of a folder that a session ran in, None where it is none on this device."""
