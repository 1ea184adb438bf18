"""When files of another program were written: by git where it keeps them, else by the disk."""

from __future__ import annotations

import os
from collections.abc import Mapping

from engrain.model.errors import StorageError
from engrain.resolution.learn_sources_git import read_dates
from engrain.resolution.settings import find_upwards


class FileDates:
    """The dates of the files below a folder. In a working tree of git that is the author's date of
    the last commit that touched the file; where git has no answer, when the file was changed.

    Git is asked once for all files, when the first date is wanted.
    """

    def __init__(self, folder: str, environ: Mapping[str, str]) -> None:
        self._folder = os.path.realpath(folder)
        self._environ = environ
        self._by_git: Mapping[str, float] | None = None
        self._root = ""

    def __call__(self, path: str) -> float | None:
        """The date of a file, in epoch seconds; None where there is none."""
        place = os.path.join(os.path.realpath(os.path.dirname(path)), os.path.basename(path))
        if self._by_git is None:
            self._by_git = self._ask_git()
        if self._by_git:
            name = os.path.relpath(place, self._root).replace(os.sep, "/")
            if (at := self._by_git.get(name)) is not None:
                return at
        try:
            return os.lstat(place).st_mtime
        except OSError:
            return None

    def _ask_git(self) -> Mapping[str, float]:
        found = find_upwards(self._folder, ".git")
        if found is None:
            return {}
        self._root = os.path.dirname(os.path.realpath(found))
        below = os.path.relpath(self._folder, self._root).replace(os.sep, "/")
        try:
            return read_dates(self._root, self._environ, "" if below == "." else below)
        except StorageError:
            return {}  # no git here, or no commit yet
