"""Find the folders of Claude Code's own memory and their projects.

The host's contract (its page on memory): `projects/<project>/memory/` below its folder, which is
`~/.claude` or `CLAUDE_CONFIG_DIR`. <project> is the path of the repository with every character but
letters and digits written `-`.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from engrain.resolution.selector import find_folder_project

_FLATTENED = re.compile("[^a-zA-Z0-9]")


@dataclass(slots=True, eq=False)
class MemoryFolder:
    """One folder of Claude Code's memory: its path, its name, and its project, None if unknown."""

    path: str
    name: str
    project: str | None


def claude_folder(environ: Mapping[str, str]) -> str:
    """Return the folder of Claude Code's own files, whether it exists or not."""
    return os.path.abspath(os.path.expanduser(environ.get("CLAUDE_CONFIG_DIR") or "~/.claude"))


def find_memory_folders(environ: Mapping[str, str]) -> list[MemoryFolder]:
    """Return every memory folder on this machine."""
    projects = os.path.join(claude_folder(environ), "projects")
    names = sorted(os.listdir(projects)) if os.path.isdir(projects) else []
    paths = [os.path.join(projects, name, "memory") for name in names]
    return [describe_folder(path, environ) for path in paths if os.path.isdir(path)]


def describe_folder(path: str, environ: Mapping[str, str]) -> MemoryFolder:
    """Return a memory folder with the name and project that its path shows."""
    path = os.path.abspath(os.path.expanduser(path))
    above, name = os.path.split(path)
    if name == "memory":
        name = os.path.basename(above) or name
    # `a-b` may have been `a/b` or `a.b`: the existing folders decide, unless their projects differ.
    projects = {find_folder_project(environ, folder) for folder in _folders_flattened(os.sep, name)}
    return MemoryFolder(path, name, projects.pop() if len(projects) == 1 else None)


def _folders_flattened(folder: str, rest: str) -> Iterator[str]:
    """Yield the folders below `folder` whose relative path, with a `-` before each part, flattens
    to `rest`."""
    try:
        with os.scandir(folder) as entries:
            found = [(entry.path, "-" + _FLATTENED.sub("-", entry.name)) for entry in entries]
    except OSError:
        return
    for path, flat in found:
        if rest == flat and os.path.isdir(path):
            yield path
        elif rest.startswith(flat + "-"):
            yield from _folders_flattened(path, rest[len(flat) :])
