"""The files of another tool's memory, as `engrain import` reads them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any


@dataclass(slots=True, frozen=True)
class SourceTree:
    """The files of another tool by their paths in its folder, `/` between the parts. `folder` is
    the path of the whole on this machine. `read` returns the bytes of a file, `read_head` the first
    64 KiB, `read_rows` the rows of a table of an SQLite file, none for a table that is not there;
    these raise MalformedError. `date_of` returns the date of a file in epoch seconds, None if it is
    unknown."""

    name: str
    folder: str
    files: Sequence[str]
    read: Callable[[str], bytes]
    read_head: Callable[[str], bytes]
    read_rows: Callable[[str, str], Sequence[Mapping[str, Any]]]
    date_of: Callable[[str], float | None]

    def read_text(self, path: str) -> str:
        """Return the text of a file in UTF-8, wrong bytes replaced."""
        return _decode(self.read(path))

    def read_beginning(self, path: str) -> str:
        """Return the text of the first 64 KiB of a file."""
        return _decode(self.read_head(path))

    def named(self, *names: str) -> list[str]:
        """Return the paths of the files that have one of these names."""
        return [path for path in self.files if path.rpartition("/")[2] in names]

    def ending(self, *endings: str) -> list[str]:
        """Return the paths of the files that end so."""
        return [path for path in self.files if path.endswith(endings)]


def _decode(raw: bytes) -> str:
    return raw.decode("utf-8-sig", "replace").replace("\r\n", "\n")
