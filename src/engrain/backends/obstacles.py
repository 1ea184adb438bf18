"""Lists files in a vault folder that are no notes: attachments, and obstacles in the places of
notes and histories."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator

from engrain.backends import confined, segments
from engrain.backends.confined import ASIDE
from engrain.backends.groups import MAX_DEPTH
from engrain.backends.placing import TEMP, place_new, remove
from engrain.model.errors import ForbiddenPathError, NotFoundError, StorageError
from engrain.model.note.tiers import KINDS, SYSTEM_FOLDER, Naming, is_generated
from engrain.seam.changes import Obstacle
from engrain.seam.locator import Locator, is_part
from engrain.seam.storage import MAX_OTHER_BYTES

_UNREADABLE = (*segments.UNREADABLE, OSError)
_FOLDERS = ("Memory", "Memory/_always-load", "Memory/_archive", "Memory/_inbox", "projects")
_MOVE = "move it out of the vault, or remove it"
_CLOSED = "give your user the right to read and write it"
_ASIDE = (
    "it lay where Engrain keeps its history and was set aside; if it is history, make it readable"
    " and move its files to where they were, then run `engrain jobs reindex`, else remove it"
)


def list_obstacles(root: int, device: str, stopped: str) -> Iterator[Obstacle]:
    """Yield every obstacle below a vault's folder; the index reports unreadable notes. `stopped`
    says why a change of `device` that was cut off can't be completed, "" for none."""
    yield from _look_at_history(root)
    yield from _look_at_folders(root)
    if stopped:
        yield Obstacle(
            "/".join([*segments.HISTORY, device]),
            f"a change that was cut off can't be completed: {stopped}",
            "see to the disk and to who may write here; the next command tries again",
        )


def _look_at_history(root: int) -> Iterator[Obstacle]:
    history = "/".join(segments.HISTORY)
    for name in _names(root, segments.HISTORY[:1]):
        if name.startswith(ASIDE):
            yield Obstacle(f"{SYSTEM_FOLDER}/{name}", "was in the way of the histories", _ASIDE)
    if problem := _problem_of_folder(root, segments.HISTORY):
        yield Obstacle(history, f"no history can be read: {problem[0]}", problem[1])
    for device in _names(root, segments.HISTORY):
        place = f"{history}/{device}"
        if device.startswith(ASIDE):
            yield Obstacle(place, "was in the way of this device's history", _ASIDE)
        elif problem := _problem_of_folder(root, [*segments.HISTORY, device]):
            yield Obstacle(place, f"no device's history: {problem[0]}", problem[1])
        else:
            yield from _look_at_chain(root, device, place)


def _look_at_chain(root: int, device: str, place: str) -> Iterator[Obstacle]:
    for name in _names(root, [*segments.HISTORY, device]):
        if name.startswith(ASIDE):
            yield Obstacle(f"{place}/{name}", "was in the way of this device's history", _ASIDE)
    with confined.Descriptor(segments.open_chain(root, device)) as chain:
        for number in segments.list_segments(chain):
            name = segments.segment_name(number)
            try:
                segments.read_segment(chain, name, 0, 1)
            except _UNREADABLE as error:
                message = f"changes of this device can't be read: {error}"
                yield Obstacle(f"{place}/{name}", message, f"{_CLOSED}, or {_MOVE}")


def _look_at_folders(root: int) -> Iterator[Obstacle]:
    wanted = {*_FOLDERS, *(kind.folder for kind in KINDS.values())}
    todo = [""]
    while todo:
        folder = todo.pop()
        admits = Naming(folder).admits
        for name in _names(root, folder.split("/") if folder else []):
            if not is_part(name):
                continue
            place = f"{folder}/{name}" if folder else name
            mode = _mode_of(root, place)
            if stat.S_ISDIR(mode):
                if admits(name):
                    yield Obstacle(place, "a folder lies where a note would", _MOVE)
                if place.count("/") < MAX_DEPTH:
                    todo.append(place)
            elif place in wanted and mode:
                message = f"{_describe(mode)} lies where a folder of entries belongs"
                yield Obstacle(place, message, _MOVE)


def _problem_of_folder(root: int, folders: list[str]) -> tuple[str, str] | None:
    """Return what is wrong with a folder, and the remedy; None if it is fine or missing."""
    mode = _mode_of(root, "/".join(folders))
    if mode and not stat.S_ISDIR(mode):
        return f"{_describe(mode)} is there, and no folder", _MOVE
    try:
        os.close(confined.open_folder(root, folders))
    except NotFoundError:
        return None
    except _UNREADABLE as error:
        return str(error), _CLOSED
    return None


def _names(root: int, folders: list[str]) -> list[str]:
    try:
        folder = confined.open_folder(root, folders)
    except _UNREADABLE:
        return []
    with confined.Descriptor(folder):
        return sorted(os.listdir(folder))


def _mode_of(root: int, place: str) -> int:
    """Return the file mode at a place, 0 if it can't be read or nothing is there."""
    folders, name = confined.split_path(place)
    try:
        folder = confined.open_folder(root, folders)
    except _UNREADABLE:
        return 0
    with confined.Descriptor(folder):
        try:
            return os.stat(name, dir_fd=folder, follow_symlinks=False).st_mode
        except OSError:
            return 0


_THINGS = {
    stat.S_IFLNK: "a symbolic link",
    stat.S_IFREG: "a file",
    stat.S_IFIFO: "a pipe",
    stat.S_IFSOCK: "a socket",
}


def _describe(mode: int) -> str:
    return _THINGS.get(stat.S_IFMT(mode), "a device")


def list_others(root: int) -> Iterator[Locator]:
    """Yield every regular file below a folder that is no note or that Engrain generates. Hidden
    files and forbidden folders are left out. Raises OSError."""
    todo = [""]
    while todo:
        name = todo.pop()
        admits = Naming(name).admits
        for called, is_folder in _look_into(root, name):
            place = f"{name}/{called}" if name else called
            if is_folder:
                if place.count("/") < MAX_DEPTH:
                    todo.append(place)
            elif not admits(called) or is_generated(place):
                yield Locator(place)


def read_other(root: int, place: Locator) -> bytes:
    """Return the bytes of a file that is no note. Raises NotFoundError, ForbiddenPathError,
    MalformedError for a file that is too large, StorageError."""
    folders, name = confined.split_path(place)
    try:
        with confined.Descriptor(confined.open_folder(root, folders)) as folder:
            return confined.read_file(folder, name, MAX_OTHER_BYTES)[0]
    except OSError as error:
        raise StorageError(f"can't read: {error.strerror}", path=place) from None


def add_other(root: int, place: Locator, raw: bytes) -> bool:
    """Add a file that is no note; return False if the place is taken. Raises ForbiddenPathError,
    StorageError."""
    folders, name = confined.split_path(place)
    if Naming(place.folder).admits(name):
        raise ForbiddenPathError("a note is written by a change", path=place)
    temp = f"{confined.TEMP_PREFIX}{os.urandom(8).hex()}{TEMP}"
    try:
        with confined.Descriptor(confined.open_folder(root, folders, create=True)) as folder:
            try:
                confined.write_new(folder, temp, raw)
                return place_new(folder, temp, name)
            finally:
                remove(folder, temp)
    except OSError as error:
        raise StorageError(f"can't write: {error.strerror}", path=place) from None


def _look_into(root: int, name: str) -> list[tuple[str, bool]]:
    """Return the names in a folder that are not hidden, and whether each is a folder. Raises
    OSError."""
    try:
        folder = confined.open_folder(root, name.split("/") if name else [])
    except segments.UNREADABLE:
        return []
    try:
        with os.scandir(folder) as entries:
            return [
                (entry.name, entry.is_dir(follow_symlinks=False))
                for entry in entries
                if is_part(entry.name)
                and (entry.is_dir(follow_symlinks=False) or entry.is_file(follow_symlinks=False))
            ]
    finally:
        os.close(folder)
