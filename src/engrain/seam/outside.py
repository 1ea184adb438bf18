"""The port of the outside: the places that forward learning may look at, and how they are read
(S1.20).

Which they are is the operator's word and stands in their configuration; nothing else is ever asked
for over the network, and nothing of what is read is believed.

Glossary
--------
approved    one place that the operator named: a feed or a page by its URL, a folder or a repository
            on this device by its path.
fetched     what a server gave for a URL, no more than so many bytes of it.
commit      one of a repository's changes, with its message and the documents that it left.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import KW_ONLY, dataclass

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
