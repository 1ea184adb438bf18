"""Copies a folder as it is at one moment while others write into it.

Most files are copied while writers go on. Then writers are kept out only for as long as it takes to
compare each file's stamp and to copy again the few files whose stamp has changed.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from contextlib import AbstractContextManager
from dataclasses import dataclass
from stat import S_IMODE, S_ISREG
from tempfile import TemporaryFile
from typing import BinaryIO

from engrain.backends.confined import stamp_parts
from engrain.model.errors import StorageError
from engrain.seam.storage import CopiedFile

_PASSES = 2
"""How many passes are made before writers are kept out: the second is short and leaves little."""
_ATTEMPTS = 5
_YOUNG_S = 2.0
"""Seconds after a change in which a file may change again and keep its stamp."""
_PLAIN = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC


@dataclass(slots=True, eq=False)
class _Copy:
    """The place of a file's copy in the spool, and the file's status when it was copied; `stamp` is
    None where it can't show a later change."""

    stamp: tuple[object, ...] | None
    start: int
    size: int
    mode: int
    mtime: float


def copy_folder(folder: str, held: AbstractContextManager[object]) -> Iterator[CopiedFile]:
    """Return every regular file below a folder as it is while `held` keeps writers out. All files
    are copied before this returns. Raises StorageError if a file changes at every read, OSError."""
    spool = TemporaryFile()  # noqa: SIM115  # `_read_back` closes it
    copies: dict[str, _Copy] = {}
    try:
        for _ in range(_PASSES):
            copies = _renew(folder, copies, spool)
        with held:
            copies = _renew(folder, copies, spool)
    except BaseException:
        spool.close()
        raise
    return _read_back(copies, spool)


def _read_back(copies: dict[str, _Copy], spool: BinaryIO) -> Iterator[CopiedFile]:
    with spool:
        for path, copy in sorted(copies.items()):
            spool.seek(copy.start)
            yield path, copy.mode, copy.mtime, spool.read(copy.size)


def _renew(folder: str, known: dict[str, _Copy], spool: BinaryIO) -> dict[str, _Copy]:
    """Return copies of all files that exist now; reuse the known copies of unchanged files."""
    copies = {}
    above = os.path.dirname(folder)
    for here, _, names, descriptor in os.fwalk(folder, onerror=_refuse):
        below = os.path.relpath(here, above)
        for name in names:
            path = f"{below}/{name}"
            try:
                before = known.get(path)
                if before and before.stamp == _stamp(os.lstat(name, dir_fd=descriptor)):
                    copies[path] = before
                elif copy := _copy_file(name, descriptor, spool):
                    copies[path] = copy
            except FileNotFoundError:
                continue  # it was removed since the folder was listed
    return copies


def _refuse(error: OSError) -> None:
    """Raise an error of listing a folder, unless it was removed: a copy without it would pass for a
    whole one."""
    if not isinstance(error, FileNotFoundError):
        raise error


def _copy_file(name: str, folder: int, spool: BinaryIO) -> _Copy | None:
    """Copy one file whole; return None for anything but a regular file."""
    if not S_ISREG(os.lstat(name, dir_fd=folder).st_mode):
        return None
    for _ in range(_ATTEMPTS):
        with open(os.open(name, _PLAIN, dir_fd=folder), "rb") as file:  # noqa: PTH123
            found = os.fstat(file.fileno())
            raw = file.read()
            if _stamp(found) != _stamp(os.fstat(file.fileno())) or len(raw) != found.st_size:
                continue
        settled = abs(time.time() - found.st_mtime) > _YOUNG_S
        start = spool.seek(0, os.SEEK_END)
        spool.write(raw)
        stamp = _stamp(found) if settled else None
        return _Copy(stamp, start, len(raw), S_IMODE(found.st_mode), found.st_mtime)
    raise StorageError("it changes all the time", path=name, remedy="try again")


def _stamp(found: os.stat_result) -> tuple[object, ...]:
    return (*stamp_parts(found), found.st_ctime_ns)
