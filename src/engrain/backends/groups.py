"""List the notes of one folder, with their stamps and what else is there."""

from __future__ import annotations

import os
from collections.abc import Iterator
from zlib import crc32

from engrain.backends import confined
from engrain.backends.confined import STAMP, Descriptor, stamp_parts
from engrain.model.errors import ForbiddenPathError, NotFoundError
from engrain.model.note.tiers import Naming
from engrain.seam.locator import Locator, is_part
from engrain.seam.looks import Seen
from engrain.seam.storage import Group

MAX_DEPTH = 64
"""The most folders within each other in which notes are looked for."""


class FolderGroup(Group):
    """The notes directly in one folder."""

    __slots__ = ("_names", "_problems", "_times")

    def __init__(self, folder: int, name: str, *, stamped: bool = True) -> None:
        # The hot loop of every cold recall: only names and numbers here, objects on demand.
        names = []
        times: list[int] = []
        problems = []
        folders = []
        admits, look = Naming(name).admits, stamp_parts
        mark = mark_of(os.fstat(folder))
        with os.scandir(folder) as entries:
            for entry in entries:
                called = entry.name
                if called[0] == ".":
                    continue
                if entry.is_dir(follow_symlinks=False):
                    if is_part(called):
                        folders.append(called)
                    else:
                        problems.append((ascii(called), "name"))
                elif admits(called):
                    if not entry.is_file(follow_symlinks=False):
                        symlink = entry.is_symlink()
                        problems.append((called, "symlink" if symlink else "not-a-file"))
                    elif not is_part(called):
                        problems.append((ascii(called), "name"))
                    else:
                        try:
                            times += look(entry.stat(follow_symlinks=False)) if stamped else ()
                        except FileNotFoundError:
                            continue  # It was removed since it was listed.
                        names.append(called)
                elif entry.is_symlink() and _leads_to_folder(entry):
                    problems.append((called, "symlink"))
        self._names = names
        self._times = times
        self._problems = problems
        # Integers hash alike in all processes of one Python version; another only scans again.
        joined = "\0".join([*names, *(part for pair in problems for part in pair)])
        fingerprint = f"{hash(tuple(times)):x}-{crc32(joined.encode(errors='replace')):x}"
        size = len(names) + len(problems)
        super().__init__(name, fingerprint, size, folders, mark)

    def seen(self) -> list[Seen]:
        prefix = f"{self.name}/" if self.name else ""
        times = iter(self._times)
        stamps = map(STAMP.__mod__, zip(times, times, times, times, strict=True))
        found = [Seen(Locator(prefix + name), next(stamps, "")) for name in self._names]
        return found + [Seen(Locator(prefix + name), "", why) for name, why in self._problems]


def mark_of(folder: os.stat_result) -> str:
    """Return the mark of a folder, "" if it is too young for its stamp to show later changes."""
    return confined.stamp_of(folder) if confined.is_settled(folder) else ""


def _leads_to_folder(link: os.DirEntry[str]) -> bool:
    try:
        return link.is_dir()
    except OSError:
        return False  # it leads in a circle, or to where this user may not look


class UnreadableGroup(Group):
    """A folder that can't be read."""

    __slots__ = ("_problem",)

    def __init__(self, name: str, problem: str) -> None:
        super().__init__(name, "", 1)
        self._problem = problem

    def seen(self) -> list[Seen]:
        return [Seen(Locator(self.name), "", self._problem)]


def walk(folder: int, name: str = "", depth: int = 0) -> Iterator[Group]:
    """Yield the groups of an open folder and of all folders below it."""
    group = FolderGroup(folder, name)
    yield group
    for below in group.folders:
        path = f"{name}/{below}" if name else below
        if depth >= MAX_DEPTH:
            yield UnreadableGroup(path, "too-deep")
            continue
        try:
            with Descriptor(confined.open_folder(folder, [below])) as inner:
                yield from walk(inner, path, depth + 1)
        except (FileNotFoundError, NotFoundError):
            continue  # it was removed since it was listed
        except (OSError, ForbiddenPathError):
            yield UnreadableGroup(path, "unreadable")


def open_group(root: int, name: str) -> Group:
    """Return the notes of the folder `name` below an open one, without stamps."""
    folders = name.split("/") if name else []
    if len(folders) > MAX_DEPTH:
        return UnreadableGroup(name, "too-deep")
    try:
        with Descriptor(confined.open_folder(root, folders)) as folder:
            return FolderGroup(folder, name, stamped=False)
    except (OSError, NotFoundError, ForbiddenPathError):
        return UnreadableGroup(name, "unreadable")
