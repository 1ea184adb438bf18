"""The ports to sources that are learned from: files on this device, and approved places outside."""

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


FEED, PAGE, FOLDER, REPOSITORY = "feed", "url", "folder", "repository"
KINDS = (FEED, PAGE, FOLDER, REPOSITORY)
REMOTE = (FEED, PAGE)


@dataclass(slots=True, eq=False)
class Approved:
    """One approved place. `place` is a URL or an absolute path; `match` are patterns of file names,
    none for those that are known; `hosts` are others than its own that its server may lead to;
    `private` says that its name may stand for an address of a private network."""

    name: str
    kind: str
    place: str
    _: KW_ONLY
    match: Sequence[str] = ()
    hosts: Sequence[str] = ()
    private: bool = False

    def __post_init__(self) -> None:
        self.match = tuple(self.match)
        self.hosts = tuple(self.hosts)


@dataclass(slots=True, eq=False)
class Fetched:
    """What a server gave: from which `url` in the end, its media `type` without parameters, the
    `charset` it names, "" for none, the bytes, and what it wants to be asked with the next time."""

    url: str
    type: str
    charset: str
    body: bytes
    etag: str = ""
    modified: str = ""


@dataclass(slots=True, eq=False)
class Commit:
    """One commit: its `id`, when it was made, in epoch seconds, None where it does not say, and its
    message."""

    id: str
    at: float | None
    message: str


class Repository(ABC):
    """A repository as it stands at its `head`, the commit that is checked out. Methods raise
    StorageError where it can't be read."""

    head: str

    @abstractmethod
    def commits(self, since: str, most: int) -> Sequence[Commit]:
        """The newest commits up to its head, those of merges left out; of those behind `since`
        where that is still there, "" for all."""

    @abstractmethod
    def documents(self, since: str) -> Sequence[str]:
        """The documents in it, by path, that changed behind the commit `since`; all that there are
        where that is "" or gone."""

    @abstractmethod
    def read(self, path: str) -> bytes:
        """A document as it stands at its head, no more of it than is looked at."""

    @abstractmethod
    def close(self) -> None:
        """Give back what is held open."""


class Outside(ABC):
    """The approved places of one vault."""

    @abstractmethod
    def list(self) -> Sequence[Approved]:
        """Every one, in the order in which they were added. Raises ConfigError."""

    @abstractmethod
    def add(self, approved: Approved) -> Approved:
        """Keep one; as it is kept, with a name that is free where it has none, and the kind that
        fits the place where it has none. Raises UsageError for what is no such place or a name
        that is taken, ForbiddenPathError for a place that is closed, FetchError where its kind
        can't be found, ConfigError, StorageError."""

    @abstractmethod
    def remove(self, name: str) -> Approved:
        """Forget one. Raises NotFoundError, ConfigError, StorageError."""

    @abstractmethod
    def fetch(self, approved: Approved, etag: str = "", modified: str = "") -> Fetched | None:
        """What its URL gives now; None where that is what it gave with that `etag` or `modified`.
        Raises FetchError."""

    @abstractmethod
    def files(self, approved: Approved) -> Iterator[tuple[str, float | None] | OSError]:
        """The files of a folder, by name, each with when it was last written. For what can't be
        looked at it has the error, and goes on. Raises ForbiddenPathError."""

    @abstractmethod
    def read(self, approved: Approved, name: str) -> bytes:
        """A file of a folder, no more of it than is looked at. Raises OSError."""

    @abstractmethod
    def open_repository(self, approved: Approved) -> Repository:
        """A repository, to be closed. Raises StorageError, ForbiddenPathError."""
