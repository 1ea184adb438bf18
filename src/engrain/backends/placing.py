"""Puts files in their places and removes them without losing what other programs write.

The lock keeps Engrain's own writers apart, but other programs may write between the comparison and
the rename. So nothing is overwritten or unlinked before it was compared: a new file is linked into
place, which fails if the name is taken; an old one is exchanged with the new one, or moved aside,
and compared then. A file that differs goes back to its place, or becomes a conflict copy if the
place was taken meanwhile or the file system fails.

The ending of a temporary file says what a killed process may have left in it: `.tmp` is a file of
Engrain's that was never in its place, `.swap` may be what another program wrote.
"""

from __future__ import annotations

import contextlib
import ctypes
import errno
import os
import sys
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING
from zlib import crc32

from engrain.backends import confined, segments
from engrain.backends.confined import TEMP_PREFIX
from engrain.model.errors import EngrainError, ForbiddenPathError, NotFoundError
from engrain.model.note.note import hash_bytes
from engrain.model.note.tiers import COPY_MARK

if TYPE_CHECKING:
    from engrain.model.history.record import FileChange


TEMP = ".tmp"
SWAP = ".swap"
_NOREPLACE = 1  # of renameat2(2)
_EXCHANGE = 2
_CANNOT = (errno.ENOSYS, errno.EINVAL, errno.EPERM, errno.ENOTSUP, errno.EMLINK, errno.EXDEV)
_LONGEST = 200
"""The most bytes of a file's name that its conflict copy keeps, so that the suffix fits."""
_LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567"


def place_new(folder: int, temp: str, name: str) -> bool:
    """Move `temp` to a free name; if the name is taken by now, remove `temp` and return False."""
    try:
        os.link(temp, name, src_dir_fd=folder, dst_dir_fd=folder, follow_symlinks=False)
    except FileExistsError:
        remove(folder, temp)
        return False
    except OSError as error:
        if error.errno not in _CANNOT:
            raise
        if not _rename_to_free(folder, temp, name):
            remove(folder, temp)
            return False
    else:
        remove(folder, temp)
    return True


def name_unnamed(folder: int, unnamed: int, name: str) -> bool:
    """Give the file of a descriptor, which has no name, one that is free; return whether it could
    be done."""
    try:
        os.link(f"/proc/self/fd/{unnamed}", name, dst_dir_fd=folder, follow_symlinks=True)
    except OSError:
        return False  # the name is taken, or the system shows no descriptors
    return True


def place_over(
    folder: int, temp: str, name: str, expected: str, ours: str, kept: list[str]
) -> bool:
    """Put `temp`, whose bytes hash to `ours`, in the place of a file whose bytes hash to
    `expected`.

    Return False if they do not: the place then has what another program wrote there last, and
    names of conflict copies are appended to `kept`. Raises OSError, and loses nothing then either.
    """
    swap = temp.removesuffix(TEMP) + SWAP
    os.rename(temp, swap, src_dir_fd=folder, dst_dir_fd=folder)
    exchange = _find_exchange()
    try:
        if exchange is None or not exchange(folder, swap, name):
            return _place_in_steps(folder, swap, name, expected, kept)
        if _drop(folder, swap, name, expected, kept):
            return True
        if _hash(folder, name) != ours:
            return _put_back(folder, swap, name, kept)
        exchange(folder, swap, name)
        if not _drop(folder, swap, name, ours, kept):
            # a third version, written in this moment
            kept.append(rename_to_copy(folder, swap, name))
        confined.sync(folder)
    except FileNotFoundError:
        discard(folder, swap)  # Another program removed the file that was to be replaced.
    except OSError:
        _rescue(folder, swap, name, (ours, expected), kept)
        raise
    return False


def remove_expected(folder: int, name: str, temp: str, expected: str, kept: list[str]) -> bool:
    """Remove a file whose bytes hash to `expected`, or that is gone already. Return False if they
    do not, with `kept` as in `place_over`. Raises OSError, and loses nothing then either."""
    swap = temp.removesuffix(TEMP) + SWAP
    try:
        os.rename(name, swap, src_dir_fd=folder, dst_dir_fd=folder)
    except FileNotFoundError:
        return True
    return _drop(folder, swap, name, expected, kept) or _put_back(folder, swap, name, kept)


def rename_to_copy(folder: int, temp: str, name: str) -> str:
    """Rename `temp` to a conflict copy of the file `name`, named as synchronisers do; return the
    copy's name. Raises OSError."""
    stem, ending = os.path.splitext(name)
    stem = stem.encode(errors="surrogateescape")[:_LONGEST].decode(errors="ignore")
    chance = "".join(_LETTERS[byte % 32] for byte in os.urandom(7))
    copy = f"{stem}{COPY_MARK}{time.strftime('%Y%m%d-%H%M%S')}-{chance}{ending}"
    os.rename(temp, copy, src_dir_fd=folder, dst_dir_fd=folder)
    with contextlib.suppress(OSError):
        confined.sync(folder)
    return copy


def remove(folder: int, name: str) -> None:
    """Remove a file that may be gone already. Raises OSError."""
    with contextlib.suppress(FileNotFoundError):
        os.unlink(name, dir_fd=folder)


def discard(folder: int, temp: str) -> None:
    """Remove a temporary file; ignore failures, for where `sweep` comes later."""
    with contextlib.suppress(OSError):
        os.unlink(temp, dir_fd=folder)


def resolve_swap(folder: int, swap: str, name: str, known: Sequence[str | None]) -> None:
    """Deal with the file `swap` that a killed process left moved aside from `name`: move it back if
    the place is free, remove it if its hash is `known`, else make it a conflict copy. Raises
    OSError."""
    if _rename_to_free(folder, swap, name):
        return
    found = _hash(folder, swap)
    if found is not None and found in known:
        remove(folder, swap)
    else:
        rename_to_copy(folder, swap, name)


def _place_in_steps(folder: int, swap: str, name: str, expected: str, kept: list[str]) -> bool:
    """Do `place_over` where two names can't be exchanged. The place is empty in between;
    `resolve_swap` repairs what a death at that point leaves."""
    aside = swap.removesuffix(SWAP) + "-old" + SWAP
    os.rename(name, aside, src_dir_fd=folder, dst_dir_fd=folder)
    try:
        if _hash(folder, aside) != expected:
            discard(folder, swap)
            return _put_back(folder, aside, name, kept)
        placed = place_new(folder, swap, name)
    except OSError:
        _put_back(folder, aside, name, kept)
        raise
    if not _drop(folder, aside, name, expected, kept):
        kept.append(rename_to_copy(folder, aside, name))
    return placed


def _drop(folder: int, swap: str, name: str, expected: str, kept: list[str]) -> bool:
    """Remove a displaced file if its bytes hash to `expected`, else return False. A program that
    has it open may write until it is removed, so it is checked once more afterwards, and kept as a
    conflict copy if it changed. Raises OSError."""
    try:
        file = confined.OpenedFile(folder, swap)
        with file:
            raw, seen = file.read()
            if hash_bytes(raw) != expected:
                return False
            remove(folder, swap)
            if not file.is_as(seen):
                confined.write_new(folder, swap, file.read()[0])
                kept.append(rename_to_copy(folder, swap, name))
    except EngrainError:
        return False  # not a readable file, so not the expected one
    return True


def _put_back(folder: int, swap: str, name: str, kept: list[str]) -> bool:
    """Move a file back to its place, or make it a conflict copy; return False. Raises OSError."""
    try:
        if not _rename_to_free(folder, swap, name):
            kept.append(rename_to_copy(folder, swap, name))
        confined.sync(folder)
    except OSError:
        _rescue(folder, swap, name, (), kept)
        raise
    return False


def _rescue(folder: int, swap: str, name: str, known: Sequence[str], kept: list[str]) -> None:
    """Make a conflict copy of a file that could not be put back, unless its hash is `known`. If
    that fails too, the file stays under its temporary name until the next command."""
    with contextlib.suppress(OSError):
        if _hash(folder, swap) in known:
            discard(folder, swap)
        else:
            kept.append(rename_to_copy(folder, swap, name))


def _hash(folder: int, name: str) -> str | None:
    """Return the hash of a file's bytes, None if it is not a readable regular file. Raises
    OSError."""
    try:
        return hash_bytes(confined.read_file(folder, name)[0])
    except EngrainError:
        return None


def _rename_to_free(folder: int, temp: str, name: str) -> bool:
    """Rename a file to a free name; return False if the name is taken. Raises OSError."""
    rename = _find_rename(_NOREPLACE)
    try:
        if rename is not None and rename(folder, temp, name):
            return True
        os.link(temp, name, src_dir_fd=folder, dst_dir_fd=folder, follow_symlinks=False)
    except FileExistsError:
        return False
    except OSError as error:
        if error.errno not in _CANNOT:
            raise
        # This file system can't do it in one step, so another program may come in between.
        with contextlib.suppress(FileNotFoundError):
            os.stat(name, dir_fd=folder, follow_symlinks=False)
            return False
        os.rename(temp, name, src_dir_fd=folder, dst_dir_fd=folder)
        return True
    remove(folder, temp)
    return True


def _find_exchange() -> Callable[[int, str, str], bool] | None:
    return _find_rename(_EXCHANGE)


def _find_rename(flag: int) -> Callable[[int, str, str], bool] | None:
    """Return a function that renames within a folder with a flag of renameat2(2), and returns False
    where the file system can't; None if the system has no such call."""
    if not sys.platform.startswith("linux"):
        return None
    try:
        renameat2 = ctypes.CDLL(None, use_errno=True).renameat2
    except (OSError, AttributeError):
        return None

    def rename(folder: int, one: str, other: str) -> bool:
        if renameat2(folder, os.fsencode(one), folder, os.fsencode(other), flag) == 0:
            return True
        number = ctypes.get_errno()
        if number in _CANNOT:
            return False
        raise OSError(number, os.strerror(number), other)

    return rename


def name_temp(device: str, attempt: str, name: str) -> str:
    """Return the name of the temporary file for the file `name`; `attempt` has no hyphen."""
    return f"{TEMP_PREFIX}{device}-{attempt}-{_mark(name)}{TEMP}"


def is_in_the_way(folder: int, error: OSError) -> bool:
    """Whether an error of writing in a folder says that something lies in the way, or that this
    user may not write there, and not only that this one call failed."""
    if error.errno in (errno.EACCES, errno.EPERM):
        return confined.is_closed(folder, ".", error, os.W_OK | os.X_OK)
    return error.errno in segments.IN_THE_WAY


def sweep(root: int, device: str, files: Iterable[FileChange]) -> None:
    """Clear away temporary files that a killed process left beside the files of changes. Raises
    OSError."""
    beside: dict[tuple[str, ...], dict[str, tuple[str, Sequence[str | None]]]] = {}
    for file in files:
        folders, name = confined.split_path(file.path)
        known = file.before_hash, file.after_hash
        beside.setdefault(tuple(folders), {})[_mark(name)] = name, known
    for place, called in beside.items():
        try:
            folder = confined.open_folder(root, place)
        except (NotFoundError, ForbiddenPathError):
            continue
        with confined.Descriptor(folder):
            try:
                _sweep_folder(folder, f"{TEMP_PREFIX}{device}-", called)
            except OSError as error:
                if not is_in_the_way(folder, error):
                    raise


def _sweep_folder(
    folder: int, start: str, called: Mapping[str, tuple[str, Sequence[str | None]]]
) -> None:
    """Clear away the temporary files of a folder; `called` maps marks to names and known hashes."""
    for temp in os.listdir(folder):
        if not temp.startswith(start):
            continue
        if not temp.endswith(SWAP):
            remove(folder, temp)
            continue
        mark = temp.removeprefix(start).partition("-")[2][:8]
        resolve_swap(folder, temp, *called.get(mark, ("recovered.md", ())))


def _mark(name: str) -> str:
    return f"{crc32(name.encode(errors='surrogateescape')):08x}"
