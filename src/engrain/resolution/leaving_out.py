"""Says which files of a folder stay out of an import: what git ignores, what lies in hidden folders
or in those of packages, and what the user excludes.

git itself is asked, if it is there. A folder that git ignores as a whole is imported nevertheless,
since its user named it.
"""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator, Sequence
from fnmatch import fnmatchcase

PACKAGES = "node_modules"
IGNORED = "git ignores it"
HIDDEN = "hidden"
_TIMEOUT_S = 60.0
_SAFE = ("core.fsmonitor=false", "core.hooksPath=/dev/null", "safe.bareRepository=explicit")
"""Settings under which git runs no program that a folder names."""


class LeavingOut:
    """Decides what stays out below a folder; `patterns` are names or paths with wildcards, which
    also stand for all that lies in a folder of that name."""

    def __init__(self, folder: str, patterns: Sequence[str] = ()) -> None:
        self._folder = os.path.realpath(folder)
        self._patterns = [pattern.removeprefix("./").strip("/") for pattern in patterns]
        self._ignored: set[str] = set()
        self.hidden: list[str] = []
        """Hidden folders and files, which no import reads; a folder ends with `/`."""
        self._walk()

    def __call__(self, path: str) -> tuple[str, str] | None:
        """Return what stays out with the file at a path, and why; None for a file that comes in."""
        parts = path.split("/")
        for end in range(1, len(parts) + 1):
            place, is_folder = "/".join(parts[:end]), end < len(parts)
            if why := self._why(place, parts[end - 1], is_folder=is_folder):
                return (f"{place}/" if is_folder else place), why
        return None

    def _why(self, place: str, name: str, *, is_folder: bool) -> str:
        for pattern in self._patterns:
            if _matches(place, name, pattern):
                return f"--exclude {pattern}"
        if is_folder and name == PACKAGES:
            return "packages of other programs"
        return IGNORED if place in self._ignored else ""

    def _walk(self) -> None:
        """Ask git about the folder and every repository below it, and find what is hidden."""
        self._ask_git("")
        for folder, below, files in os.walk(self._folder):
            place = os.path.relpath(folder, self._folder).replace(os.sep, "/")
            place = "" if place == "." else f"{place}/"
            if place and (".git" in below or ".git" in files):
                self._ask_git(place)
            self.hidden += [f"{place}{name}/" for name in sorted(below) if name[0] == "."]
            self.hidden += [f"{place}{name}" for name in sorted(files) if name[0] == "."]
            below[:] = sorted(
                name for name in below if name[0] != "." and self(f"{place}{name}/x") is None
            )

    def _ask_git(self, place: str) -> None:
        folder = os.path.join(self._folder, place)
        if _run_git(folder, "check-ignore", "-q", "--", ".") is not None:
            return
        options = ("--others", "--ignored", "--exclude-standard", "--directory")
        found = _run_git(folder, "ls-files", "-z", *options)
        for name in (found or b"").split(b"\0"):
            if name:
                self._ignored.add(place + os.fsdecode(name).rstrip("/"))


def _matches(place: str, name: str, pattern: str) -> bool:
    if "/" not in pattern:
        return fnmatchcase(name, pattern)
    return any(fnmatchcase(place, one) for one in _spellings(pattern))


def _spellings(pattern: str) -> Iterator[str]:
    """Yield a path's pattern, in which `*` stands for any folders too; those that `**/` begins are
    also met at the top, and `/**` stands for all that is in a folder."""
    pattern = pattern.removesuffix("/**")
    yield pattern
    if pattern.startswith("**/"):
        yield pattern[3:]


def _run_git(folder: str, *words: str) -> bytes | None:
    """Return what git writes about a folder, None where it fails or is not there."""
    environ = {key: value for key, value in os.environ.items() if not key.startswith("GIT_")}
    environ |= {"GIT_OPTIONAL_LOCKS": "0", "GIT_TERMINAL_PROMPT": "0", "LC_ALL": "C"}
    settings = [word for setting in _SAFE for word in ("-c", setting)]
    try:
        done = subprocess.run(
            ["git", "--no-pager", *settings, *words],
            cwd=folder,
            env=environ,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=_TIMEOUT_S,
            check=False,
        )
    except (OSError, subprocess.SubprocessError):
        return None
    return done.stdout if done.returncode == 0 else None
