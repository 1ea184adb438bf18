"""Settings from flags, environment, project file and user configuration, in this order (S1.22).

A project file comes with other people's code, so it may set only the project, the profile and
budgets, and switch memory off: never a vault, a state folder, a backend or an endpoint.

The settings `memory` and `projects.off` decide whether agents have a memory in a folder.
"""

from __future__ import annotations

import os
import sys
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from engrain.model.errors import ConfigError, MemoryOffError
from engrain.model.settings import KEYS, PACKAGED, SettingKey
from engrain.resolution.files import climb, find_git, find_upwards, lies_in

if sys.platform != "linux":
    import platformdirs

PROJECT_FILE = ".engrain.toml"
_TOO_MUCH = 10**18
MEMORY, ON, OFF = "memory", "on", "off"
FOLDERS_OFF = "projects.off"

VARIABLES = {name: key.variable for name, key in KEYS.items()}
"""The environment variable of each setting, computed once, since every call reads them."""


@dataclass(slots=True)
class Setting:
    """A value and its origin in words."""

    value: str | None
    origin: str


def load_settings(
    flags: Mapping[str, str | None], environ: Mapping[str, str], folder: str
) -> dict[str, Setting]:
    """Return every setting, seen from `folder`. Raises ConfigError with the file and the line."""
    user_file = user_config_file(environ)
    user = read_user_config(environ)
    project_file = find_upwards(folder, PROJECT_FILE)
    project = read_project_file(project_file) if project_file else {}
    settings = {}
    for name, key in KEYS.items():
        if flags.get(name):
            setting = Setting(flags[name], "flag --" + name.replace("_", "-"))
        elif given := environ.get(VARIABLES[name]):
            setting = Setting(given, f"environment {VARIABLES[name]}")
        elif name in project and not (name == MEMORY and user.get(name, ON) != ON):
            setting = Setting(project[name], f"project file {project_file}")
        elif name in user:
            setting = Setting(user[name], f"user configuration {user_file}")
        else:
            setting = Setting(key.default, "default")
        settings[name] = setting
    return settings


def is_afar(settings: Mapping[str, Setting]) -> bool:
    """Return whether the memory is on another machine: a remote server is set, and no vault."""
    return bool(settings["remote.url"].value) and not settings["vault"].value


def read_project_file(path: str) -> dict[str, str]:
    """Return the settings in a project file. Raises ConfigError."""
    in_project = {name: key for name, key in KEYS.items() if key.in_project}
    return _check_names(_read_names(path), in_project, path)


def load_packaged(environ: Mapping[str, str], keys: Mapping[str, SettingKey]) -> dict[str, Setting]:
    """Return the settings of another package, by environment and user configuration. Raises
    ConfigError."""
    path = user_config_file(environ)
    given = {name: value for name, value in _read_names(path).items() if name.startswith(PACKAGED)}
    user = _check_names(given, keys, path)
    settings = {}
    for name, key in keys.items():
        if value := environ.get(key.variable):
            settings[name] = Setting(value, f"environment {key.variable}")
        elif name in user:
            settings[name] = Setting(user[name], f"user configuration {path}")
        else:
            settings[name] = Setting(key.default, "default")
    return settings


def read_whole_number(settings: Mapping[str, Setting], name: str) -> int | None:
    """Return a setting as a number of at least 1, None if it is not set. Raises ConfigError."""
    setting = settings[name]
    if setting.value is None:
        return None
    try:
        number = int(setting.value)
    except ValueError:
        number = 0
    if number < 1:
        raise ConfigError(
            f"{name} is {setting.value[:40]!r} (from {setting.origin}), not a number from 1 up"
        )
    return number


def user_config_file(environ: Mapping[str, str]) -> str:
    """Return the user's configuration file, whether it exists or not."""
    return environ.get("ENGRAIN_CONFIG") or os.path.join(_base(environ, "config"), "config.toml")


def read_user_config(environ: Mapping[str, str]) -> dict[str, str]:
    """Return the settings in the user's configuration file. Raises ConfigError."""
    return _read_user_file(user_config_file(environ))


def absolute_state_dir(given: str | None, environ: Mapping[str, str]) -> str:
    """Return the folder of the device's state as an absolute path: the given one, else the
    platform's."""
    return os.path.abspath(os.path.expanduser(given or _base(environ, "state")))


def _base(environ: Mapping[str, str], what: str) -> str:
    if sys.platform == "linux":
        # The rule of XDG, by the variables that are given and not those of this process.
        home, below = {
            "config": ("XDG_CONFIG_HOME", ".config"),
            "state": ("XDG_STATE_HOME", ".local/state"),
        }[what]
        given = environ.get(home, "")
        root = given if os.path.isabs(given) else os.path.join(os.path.expanduser("~"), below)
        folder = os.path.join(root, "engrain")
    elif what == "config":
        folder = platformdirs.user_config_dir("engrain", appauthor=False)
    else:
        folder = platformdirs.user_state_dir("engrain", appauthor=False)
    return folder


def _read_user_file(path: str) -> dict[str, str]:
    found = _read_names(path)
    own = {name: value for name, value in found.items() if not name.startswith(PACKAGED)}
    return _check_names(own, KEYS, path)


def _read_names(path: str) -> dict[str, object]:
    """Return what a file sets, by name. Raises ConfigError."""
    try:
        with open(path, "rb") as file:  # noqa: PTH123
            raw = file.read(1024 * 1024)
    except FileNotFoundError:
        return {}
    except OSError as error:
        raise ConfigError(f"can't read: {error.strerror}", path=path) from None
    try:
        values = tomllib.loads(raw.decode())
    except (ValueError, RecursionError) as error:
        # Besides its own error: hostile depth and endless numbers raise these.
        raise ConfigError(
            f"not TOML: {error}", path=path, remedy="correct the file, or move it away"
        ) from None
    return dict(_flatten(values))


def _check_names(
    found: Mapping[str, object], allowed: Mapping[str, SettingKey], path: str
) -> dict[str, str]:
    """Return settings as texts. Raises ConfigError for one that the file may not set."""
    for name in found:
        if name not in allowed:
            known = name in KEYS or (name.startswith(PACKAGED) and allowed.keys() <= KEYS.keys())
            raise ConfigError(
                f"a project file may not set {name!r}"
                if known
                else f"no setting named {name[:60]!r}",
                path=path,
                remedy="it may set " + ", ".join(allowed),
            )
    return {name: _write_value(name, value, path) for name, value in found.items()}


def _write_value(name: str, value: object, path: str) -> str:
    """Return a setting's value in a file as text. Raises ConfigError."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, str) or (isinstance(value, int | float) and abs(value) < _TOO_MUCH):
        return str(value)
    if name == FOLDERS_OFF and isinstance(value, list) and all(map(_is_folder, value)):
        return ",".join(value)
    raise ConfigError(f"{name} must be text, a number, true or false", path=path)


def _is_folder(value: object) -> bool:
    return isinstance(value, str) and "," not in value


def _flatten(values: Mapping[str, object]) -> Iterator[tuple[str, object]]:
    """Yield settings by name; those of a table have its name and a dot before theirs."""
    for name, value in values.items():
        if isinstance(value, dict):
            yield from ((f"{name}.{key}", below) for key, below in value.items())
        else:
            yield name, value


_ROOTS = ("CLAUDE_PROJECT_DIR", "GEMINI_PROJECT_DIR", "CURSOR_PROJECT_DIR")
REMEDY = "to use it here nevertheless, set ENGRAIN_MEMORY=on for this command"


def check_on(settings: Mapping[str, Setting], folder: str) -> None:
    """Raise MemoryOffError if memory is off in a folder, ConfigError for an unreadable switch."""
    if reason := find_off(settings, folder):
        raise MemoryOffError(f"memory is off in {folder}: {reason}", remedy=REMEDY)


def check_folder(flags: Mapping[str, str | None], environ: Mapping[str, str], folder: str) -> None:
    """Raise as `check_on` does for the settings as they are seen from a folder."""
    check_on(load_settings(flags, environ, folder), folder)


def check_roots(environ: Mapping[str, str], folder: str) -> None:
    """Raise as `check_on` does for the folders of the session that hosts name in variables: the
    agent may work in another one."""
    for root in filter(None, map(environ.get, _ROOTS)):
        if root != folder:
            check_folder({}, environ, root)


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
