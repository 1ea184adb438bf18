"""Sources of learning: files on this device, and approved places outside."""

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
