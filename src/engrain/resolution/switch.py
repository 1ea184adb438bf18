"""Whether agents have a memory in a folder: the settings `memory` and `projects.off`.

A switch that can't be read counts as off: the error says what to correct, and nothing is given or
learned meanwhile. The environment (`ENGRAIN_MEMORY=on`) is the user's word for one call.
"""

from __future__ import annotations

import os
from collections.abc import Mapping

from engrain.model.errors import ConfigError, MemoryOffError
from engrain.resolution.files import climb
from engrain.resolution.place import find_git, lies_in
from engrain.resolution.settings import (
    FOLDERS_OFF,
    MEMORY,
    OFF,
    ON,
    PROJECT_FILE,
    VARIABLES,
    Setting,
    load_settings,
    read_project_file,
)

_ROOTS = ("CLAUDE_PROJECT_DIR", "GEMINI_PROJECT_DIR", "CURSOR_PROJECT_DIR")
REMEDY = "to use it here nevertheless, set ENGRAIN_MEMORY=on for this command"


def check_on(settings: Mapping[str, Setting], folder: str) -> None:
    """Raise MemoryOffError if memory is off in a folder, ConfigError for an unreadable switch."""
    if reason := find_off(settings, folder):
        raise MemoryOffError(f"memory is off in {folder}: {reason}", remedy=REMEDY)


def check_roots(environ: Mapping[str, str], folder: str) -> None:
    """Raise as `check_on` does for the folders of the session that hosts name in variables: the
    agent may work in another one."""
    for root in filter(None, map(environ.get, _ROOTS)):
        if root != folder:
            check_on(load_settings({}, environ, root), root)


def is_off(environ: Mapping[str, str], folder: str) -> bool:
    """Return whether nothing may be learned from sessions in a folder, which may be gone."""
    around = {key: value for key, value in environ.items() if key != VARIABLES[MEMORY]}
    try:
        return bool(find_off(load_settings({}, around, folder), folder))
    except ConfigError:
        return True


def find_off(settings: Mapping[str, Setting], folder: str) -> str:
    """Return what switches memory off in a folder, "" if nothing does. `settings` are those seen
    from the folder. Raises ConfigError for an unreadable switch."""
    memory = settings[MEMORY]
    if _read(memory.value, memory.origin) == OFF:
        return f'memory = "{OFF}" (from {memory.origin})'
    if memory.origin.startswith(("environment", "flag")):
        return ""
    listed = settings[FOLDERS_OFF]
    main = _find_main(folder)
    if listed.value and (found := _find_listed(listed.value, [folder, main] if main else [folder])):
        return f"{FOLDERS_OFF} has {found} (from {listed.origin})"
    file = os.path.join(main, PROJECT_FILE) if main else ""
    if file and os.path.lexists(file):
        origin = f"project file {file}"
        if _read(read_project_file(file).get(MEMORY), origin) == OFF:
            return f'memory = "{OFF}" (from {origin})'
    return ""


def _read(value: str | None, origin: str) -> str:
    if value not in (None, ON, OFF):
        raise ConfigError(
            f'memory is "{value[:40]}" (from {origin}), neither "{ON}" nor "{OFF}"',
            remedy="correct it; until then memory is off there",
        )
    return value or ON


def _find_main(folder: str) -> str:
    """Return the main working folder of a linked worktree around a folder, "" for any other."""
    found = find_git(folder)
    if found is None or os.path.isdir(found[0]) or os.path.basename(found[2]) != ".git":
        return ""
    return os.path.dirname(found[2])


def _find_listed(listed: str, folders: list[str]) -> str:
    """Return the entry of a list that is one of the folders or above one of them, "" for none.
    Raises ConfigError for a folder that is not absolute."""
    whole = os.path.isdir(os.path.expanduser(listed))  # a name may have a comma
    for name in [listed] if whole else listed.split(","):
        path = os.path.expanduser(name.strip())
        if path and not os.path.isabs(path):
            raise ConfigError(
                f"{FOLDERS_OFF} has {name.strip()[:80]!r}, which is no absolute path",
                remedy="write whole paths, with commas between them",
            )
        if path and any(_lies_below(folder, path) for folder in folders):
            return name.strip()
    return ""


def _lies_below(folder: str, above: str) -> bool:
    """Whether a folder, which may be gone, is another or inside it."""
    path = os.path.normpath(above)
    return path in climb(os.path.normpath(folder)) or lies_in(os.path.realpath(folder), path)
