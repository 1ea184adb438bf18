"""Files below one folder, and nowhere else.

Every path is walked part by part from a descriptor of the folder, without following symbolic
links, so that neither a crafted name nor a link swapped in at the wrong moment leads outside.
"""

from __future__ import annotations

import errno
import os
import stat
import sys
from _operator import attrgetter  # `operator` itself would cost a cold process its import

from engrain.model.errors import ForbiddenPathError, MalformedError, NotFoundError
from engrain.model.note.note import MAX_NOTE_BYTES

TEMP_PREFIX = ".~engrain-"
"""How the names of temporary files begin, which are nobody's notes."""

ASIDE = ".aside-"
"""How the name begins that a thing gets which lay in the way of a history."""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

NO_DEVICE = -1
_MOST_OPEN = 64
"""Folders that are kept open at a time: a process may have few descriptors."""
_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
# Non-blocking, so that a pipe put in the place of a note can't hold a reader up.
_READ = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
_LINK_ERRORS = (errno.ELOOP, errno.ENOTDIR, errno.EMLINK)


MOVED = ".engrain/moved.json"
"""Says, in a vault that another store took the place of, which one did (`adopting`)."""


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
    """The folders and the last part of a checked locator."""
    *folders, name = path.split("/")
    return folders, name


def open_folder(
    root: int, folders: Sequence[str], create: bool = False, covered: int = NO_DEVICE
) -> int:
    """A descriptor of the folder below `root`; with `create` missing ones are made, durably as
    `sync_unless` has it. Raises NotFoundError, or ForbiddenPathError where a part is a link or no
    folder."""
    here = os.dup(root)
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
        os.close(here)
        if create and error.errno in (errno.EACCES, errno.EPERM):
            raise  # A writer reports it as the store's refusal.
        raise _explain(error, "/".join(folders)) from None
    return here


def make_folder(parent: int, name: str, covered: int = NO_DEVICE) -> None:
    """Make a folder that outlives a power cut; one made meanwhile by another is as good."""
    try:
        os.mkdir(name, dir_fd=parent)
    except FileExistsError:
        return
    sync_unless(parent, covered)


class Folders:
    """The folders below `root` that are used in a block, each opened once for many of its files."""

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
        """Leave the flush of folders that are made on a device to the caller."""
        self._covered = device

    def open(self, parts: Sequence[str], create: bool = False) -> int:
        """A descriptor of a folder, good until the next call; see `open_folder`."""
        key = tuple(parts)
        if key not in self._opened:
            if len(self._opened) >= _MOST_OPEN:
                self.__exit__()
            self._opened[key] = open_folder(self.root, key, create, self._covered)
        return self._opened[key]

    def read(self, path: str) -> bytes | None:
        """A file's bytes, None where none is. Raises ForbiddenPathError, MalformedError, its `path`
        set."""
        folders, name = split_path(path)
        try:
            return read_file(self.open(folders), name)[0]
        except NotFoundError:
            return None
        except (ForbiddenPathError, MalformedError) as error:
            error.path = path
            raise


def read_file(folder: int, name: str, limit: int = MAX_NOTE_BYTES) -> tuple[bytes, os.stat_result]:
    """A regular file's bytes with the stat they were read under; see `Opened`."""
    with Opened(folder, name) as file:
        return file.read(limit)


class Opened:
    """A regular file that is open for the length of a block, whatever becomes of its name. Entering
    raises NotFoundError, ForbiddenPathError for what is no regular file, OSError."""

    __slots__ = ("_file", "_folder", "_found", "_name")

    def __init__(self, folder: int, name: str) -> None:
        self._folder = folder
        self._name = name

    def __enter__(self) -> Opened:
        self._file, self._found = _open_file(self._folder, self._name)
        return self

    def __exit__(self, *_: object) -> None:
        os.close(self._file)

    def read(self, limit: int = MAX_NOTE_BYTES) -> tuple[bytes, os.stat_result]:
        """Its bytes with the stat they were read under. Raises MalformedError over `limit`."""
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
        """Whether nobody has written to it since."""
        now = os.fstat(self._file)
        return (now.st_size, now.st_mtime_ns) == (seen.st_size, seen.st_mtime_ns)


def read_range(folder: int, name: str, start: int, size: int) -> bytes:
    """At most `size` bytes of a regular file from `start`; no more than are there. Raises
    NotFoundError, ForbiddenPathError, OSError."""
    file, found = _open_file(folder, name)
    with Descriptor(file):
        return os.pread(file, max(0, min(size, found.st_size - start)), start)


def is_there(folder: int, path: str) -> bool:
    """Whether anything is at a path below an open folder."""
    try:
        os.stat(path, dir_fd=folder, follow_symlinks=False)
    except OSError:
        return False
    return True


def _open_file(folder: int, name: str) -> tuple[int, os.stat_result]:
    """Open a regular file for reading; return its descriptor and stat. Raises NotFoundError,
    ForbiddenPathError, OSError."""
    try:
        file = os.open(name, _READ, dir_fd=folder)
    except OSError as error:
        raise _explain(error, name) from None
    found = os.fstat(file)
    if stat.S_ISREG(found.st_mode):
        return file, found
    os.close(file)
    raise ForbiddenPathError(f"{name} is not a regular file", path=name)


STAMP = "%d:%d:%d:%d"
"""A stamp: of size, both times and the inode a copy put in a file's place has another one."""
stamp_parts = attrgetter("st_size", "st_mtime_ns", "st_ctime_ns", "st_ino")
"""The four parts of a file's stamp."""


def stamp_of(found: os.stat_result) -> str:
    """The stamp of a file."""
    return STAMP % stamp_parts(found)


def try_to_write(folder: int, name: str) -> None:
    """Write a file in a folder, and its bytes to the disk, and leave nothing. Raises OSError. The
    file has no name where the system has such, so that a death leaves nothing either."""
    try:
        file = os.open(".", os.O_TMPFILE | os.O_WRONLY | os.O_CLOEXEC, 0o600, dir_fd=folder)
    except (AttributeError, OSError):  # What is wrong with the folder itself shows again.
        write_new(folder, name, b"probe\n", 0o600)
        os.unlink(name, dir_fd=folder)
        return
    with Descriptor(file):
        write_all(file, b"probe\n")
        sync(file)


def write_new(
    folder: int, name: str, raw: bytes, mode: int = 0o644, covered: int = NO_DEVICE
) -> None:
    """Write a file that must not exist yet, and its bytes to the disk as `sync_unless` has it."""
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
    with Descriptor(os.open(name, flags, mode, dir_fd=folder)) as file:
        write_all(file, raw)
        sync_unless(file, covered)


def write_all(file: int, raw: bytes) -> None:
    """Write every byte, however few a call takes."""
    view = memoryview(raw)
    while view:
        view = view[os.write(file, view) :]


def set_aside(folder: int, name: str) -> None:
    """Give whatever has a name another one, beside it, that readers pass over. Raises OSError."""
    aside = f"{ASIDE}{name}-{os.urandom(4).hex()}"
    try:
        os.rename(name, aside, src_dir_fd=folder, dst_dir_fd=folder)
    except FileNotFoundError:
        return


def sync_unless(descriptor: int, covered: int) -> None:
    """As `sync`, unless it lies on the device `covered` by a flush that the caller makes."""
    if covered == NO_DEVICE or os.fstat(descriptor).st_dev != covered:
        sync(descriptor)


def sync(descriptor: int) -> None:
    """Make a file, or a folder's names, survive a power cut."""
    if sys.platform == "darwin":
        import fcntl

        # On macOS fsync stops at the drive's cache.
        fcntl.fcntl(descriptor, fcntl.F_FULLFSYNC)
    else:
        os.fsync(descriptor)


def _explain(error: OSError, path: str) -> Exception:
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
    if error.errno in (errno.EACCES, errno.EPERM):
        return ForbiddenPathError(f"{path}: {error.strerror}", path=path)
    return error
