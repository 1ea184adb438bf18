"""Copies this device's state of a store for the store that takes its place."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator

import apsw

from engrain.model.errors import StorageError

_DERIVED = ("index", "tail.json", "writer.json")
"""Files and folders that are made anew, or that describe the place of the old store."""
_DATABASE = ".sqlite"
_BESIDE = ("-wal", "-shm", "-journal")


def carry_state(source: str, target: str) -> int:
    """Copy files from the folder `source` that `target` does not have yet (counters, sessions,
    vectors, jobs); return how many were copied. Raises StorageError."""
    count = 0
    try:
        for place in _list_files(source):
            goal = os.path.join(target, place)
            if not os.path.exists(goal):
                os.makedirs(os.path.dirname(goal), mode=0o700, exist_ok=True)
                _copy(os.path.join(source, place), f"{goal}.carried")
                os.replace(f"{goal}.carried", goal)
                count += 1
    except (OSError, apsw.Error) as error:
        raise StorageError(
            f"the vault has moved, but not what this device knows of it: {error}", path=source
        ) from None
    return count


def _list_files(folder: str) -> Iterator[str]:
    for path, folders, names in os.walk(folder):
        inner = os.path.relpath(path, folder)
        if inner == ".":
            folders[:] = [name for name in folders if name not in _DERIVED]
            names = [name for name in names if name not in _DERIVED]
        for name in names:
            if not name.endswith((*_BESIDE, ".carried")):
                yield os.path.normpath(os.path.join(inner, name))


def _copy(source: str, target: str) -> None:
    """Copy a file; a database is copied as it is at one moment, even while others write to it."""
    if not source.endswith(_DATABASE):
        shutil.copy2(source, target)
        return
    if os.path.exists(target):
        os.unlink(target)
    old = apsw.Connection(source, flags=apsw.SQLITE_OPEN_READWRITE)
    new = apsw.Connection(target)
    try:
        with new.backup("main", old, "main") as copying:
            copying.step()
    finally:
        old.close()
        new.close()
