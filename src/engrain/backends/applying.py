"""Puts the files of recorded changes in their places.

All files are written under temporary names and flushed; then each is renamed to its place, and the
folders are flushed. Where the system can, a few files are written before their record is flushed,
and are on their way to the disk meanwhile: they have no names yet, so a cut leaves nothing of them.

On ext4 with a journal one commit of it takes both. There the names come after the flushes, since
the flush of the folder is then enough; without a journal, the inode on the disk would still have no
name, and btrfs ignores flushes of files without names.

For many files, each of the two flushes is one flush of the whole file system.
It also waits for what other programs wrote there, and still costs less than a flush of each file.
It is used only where it is reliable: Linux reports failed writes from 5.8 on (syncfs(2)), and file
systems in user space or on other machines may do less for it than for fsync.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from engrain.backends import confined
from engrain.backends.confined import NO_DEVICE, Folders
from engrain.backends.placing import (
    discard,
    name_temp,
    name_unnamed,
    place_new,
    place_over,
    remove_expected,
)
from engrain.model.errors import EngrainError
from engrain.model.note.note import hash_bytes
from engrain.seam.locator import Locator
from engrain.seam.storage import make_conflict

if TYPE_CHECKING:
    from engrain.model.history.record import FileChange


_KEEPING: dict[int, bool] = {}
"""Whether file systems keep named files (`keeps_named`), by device."""
_TELLS_OF_ERRORS = (5, 8)
_EXT, _XFS, _BTRFS, _F2FS = 0xEF53, 0x58465342, 0x9123683E, 0xF2F52010  # statfs(2)
_RELIABLE = frozenset((_EXT, _XFS, _BTRFS, _F2FS))
MANY = 16
"""The number of files, or folders, from which on one flush of the file system is cheaper than one
flush of each."""


@contextlib.contextmanager
def write_unnamed(folders: Folders, files: Sequence[FileChange]) -> Iterator[dict[str, int]]:
    """Write the new bytes of a few files without names, and begin to bring them to the disk; yield
    by path the descriptors of those that could be opened, until the block's end. Raises OSError."""
    opened: dict[str, int] = {}
    try:
        for file in files if len(files) < MANY else ():
            if file.after is None or file.after_hash == file.before_hash:
                continue
            parts, name = confined.split_path(file.path)
            with contextlib.suppress(OSError, EngrainError):  # it is written under a name later
                folder = folders.open(parts)
                opened[file.path] = confined.open_unnamed(folder, _mode_of(folder, name, file))
            if (unnamed := opened.get(file.path)) is not None:
                confined.write_all(unnamed, file.after)
                os.posix_fadvise(unnamed, 0, 0, os.POSIX_FADV_DONTNEED)
        yield opened
    finally:
        for unnamed in opened.values():
            os.close(unnamed)


def apply_files(
    folders: Folders,
    device: str,
    files: Sequence[FileChange],
    begun: list[FileChange] | None,
    unnamed: Mapping[str, int] | None = None,
) -> None:
    """Put files in their places, and add each to `begun` before it is touched.

    If another program wrote to a file since it was compared, its version stays, and ConflictError
    is raised. `begun` is None to take a change back: then the other files are still done, and files
    that have their bytes already are not written, since a full disk has no room for that.
    `unnamed` is what `write_unnamed` gave. Raises OSError, LockedError.
    """
    flush: Callable[[], None] | None = None
    covered = NO_DEVICE
    if len(files) >= MANY and (flush := find_flush(folders.root)):
        covered = os.fstat(folders.root).st_dev
    folders.cover(covered)
    # A unique name, so that no leftover is in the way; leftovers are swept by their prefix.
    unique = os.urandom(4).hex()
    todo = [
        (file, *confined.split_path(file.path), f"{unique}{number:x}")
        for number, file in enumerate(files)
        if file.after_hash != file.before_hash and not (begun is None and _stands(folders, file))
    ]
    left = todo[::-1]
    unnamed = unnamed or {}
    try:
        for file, parts, name, mark in todo:
            folder, temp = folders.open(parts, create=True), name_temp(device, mark, name)
            _write_beside(folder, name, file, temp, covered, unnamed.get(file.path))
        if flush:
            flush()
        while left:
            file, parts, name, mark = left[-1]
            folder, temp = folders.open(parts), name_temp(device, mark, name)
            _place(folder, parts, name, file, temp, begun, unnamed.get(file.path))
            left.pop()
    finally:
        for _, parts, name, mark in left:
            with contextlib.suppress(OSError, EngrainError):
                discard(folders.open(parts), name_temp(device, mark, name))
    _flush_folders(folders, {tuple(parts) for _, parts, *_ in todo}, flush, covered)


def _flush_folders(
    folders: Folders, touched: set[tuple[str, ...]], flush: Callable[[], None] | None, covered: int
) -> None:
    if flush and len(touched) >= MANY:
        flush()
    else:
        covered = NO_DEVICE
    for parts in touched:
        confined.sync_unless(folders.open(parts), covered)


def _write_beside(
    folder: int, name: str, file: FileChange, temp: str, covered: int, unnamed: int | None
) -> None:
    """Write a file's new bytes under a temporary name, or flush them if they were written before.
    Where names can come after this flush, a new file gets only its own one later."""
    if file.after is None or file.after_hash is None:
        return
    if unnamed is not None:
        if keeps := keeps_named(folder):
            confined.sync(unnamed)
        if (keeps and file.before_hash is None) or name_unnamed(folder, unnamed, temp):
            if not keeps:
                confined.sync(unnamed)
            return
    confined.write_new(folder, temp, file.after, _mode_of(folder, name, file), covered)


def _mode_of(folder: int, name: str, file: FileChange) -> int:
    """Return the mode that a file has, or would get as a new one."""
    if file.before_hash is not None:
        with contextlib.suppress(FileNotFoundError):
            return os.stat(name, dir_fd=folder, follow_symlinks=False).st_mode & 0o777
    return 0o644


def _place(
    folder: int,
    parts: Sequence[str],
    name: str,
    file: FileChange,
    temp: str,
    begun: list[FileChange] | None,
    unnamed: int | None,
) -> None:
    """Put one file of a change in its place, or remove it. Raises ConflictError if the place has
    changed since it was compared, except when a change is taken back (`begun` is None)."""
    if begun is not None:
        begun.append(file)
    kept: list[str] = []
    if file.after is None or file.after_hash is None:
        done = remove_expected(folder, name, temp, file.before_hash or "", kept)
    elif file.before_hash is None:
        done = _place_first(folder, name, file.after, temp, unnamed)
    else:
        done = place_over(folder, temp, name, file.before_hash, file.after_hash, kept)
    if not done and begun is not None:
        conflict = make_conflict(Locator(file.path))
        conflict.copies = ["/".join([*parts, copy]) for copy in kept]
        raise conflict


def _place_first(folder: int, name: str, raw: bytes, temp: str, unnamed: int | None) -> bool:
    """Put a new file in its place; return False if the place is taken by now."""
    if unnamed is not None and keeps_named(folder):
        if name_unnamed(folder, unnamed, name):
            return True
        confined.write_new(folder, temp, raw)
    return place_new(folder, temp, name)


def _stands(folders: Folders, file: FileChange) -> bool:
    """Whether a file already has the content that a change gives it."""
    with contextlib.suppress(EngrainError, OSError):
        found = folders.read(file.path)
        return (None if found is None else hash_bytes(found)) == file.after_hash
    return False


def keeps_named(folder: int) -> bool:
    """Whether an open folder is on a file system whose journal has the bytes of a file that was
    flushed without a name, and its later name, in this order."""
    device = os.fstat(folder).st_dev
    if device not in _KEEPING:
        try:
            place = f"/sys/dev/block/{os.major(device)}:{os.minor(device)}"
            task = f"/sys/fs/ext4/{os.path.basename(os.readlink(place))}/journal_task"
            with confined.Descriptor(os.open(task, os.O_RDONLY | os.O_CLOEXEC)) as file:
                # Without a journal the file has `<none>` instead of a process's number.
                _KEEPING[device] = os.read(file, 8).strip().isdigit()
        except (AttributeError, OSError):
            _KEEPING[device] = False
    return _KEEPING[device]


def find_flush(folder: int) -> Callable[[], None] | None:
    """Return a function that flushes the file system of an open folder, None where files must be
    flushed one by one. The function raises OSError if the flush fails."""
    if not sys.platform.startswith("linux") or _kernel() < _TELLS_OF_ERRORS:
        return None
    try:
        libc = ctypes.CDLL(None, use_errno=True)
        syncfs, fstatfs = libc.syncfs, libc.fstatfs
    except (OSError, AttributeError):
        return None
    about = ctypes.create_string_buffer(512)
    kind = ctypes.c_long.from_buffer(about)  # the first field is the file system's type
    if fstatfs(folder, about) != 0 or kind.value not in _RELIABLE:
        return None

    def flush() -> None:
        if syncfs(folder) != 0:
            number = ctypes.get_errno()
            raise OSError(number, os.strerror(number))

    return flush


def _kernel() -> tuple[int, ...]:
    """Return the first two numbers of the kernel's version."""
    parts = os.uname().release.split(".")[:2]
    return tuple(int(part) for part in parts if part.isdigit())
