"""The files of a vault folder that are no notes: what links call attachments (S1.11)."""

from __future__ import annotations

import os
from collections.abc import Iterator

from engrain.backends import confined
from engrain.backends.placing import TEMP, place_new, remove
from engrain.model.errors import ForbiddenPathError, NotFoundError, StorageError
from engrain.model.note.tiers import Naming, is_generated
from engrain.seam.locator import Locator, is_part
from engrain.seam.storage import MAX_OTHER_BYTES

_MAX_DEPTH = 64


def list_others(root: int) -> Iterator[Locator]:
    """Every regular file below a folder that is no note, and what Engrain generates; nothing
    hidden. What can't be looked into is passed over: nothing is known of it."""
    todo = [""]
    while todo:
        name = todo.pop()
        admits = Naming(name).admits
        for called, is_folder in _look_into(root, name):
            place = f"{name}/{called}" if name else called
            if is_folder:
                if place.count("/") < _MAX_DEPTH:
                    todo.append(place)
            elif not admits(called) or is_generated(place):
                yield Locator(place)


def read_other(root: int, place: Locator) -> bytes:
    """The bytes of a file that is no note. Raises NotFoundError, ForbiddenPathError, MalformedError
    for a file that is too large, StorageError."""
    folders, name = confined.split_path(place)
    try:
        folder = confined.open_folder(root, folders)
        try:
            return confined.read_file(folder, name, MAX_OTHER_BYTES)[0]
        finally:
            os.close(folder)
    except OSError as error:
        raise StorageError(f"can't read: {error.strerror}", path=place) from None


def add_other(root: int, place: Locator, raw: bytes) -> bool:
    """Put a file that is no note where nothing is; False where something is. Raises
    ForbiddenPathError, StorageError."""
    folders, name = confined.split_path(place)
    if Naming(place.folder).admits(name):
        raise ForbiddenPathError("a note is written by a change", path=place)
    temp = f"{confined.TEMP_PREFIX}{os.urandom(8).hex()}{TEMP}"
    try:
        folder = confined.open_folder(root, folders, create=True)
        try:
            confined.write_new(folder, temp, raw)
            return place_new(folder, temp, name)
        finally:
            remove(folder, temp)
            os.close(folder)
    except OSError as error:
        raise StorageError(f"can't write: {error.strerror}", path=place) from None


def _look_into(root: int, name: str) -> list[tuple[str, bool]]:
    """The names in a folder that are not hidden, and which are folders."""
    try:
        folder = confined.open_folder(root, name.split("/") if name else [])
    except (OSError, NotFoundError, ForbiddenPathError):
        return []
    try:
        with os.scandir(folder) as entries:
            return [
                (entry.name, entry.is_dir(follow_symlinks=False))
                for entry in entries
                if is_part(entry.name)
                and (entry.is_dir(follow_symlinks=False) or entry.is_file(follow_symlinks=False))
            ]
    except OSError:
        return []
    finally:
        os.close(folder)
