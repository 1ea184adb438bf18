"""Settings and where each comes from: flag, environment, project file, user configuration (S1.22).

A project file travels with other people's code, so it may name the project, the profile and
budgets and nothing else: never a vault, a state folder, a backend or an endpoint.
"""

from __future__ import annotations

import os
import sys

from engrain.model.errors import ConfigError
from engrain.resolution.flat import identify, read_flat, write_flat

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

PROJECT_FILE = ".engrain.toml"
_TOO_MUCH = 10**18


class Key:
    """One setting: its environment variable, whether a project file may hold it, what it means."""

    __slots__ = ("default", "in_project", "meaning", "name", "variable")

    def __init__(
        self, name: str, meaning: str, *, in_project: bool = False, default: str | None = None
    ) -> None:
        self.name = name
        self.variable = "ENGRAIN_" + name.upper()
        self.meaning = meaning
        self.in_project = in_project
        self.default = default


KEYS = {
    key.name: key
    for key in (
        Key("vault", "the vault's folder"),
        Key("backend", "which backend keeps the vault; auto looks at the folder", default="auto"),
        Key("state_dir", "where this device keeps its index and notes"),
        Key("agent", "the name of the agent that writes", default=""),
        Key("project", "the current project; else git's common directory", in_project=True),
        Key("profile", "the recall profile; prompt by default", in_project=True),
        Key("budget", "the token budget of a recall; else the profile's", in_project=True),
        Key(
            "embedder",
            "whose vectors recall uses: auto, none, or some of api, local, static, stub in order",
            default="auto",
        ),
        Key("embedder_url", "the address of an embedding API (OpenAI-compatible, or Ollama)"),
        Key("embedder_model", "the model that the API is asked for"),
        Key("embedder_key_variable", "the environment variable that has the API's key"),
        Key("embedder_folder", "a folder with model.onnx and tokenizer.json"),
        Key("embedder_static_folder", "a folder with token vectors"),
    )
}


class Setting:
    """A value and, in words, where it came from."""

    __slots__ = ("origin", "value")

    def __init__(self, value: str | None, origin: str) -> None:
        self.value = value
        self.origin = origin


def load_settings(
    flags: Mapping[str, str | None], environ: Mapping[str, str], folder: str
) -> dict[str, Setting]:
    """Every setting, seen from `folder`. Raises ConfigError naming the file and the line."""
    user_file = user_config_file(environ)
    user = read_user_config(environ)
    project_file = find_upwards(folder, PROJECT_FILE)
    project = _read_file(
        project_file, {name: key for name, key in KEYS.items() if key.in_project}
    ) if project_file else {}  # fmt: skip
    settings = {}
    for name, key in KEYS.items():
        if flags.get(name):
            setting = Setting(flags[name], "flag --" + name.replace("_", "-"))
        elif environ.get(key.variable):
            setting = Setting(environ[key.variable], f"environment {key.variable}")
        elif name in project:
            setting = Setting(project[name], f"project file {project_file}")
        elif name in user:
            setting = Setting(user[name], f"user configuration {user_file}")
        else:
            setting = Setting(key.default, "default")
        settings[name] = setting
    return settings


def read_whole_number(settings: Mapping[str, Setting], name: str) -> int | None:
    """A setting that is a number of at least 1, None where it is not set. Raises ConfigError."""
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
    """The user's configuration file, whether it exists or not."""
    return environ.get("ENGRAIN_CONFIG") or os.path.join(_base(environ, "config"), "config.toml")


def read_user_config(environ: Mapping[str, str]) -> dict[str, str]:
    """What the user's configuration file sets. Raises ConfigError."""
    path = user_config_file(environ)
    identity = identify(path)
    if not identity:
        return _read_file(path, KEYS)
    flat = os.path.join(default_state_dir(environ), "settings")
    settings = read_flat(flat, identity)
    if settings is None or not settings.keys() <= KEYS.keys():
        settings = _read_file(path, KEYS)
        write_flat(flat, identity, settings)
    return settings


def default_state_dir(environ: Mapping[str, str]) -> str:
    """The platform's folder for device-local state."""
    return _base(environ, "state")


def find_upwards(folder: str, name: str) -> str | None:
    """The nearest `name` in `folder` or above."""
    while True:
        path = os.path.join(folder, name)
        if os.path.lexists(path):
            return path
        above = os.path.dirname(folder)
        if above == folder:
            return None
        folder = above


def _base(environ: Mapping[str, str], what: str) -> str:
    if sys.platform == "linux":
        # The XDG rule by hand: platformdirs would double the start-up time of a cold process.
        home, below = {
            "config": ("XDG_CONFIG_HOME", ".config"),
            "state": ("XDG_STATE_HOME", ".local/state"),
        }[what]
        given = environ.get(home, "")
        root = given if os.path.isabs(given) else os.path.join(os.path.expanduser("~"), below)
        return os.path.join(root, "engrain")
    import platformdirs

    if what == "config":
        return platformdirs.user_config_dir("engrain", appauthor=False)
    return platformdirs.user_state_dir("engrain", appauthor=False)


def _read_file(path: str, allowed: Mapping[str, Key]) -> dict[str, str]:
    try:
        with open(path, "rb") as file:  # noqa: PTH123
            raw = file.read(1024 * 1024)
    except FileNotFoundError:
        return {}
    except OSError as error:
        raise ConfigError(f"can't read: {error.strerror}", path=path) from None
    import tomllib

    try:
        values = tomllib.loads(raw.decode())
    except (ValueError, RecursionError) as error:
        # Not only its own error: hostile depth and endless numbers fail in their own ways.
        raise ConfigError(
            f"not TOML: {error}", path=path, remedy="mend the file, or move it away"
        ) from None
    for name, value in values.items():
        if name not in allowed:
            known = name in KEYS
            raise ConfigError(
                f"a project file may not set {name!r}"
                if known
                else f"no setting named {name[:60]!r}",
                path=path,
                remedy="it may set " + ", ".join(allowed),
            )
        countable = isinstance(value, int) and not isinstance(value, bool)
        if not (isinstance(value, str) or (countable and abs(value) < _TOO_MUCH)):
            raise ConfigError(f"{name} must be text or a number", path=path)
    return {name: str(value) for name, value in values.items()}
