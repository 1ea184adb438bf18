"""Opens, reads and writes files below one folder, and never outside of it.

Every path is walked part by part from a descriptor of the folder, without following symbolic
links, so that neither a crafted name nor a link swapped in at the wrong moment leads outside.
"""

from __future__ import annotations

import errno
import fcntl
import json
import os
import stat
import sys
import time
from collections.abc import Sequence
from operator import attrgetter

from engrain.model.errors import (
    EngrainError,
    ForbiddenPathError,
    MalformedError,
    NotFoundError,
    VaultUnavailableError,
)
from engrain.model.note.note import MAX_NOTE_BYTES
from engrain.model.note.tiers import SYSTEM_FOLDER

TEMP_PREFIX = ".~engrain-"
"""The prefix of temporary files, which are never read as notes."""

ASIDE = ".aside-"
"""The prefix of the new name for a thing that lay in the place of a history."""


NO_DEVICE = -1
_MOST_OPEN = 64
"""The most folders kept open at a time, since a process may have few descriptors."""
_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
# Non-blocking, so that a pipe put in the place of a note can't hold a reader up.
_READ = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
_LINK_ERRORS = (errno.ELOOP, errno.ENOTDIR, errno.EMLINK)


MOVED_FILE = "moved.json"
MOVED = f"{SYSTEM_FOLDER}/{MOVED_FILE}"
"""The file in a moved vault that names the store which took its place (`adopting`)."""


class Descriptor:
    """Closes a descriptor at the end of a block."""

    __slots__ = ("_number",)

    def __init__(self, number: int) -> None:
        self._number = number

    def __enter__(self) -> int:
        return self._number

    def __exit__(self, *_: object) -> None:
        os.close(self._number)


def split_path(path: str) -> tuple[list[str], str]:
    """Split a checked locator into its folders and its last part."""
    *folders, name = path.split("/")
    return folders, name


def open_folder(
    root: int, folders: Sequence[str], create: bool = False, covered: int = NO_DEVICE
) -> int:
    """Open a folder below `root` and return its descriptor; `create` makes missing folders, flushed
    as in `sync_unless`. Raises NotFoundError, or ForbiddenPathError if a part is a link or not a
    folder."""
    here = os.dup(root)
    part = "."
    try:
        for part in folders:
            try:
                below = os.open(part, _FOLDER, dir_fd=here)
            except FileNotFoundError:
                if not create:
                    raise
                make_folder(here, part, covered)
                below = os.open(part, _FOLDER, dir_fd=here)
            os.close(here)
            here = below
    except OSError as error:
        explained = _explain(error, "/".join(folders), here, part)
        os.close(here)
        if create and error.errno in (errno.EACCES, errno.EPERM):
            raise  # a writer reports it as the store's refusal
        raise explained from None
    return here


def make_folder(parent: int, name: str, covered: int = NO_DEVICE) -> None:
    """Make a folder that survives a power cut (see `sync_unless`), unless it exists by now."""
    try:
        os.mkdir(name, dir_fd=parent)
    except FileExistsError:
        return
    sync_unless(parent, covered)


class Folders:
    """Opens each folder below `root` once for all its files, and closes them at the block's end."""

    __slots__ = ("_covered", "_opened", "root")

    def __init__(self, root: int) -> None:
        self.root = root
        self._covered = NO_DEVICE
        self._opened: dict[tuple[str, ...], int] = {}

    def __enter__(self) -> Folders:
        return self

    def __exit__(self, *_: object) -> None:
        for folder in self._opened.values():
            os.close(folder)
        self._opened.clear()

    def cover(self, device: int) -> None:
        """Skip the flush of new folders on the device `device`, which the caller flushes."""
        self._covered = device

    def open(self, parts: Sequence[str], create: bool = False) -> int:
        """Return a descriptor of a folder, valid until the next call; see `open_folder`."""
        key = tuple(parts)
        if key not in self._opened:
            if len(self._opened) >= _MOST_OPEN:
                self.__exit__()
            self._opened[key] = open_folder(self.root, key, create, self._covered)
        return self._opened[key]

    def read(self, path: str) -> bytes | None:
        """Return a file's bytes, None if there is none. Raises ForbiddenPathError and
        MalformedError with their `path`."""
        folders, name = split_path(path)
        try:
            return read_file(self.open(folders), name)[0]
        except NotFoundError:
            return None
        except (ForbiddenPathError, MalformedError) as error:
            error.path = path
            raise


def read_file(folder: int, name: str, limit: int = MAX_NOTE_BYTES) -> tuple[bytes, os.stat_result]:
    """Return a regular file's bytes and its stat when they were read; see `OpenedFile`."""
    with OpenedFile(folder, name) as file:
        return file.read(limit)


class OpenedFile:
    """A regular file that stays open for a block, even if its name is removed or replaced. Entering
    raises NotFoundError, ForbiddenPathError for anything but a regular file, OSError."""

    __slots__ = ("_file", "_folder", "_found", "_name")

    def __init__(self, folder: int, name: str) -> None:
        self._folder = folder
        self._name = name

    def __enter__(self) -> OpenedFile:
        self._file, self._found = _open_file(self._folder, self._name)
        return self

    def __exit__(self, *_: object) -> None:
        os.close(self._file)

    def read(self, limit: int = MAX_NOTE_BYTES) -> tuple[bytes, os.stat_result]:
        """Return its bytes and its stat when they were read. Raises MalformedError over `limit`."""
        while True:
            before = self._found
            if before.st_size > limit:
                raise MalformedError(
                    f"file of {before.st_size} bytes is over the limit of {limit}",
                    reason="too-large",
                    path=self._name,
                    remedy="split the note",
                )
            raw = os.pread(self._file, before.st_size + 1, 0)
            self._found = after = os.fstat(self._file)
            if len(raw) == after.st_size and stamp_parts(before) == stamp_parts(after):
                return raw, after

    def is_as(self, seen: os.stat_result) -> bool:
        """Whether the file still has the size and modification time of the stat `seen`."""
        now = os.fstat(self._file)
        return (now.st_size, now.st_mtime_ns) == (seen.st_size, seen.st_mtime_ns)


def read_range(folder: int, name: str, start: int, size: int) -> bytes:
    """Read at most `size` bytes of a regular file from `start`. Raises NotFoundError,
    ForbiddenPathError, OSError."""
    file, found = _open_file(folder, name)
    with Descriptor(file):
        return os.pread(file, max(0, min(size, found.st_size - start)), start)


def is_there(folder: int, path: str) -> bool:
    """Whether anything is at a path below an open folder. Raises OSError."""
    try:
        os.stat(path, dir_fd=folder, follow_symlinks=False)
    except OSError as error:
        if not is_gone(error):
            raise
        return False
    return True


def is_gone(error: OSError) -> bool:
    """Whether an error says that nothing is at a path, or that this user may not look there."""
    return isinstance(error, FileNotFoundError | PermissionError) or error.errno in _LINK_ERRORS


def is_closed(folder: int, name: str, error: OSError, wanted: int = os.R_OK) -> bool:
    """Whether an error says that this user may not use the file or folder `name` as `wanted`, and
    the system still says so when it is asked again: some errors of permission pass."""
    if error.errno != errno.EACCES:
        return error.errno == errno.EPERM
    try:
        os.stat(name, dir_fd=folder, follow_symlinks=False)
    except FileNotFoundError:
        return False
    except OSError:
        return True
    return not os.access(name, wanted, dir_fd=folder)


def _open_file(folder: int, name: str) -> tuple[int, os.stat_result]:
    """Open a regular file for reading; return its descriptor and stat. Raises NotFoundError,
    ForbiddenPathError, OSError."""
    try:
        file = os.open(name, _READ, dir_fd=folder)
    except OSError as error:
        raise _explain(error, name, folder, name) from None
    try:
        found = os.fstat(file)
    except OSError:
        os.close(file)
        raise
    if stat.S_ISREG(found.st_mode):
        return file, found
    os.close(file)
    raise ForbiddenPathError(f"{name} is not a regular file", path=name)


FINE_NS, COARSE_NS = 20_000_000, 2_000_000_000
"""Nanoseconds after a change in which another change may get the same time stamp. Kernels tick
every 10 ms or oftener; stamps of whole seconds come from a coarse file system (FAT: two
seconds)."""
STAMP = "%d:%d:%d:%d"
"""The format of a stamp: a copy put in a file's place differs in size, a time or the inode."""
stamp_parts = attrgetter("st_size", "st_mtime_ns", "st_ctime_ns", "st_ino")
"""The four parts of a file's stamp."""


def stamp_of(found: os.stat_result) -> str:
    """Return the stamp of a file."""
    return STAMP % stamp_parts(found)


def is_settled(found: os.stat_result) -> bool:
    """Whether a file's times are so long ago that the next change gives it others."""
    # File times come from the system, so the engine's clock does not matter.
    grain = FINE_NS if found.st_ctime_ns % 1_000_000_000 else COARSE_NS
    return time.time_ns() - max(found.st_mtime_ns, found.st_ctime_ns) > grain


def try_to_write(folder: int, name: str) -> None:
    """Try to write and flush a file in a folder, and leave nothing behind. Raises OSError. Where
    the system can, the file has no name, so that a killed process leaves nothing either."""
    try:
        file = open_unnamed(folder, 0o600)
    except OSError:  # an error of the folder itself is raised again below
        write_new(folder, name, b"probe\n", 0o600)
        os.unlink(name, dir_fd=folder)
        return
    with Descriptor(file):
        write_all(file, b"probe\n")
        sync(file)


def open_unnamed(folder: int, mode: int) -> int:
    """Open a new file without a name in a folder for writing. Raises OSError, also where the system
    has no such files."""
    flags = getattr(os, "O_TMPFILE", os.O_DIRECTORY)  # a folder can't be opened for writing
    return os.open(".", flags | os.O_WRONLY | os.O_CLOEXEC, mode, dir_fd=folder)


def write_new(
    folder: int, name: str, raw: bytes, mode: int = 0o644, covered: int = NO_DEVICE
) -> None:
    """Write a file that must not exist yet, and flush it as in `sync_unless`."""
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
    with Descriptor(os.open(name, flags, mode, dir_fd=folder)) as file:
        write_all(file, raw)
        sync_unless(file, covered)


def write_all(file: int, raw: bytes) -> None:
    """Write all bytes, in several calls if one call does not take them all."""
    view = memoryview(raw)
    while view:
        view = view[os.write(file, view) :]


def set_aside(folder: int, name: str) -> None:
    """Rename a file or folder, if it exists, to a name that readers ignore. Raises OSError."""
    aside = f"{ASIDE}{name}-{os.urandom(4).hex()}"
    try:
        os.rename(name, aside, src_dir_fd=folder, dst_dir_fd=folder)
    except FileNotFoundError:
        return


def sync_unless(descriptor: int, covered: int) -> None:
    """Do `sync`, unless the file is on the device `covered`, which the caller flushes."""
    if covered == NO_DEVICE or os.fstat(descriptor).st_dev != covered:
        sync(descriptor)


def sync(descriptor: int) -> None:
    """Flush a file, or the names in a folder, so that it survives a power cut."""
    if sys.platform == "darwin":
        # On macOS fsync stops at the drive's cache.
        fcntl.fcntl(descriptor, fcntl.F_FULLFSYNC)
    else:
        os.fsync(descriptor)


def _explain(error: OSError, path: str, folder: int, name: str) -> Exception:
    """Return the error for the file or folder `name` in an open folder, which could not be opened:
    the OSError itself if it may pass."""
    if isinstance(error, FileNotFoundError):
        return NotFoundError(f"nothing at {path}", path=path)
    if error.errno in _LINK_ERRORS:
        return ForbiddenPathError(
            f"{path} passes through a symbolic link or is no folder",
            path=path,
            remedy="keep real files and folders in the vault",
        )
    if error.errno == errno.ENXIO:
        return ForbiddenPathError(f"{path} is a socket", path=path)
    if is_closed(folder, name, error):
        return ForbiddenPathError(f"{path}: {error.strerror}", path=path)
    return error


def refuse_moved(root: int, path: str, expected: str = "") -> None:
    """Raise VaultUnavailableError that says where the vault moved, unless that is `expected`."""
    try:
        with Descriptor(open_folder(root, [SYSTEM_FOLDER])) as system:
            to = json.loads(read_file(system, MOVED_FILE)[0])["to"]
    except (ValueError, KeyError, TypeError, OSError, EngrainError):
        to = "another place"
    if to == expected:
        return
    raise VaultUnavailableError(
        f"the vault has moved to {str(to)[:200]}",
        path=path,
        remedy=f"name that one; without {MOVED} this folder is a vault again",
    )
