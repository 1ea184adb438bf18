"""Folders of skills on disk: read without following links or running anything, written whole."""

from __future__ import annotations

import os
import stat

from engrain.model.errors import ConflictError, MalformedError, StorageError, UsageError
from engrain.model.note import MAX_NOTE_BYTES
from engrain.model.skill_folder import MAIN, MOST_FILE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from engrain.model.skill_folder import File

_MOST_LISTED = 500
_SKIPPED = ("node_modules", "__pycache__")


def find_skill_folders(path: str) -> list[str]:
    """The folders of skills that a path means: itself, or those in it. Raises UsageError."""
    if not os.path.isdir(path):
        what = "is a file" if os.path.exists(path) else "is not there"
        raise UsageError(f"{path} {what}; give a folder with {MAIN}, or of such folders", path=path)
    if os.path.lexists(os.path.join(path, MAIN)):
        return [path]
    below = sorted(entry.path for entry in os.scandir(path) if entry.is_dir())
    found = [folder for folder in below if os.path.lexists(os.path.join(folder, MAIN))]
    if not found:
        raise UsageError(f"no {MAIN} in {path}, nor in a folder there", path=path)
    return found


def read_folder(folder: str) -> tuple[bytes, list[File]]:
    """`SKILL.md` and what lies beside it. Raises MalformedError."""
    main, reason = _read(os.path.join(folder, MAIN), MAX_NOTE_BYTES)
    if main is None:
        raise MalformedError(f"{MAIN} {reason}", path=folder, reason="skill")
    beside: list[File] = []
    for path in _walk(folder):
        if path.endswith("/"):
            beside.append((path, None, "is hidden, or of no use"))
        elif path != MAIN:
            beside.append((path, *_read(os.path.join(folder, path), MOST_FILE)))
        if len(beside) >= _MOST_LISTED:
            beside.append(("…", None, f"there are over {_MOST_LISTED} files"))
            break
    return main, beside


def write_folder(
    folder: str, name: str, files: Sequence[tuple[str, bytes]], *, force: bool = False
) -> str:
    """Write a skill's files below `folder`; its own folder. What is there already stays but with
    `force`, and then what is not among the files stays too. Raises ConflictError, StorageError."""
    place = os.path.join(folder, name)
    if os.path.lexists(place) and not force:
        raise ConflictError(
            f"{place} is there already", path=place, remedy="--force writes over its files"
        )
    try:
        for path, raw in files:
            _write(place, path, raw)
    except OSError as error:
        raise StorageError(f"can't write: {error.strerror}", path=place) from None
    return place


def _walk(folder: str) -> Iterator[str]:
    """The files below a folder, and with a slash at its end what is not gone into."""
    for root, folders, files in os.walk(folder, followlinks=False):
        below = os.path.relpath(root, folder).replace(os.sep, "/")
        prefix = "" if below == "." else below + "/"
        left = {name for name in folders if name[0] == "." or name in _SKIPPED}
        left |= {name for name in folders if os.path.islink(os.path.join(root, name))}
        folders[:] = sorted(set(folders) - left)
        yield from (f"{prefix}{name}/" for name in sorted(left))
        yield from (prefix + name for name in sorted(files))


def _read(path: str, most: int) -> tuple[bytes | None, str]:
    """A file's bytes, or None and why not."""
    try:
        found = os.lstat(path)
        if not stat.S_ISREG(found.st_mode):
            return None, "is a link" if stat.S_ISLNK(found.st_mode) else "is no plain file"
        if found.st_size > most:
            return None, f"is over {most} bytes"
        with open(path, "rb") as file:  # noqa: PTH123
            return file.read(most + 1), ""
    except OSError as error:
        return None, f"can't be read: {error.strerror}"


def _write(place: str, path: str, raw: bytes) -> None:
    """One file whole, through no link. Raises ConflictError, OSError."""
    parts = path.split("/")
    for count in range(len(parts)):
        above = os.path.join(place, *parts[:count])
        if os.path.islink(above):
            raise ConflictError(f"{above} is a link", path=above, remedy="take it away first")
        os.makedirs(above, exist_ok=True)
    target = os.path.join(place, *parts)
    temp = os.path.join(os.path.dirname(target), f".engrain-{os.getpid()}.tmp")
    try:
        with open(temp, "wb") as file:  # noqa: PTH123
            file.write(raw)
            file.flush()
            os.fsync(file.fileno())
        os.replace(temp, target)
    finally:
        if os.path.lexists(temp):
            os.unlink(temp)
