"""The ports to sources of learning: files on this device, and approved places outside."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import KW_ONLY, dataclass

OWN = "daily"
"""The name of the source that every vault has by default: its own daily notes."""


@dataclass(slots=True, eq=False)
class Source:
    """One source. `path` is absolute; `match` are patterns of file names, none for those of all
    known formats; `host` is the agents' host whose sessions it has, "" for none; `project` is that
    of its whole content, "" for none in particular."""

    name: str
    path: str
    _: KW_ONLY
    format: str = ""
    trust: str = "external"
    project: str = ""
    host: str = ""
    match: Sequence[str] = ()


@dataclass(slots=True, eq=False)
class SourceFile:
    """One file of a source: its relative path (`name`), its `size` in bytes, when it was written
    (epoch seconds, None if unknown), and its identity in the file system."""

    name: str
    size: int
    mtime: float | None
    identity: str


class Shelf(ABC):
    """Access to the files of sources."""

    @abstractmethod
    def files(self, source: Source) -> Iterator[SourceFile | OSError]:
        """Yield the files of a source, by name, and for unreadable places the error with its
        `filename`. Raises ForbiddenPathError if the source is forbidden by now."""

    @abstractmethod
    def read(self, source: Source, name: str, offset: int = 0) -> Iterator[bytes]:
        """Yield the bytes of a file from an offset on, in pieces. Raises OSError."""


class SourceStore(Shelf):
    """The sources of one vault, and their files."""

    @abstractmethod
    def list(self) -> Sequence[Source]:
        """Return every source, in the order in which they were added. Raises ConfigError."""

    @abstractmethod
    def add(self, source: Source) -> Source:
        """Store a source and return it as stored, with an absolute path and, if it had none, a free
        name. Raises UsageError for a missing path or a used name, ForbiddenPathError for a place
        that is forbidden to learning, ConfigError, StorageError."""

    @abstractmethod
    def remove(self, name: str) -> Source:
        """Remove a source; its files stay. Raises NotFoundError, ConfigError, StorageError."""

    @abstractmethod
    def detect(self) -> Sequence[Source]:
        """Return the folders of hosts' sessions on this device, whether added or not."""

    @abstractmethod
    def place(self, path: str) -> Source:
        """Return a file or folder as a source for one reading, which is not stored and is named by
        its path. Raises UsageError, ForbiddenPathError."""

    @abstractmethod
    def session(self, host: str, path: str) -> Source:
        """Return the transcript of one session of a host as a source that is not stored. Raises
        UsageError if it is gone or too large, or the host is unknown; ForbiddenPathError for a path
        outside of the host's folder."""

    @abstractmethod
    def find_project(self, folder: str) -> str | None:
        """Return the project of a session's folder, which its path names if it is on this device no
        more; None for a folder outside of projects."""

    @abstractmethod
    def is_off(self, folder: str) -> bool:
        """Whether the user switched memory off in a session's folder, so that nothing is learned
        from it; also where that can't be read."""


@dataclass(slots=True, eq=False)
class Approved:
    """One approved feed. `place` is its URL; `private` says that its address may be in a private
    network."""

    name: str
    place: str
    _: KW_ONLY
    private: bool = False


@dataclass(slots=True, eq=False)
class Fetched:
    """The answer of a server: the final `url`, the `charset` ("" for none), the bytes, and the
    values for the next conditional request."""

    url: str
    charset: str
    body: bytes
    etag: str = ""
    modified: str = ""


class Outside(ABC):
    """The approved places of one vault."""

    @abstractmethod
    def list(self) -> Sequence[Approved]:
        """Return every place, in the order in which they were added. Raises ConfigError."""

    @abstractmethod
    def add(self, approved: Approved) -> Approved:
        """Store a place and return it as stored; a missing name is filled in. Raises UsageError for
        an unfit place or a used name, ConfigError, StorageError."""

    @abstractmethod
    def remove(self, name: str) -> Approved:
        """Remove a place. Raises NotFoundError, ConfigError, StorageError."""

    @abstractmethod
    def fetch(self, approved: Approved, etag: str = "", modified: str = "") -> Fetched | None:
        """Return the present content of its URL, None if it has not changed since that `etag` or
        `modified`. Raises FetchError, UsageError for a place that is no URL."""
