"""Lets a vault folder take the place of another store, and another store that of a folder; and
copies a folder as it is at one moment while others write into it.

A folder that was handed over says so in `.engrain/moved.json`, which is looked for whenever the
folder is opened and, under the lock, before each write.

For a copy, most files are copied while writers go on. Then writers are kept out only for as long as
it takes to compare each file's stamp and to copy again the few files whose stamp has changed.
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, contextmanager, suppress
from dataclasses import dataclass
from stat import S_IMODE, S_ISREG
from tempfile import TemporaryFile
from typing import BinaryIO, TypeAlias

from engrain.backends import confined, segments
from engrain.backends.confined import TEMP_PREFIX, Descriptor, stamp_parts
from engrain.model.errors import NotFoundError, StorageError
from engrain.model.history.line import count_together, is_blank
from engrain.model.note.note import BRANCH
from engrain.model.note.tiers import SYSTEM_FOLDER
from engrain.seam.locator import Locator, make_locator
from engrain.seam.storage import CopiedFile, split_pages

Link: TypeAlias = tuple[bytes, bytes]
"""A record's line and its payload."""
_TEMP = f"{TEMP_PREFIX}adopted.tmp"
_SYNCED_TOGETHER = 16
_OPEN_TOGETHER = 100


def adopt_links(root: int, device: str, links: Sequence[tuple[int, bytes, bytes]]) -> None:
    """See `StorageBackend.adopt_links`; the caller holds the lock."""
    make_locator(device)
    if BRANCH in device:
        raise StorageError(
            f"the history of {device} is a branch, which can't be brought into a folder"
        )
    with Descriptor(confined.open_folder(root, [*segments.HISTORY, device], create=True)) as chain:
        tail = segments.find_tail(chain)
        blanked = [n for n, _, payload in links if n <= tail.n and is_blank(payload)]
        for name, places in segments.find_payloads(chain, device, blanked).items():
            segments.blank(chain, name, places)
        new: list[Link] = []
        for n, line, payload in links:
            if n <= tail.n:
                continue
            if n != tail.n + 1 + len(new):
                raise StorageError(f"change {device}-{n} does not follow the one that is here")
            new.append((line, payload))
        for links_of_segment in _split_by_segment(new, tail.size):
            tail = segments.append(chain, tail, links_of_segment)


def _split_by_segment(links: Sequence[Link], filled: int) -> Iterator[list[Link]]:
    """Yield the links for each segment; the first segment has `filled` bytes already. Links flushed
    together stay in one segment, as where they were written, so a history that goes to another
    store and comes back has the same files."""
    some: list[Link] = []
    for batch in _split_by_batch(links):
        size = sum(len(line) + len(payload) + 2 for line, payload in batch)
        if segments.is_full(filled, size, batch[0][0]):
            if some:
                yield some
            some, filled = [], 0
        some += batch
        filled += size
    if some:
        yield some


def _split_by_batch(links: Sequence[Link]) -> Iterator[list[Link]]:
    """Yield the links in the batches in which they were flushed."""
    batch: list[Link] = []
    for link in links:
        if batch and not count_together(link[0]):
            yield batch
            batch = []
        batch.append(link)
    if batch:
        yield batch


def adopt_files(root: int, files: Mapping[Locator, bytes | None]) -> None:
    """See `StorageBackend.adopt_files`; the caller holds the lock. All files are flushed when it
    returns, in several threads, since a file system flushes many files at once faster."""
    of_folders: dict[tuple[str, ...], dict[str, bytes | None]] = {}
    for place, raw in files.items():
        folders, name = confined.split_path(make_locator(place))
        of_folders.setdefault(tuple(folders), {})[name] = raw
    with ThreadPoolExecutor(_SYNCED_TOGETHER) as pool:
        for path, wanted in of_folders.items():
            kept = {name: raw for name, raw in wanted.items() if raw is not None}
            try:
                opened = confined.open_folder(root, list(path), create=bool(kept))
            except NotFoundError:
                continue  # without the folder there is no file to remove
            with Descriptor(opened) as folder:
                for name in wanted.keys() - kept.keys():
                    _remove(folder, name)
                for some in split_pages(kept.items(), _OPEN_TOGETHER):
                    _put_all(folder, some, pool)
                confined.sync(folder)


def _put_all(folder: int, files: Sequence[tuple[str, bytes]], pool: ThreadPoolExecutor) -> None:
    """Replace files, each atomically."""
    written: list[int] = []
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
    try:
        for number, (_, raw) in enumerate(files):
            temp = f"{_TEMP}{number}"
            _remove(folder, temp)  # left by a killed process
            written.append(os.open(temp, flags, 0o644, dir_fd=folder))
            confined.write_all(written[-1], raw)
        list(pool.map(confined.sync, written))
    finally:
        for file in written:
            os.close(file)
    for number, (name, _) in enumerate(files):
        os.rename(f"{_TEMP}{number}", name, src_dir_fd=folder, dst_dir_fd=folder)


@contextmanager
def hand_over(root: Descriptor, lock: AbstractContextManager[object], to: str) -> Iterator[None]:
    """See `StorageBackend.hand_over`."""
    with root as vault, lock:
        yield
        with Descriptor(confined.open_folder(vault, [SYSTEM_FOLDER])) as system:
            _put(system, confined.MOVED_FILE, json.dumps({"to": to}).encode() + b"\n")
            confined.sync(system)


def _put(folder: int, name: str, raw: bytes) -> None:
    """Replace a file atomically."""
    _remove(folder, _TEMP)  # left by a killed process
    confined.write_new(folder, _TEMP, raw)
    os.rename(_TEMP, name, src_dir_fd=folder, dst_dir_fd=folder)


def _remove(folder: int, name: str) -> None:
    with suppress(FileNotFoundError):
        os.unlink(name, dir_fd=folder)


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
