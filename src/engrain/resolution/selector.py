"""Resolve settings to a store, by name and with clear errors (S1.2). `doctor` shows the result."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import KW_ONLY, dataclass
from importlib import import_module
from typing import TYPE_CHECKING

from engrain.model.errors import BackendUnavailableError, ConfigError, VaultUnavailableError
from engrain.resolution.place import check_state_dir, check_vault, find_sync
from engrain.resolution.projects import name_project
from engrain.resolution.settings import default_state_dir, load_settings
from engrain.resolution.switch import check_on, find_off
from engrain.seam.locator import refuse_secrets

if TYPE_CHECKING:
    from engrain.resolution.settings import Setting
    from engrain.seam.personal import Personal, PersonalRequest
    from engrain.seam.storage import BackendRequest, StorageBackend


BUILT_IN = {
    "ram": "engrain.backends.ram",
    "device-local": "engrain.backends.device_local",
    "obsidian-vault": "engrain.backends.obsidian",
}
PACKAGED = ("postgres", "postgresql")
"""The backends of the package `engrain-team`."""
PERSONAL_FOLDER = "engrain.backends.personal.folder"
"""The module that opens the operator's own notes."""

ENTRY_POINTS = "engrain.backends"
"""The entry points of other backends, `name = "module"`; the module has `open_backend(request)`."""

_LETTERS = frozenset("abcdefghijklmnopqrstuvwxyz")
_SCHEME = _LETTERS | frozenset("0123456789+.-")

_PROJECT = "ENGRAIN_PROJECT"
HARNESS = "harness"
"""The folder of this device's state for working memory if there is no vault."""


@dataclass(slots=True)
class Resolution:
    """The store of a call. `reasons` are lines for a person; `fallback`: no vault is configured, so
    this device's own store is used; `off` says what switches memory off here, "" if nothing."""

    location: str
    backend: str
    state_dir: str
    project: str | None
    settings: dict[str, Setting]
    reasons: list[str]
    _: KW_ONLY
    fallback: bool = False
    off: str = ""

    @property
    def agent(self) -> str:
        """Return the name of the writing agent, "" for none."""
        return self.settings["agent"].value or ""


def resolve(flags: Mapping[str, str | None], environ: Mapping[str, str], folder: str) -> Resolution:
    """Return the store of these flags and this environment, seen from `folder`. Raises
    VaultUnavailableError if no vault is configured, ConfigError, StateLocationError."""
    settings = load_settings(flags, environ, folder)
    vault = settings["vault"]
    if not vault.value:
        raise VaultUnavailableError(
            "no vault is configured",
            remedy="run `engrain init FOLDER`, or set ENGRAIN_VAULT or --vault",
        )
    location = absolute_location(vault.value)
    if address := _is_address(location):
        refuse_secrets(location)
    backend, why = _choose_backend(settings["backend"], location, address)
    state = settings["state_dir"]
    state_dir = _absolute_state_dir(state, environ)
    check_state_dir(state_dir, None if address else location)
    if (root := settings["personal.root"].value) and not address:
        check_vault(location, root)
    project, whence = _choose_project(settings["project"], folder, location, state_dir)
    reasons = [
        f"vault: {location} (from {vault.origin})",
        f"backend: {backend} ({why})",
        f"state: {state_dir} (from {state.origin})",
        f"project: {project or 'none'} ({whence})",
    ]
    if off := find_off(settings, folder):
        reasons.append(f"memory: off, {off}")
    return Resolution(location, backend, state_dir, project, settings, reasons, off=off)


def resolve_harness(
    flags: Mapping[str, str | None], environ: Mapping[str, str], folder: str
) -> Resolution:
    """Return the store of working memory (S1.4): the configured vault, else a store of this device
    that nothing synchronises. An unavailable vault is an error as in `resolve`."""
    settings = load_settings(flags, environ, folder)
    if settings["vault"].value:
        return resolve(flags, environ, folder)
    state_dir = _absolute_state_dir(settings["state_dir"], environ)
    check_state_dir(state_dir, None)
    location = os.path.join(state_dir, HARNESS)
    project, whence = _choose_project(settings["project"], folder, location, state_dir)
    reasons = [
        f"store: {location} (no vault is configured)",
        "backend: device-local (nothing synchronises the folder)",
        f"state: {state_dir} (from {settings['state_dir'].origin})",
        f"project: {project or 'none'} ({whence})",
    ]
    off = find_off(settings, folder)
    if off:
        reasons.append(f"memory: off, {off}")
    return Resolution(
        location, "device-local", state_dir, project, settings, reasons, fallback=True, off=off
    )


def find_project(
    named: str, environ: Mapping[str, str], folder: str, place: Resolution | None = None
) -> str | None:
    """Return the project of an agent's call from `folder`, for the vault of `place`, else for the
    configured one; `named` is one given explicitly, "" for none. Raises MemoryOffError if memory is
    off there, ConfigError."""
    settings = load_settings({"project": named}, environ, folder)
    check_on(settings, folder)
    if place is not None:
        location, state_dir = place.location, place.state_dir
    else:
        vault = settings["vault"].value
        location = absolute_location(vault) if vault else ""
        state_dir = _absolute_state_dir(settings["state_dir"], environ)
    return _choose_project(settings["project"], folder, location, state_dir)[0]


def find_folder_project(
    environ: Mapping[str, str], folder: str, place: Resolution | None = None
) -> str | None:
    """Return the project of past sessions in a folder that is there, for the vault of `place`, else
    for the configured one. The project that this environment names is not theirs. None also where
    the settings there can't be read."""
    around = {
        name: value for name, value in environ.items() if name not in (_PROJECT, "ENGRAIN_MEMORY")
    }
    try:
        return find_project("", {**around, "ENGRAIN_MEMORY": "on"}, folder, place)
    except ConfigError:
        return None


def absolute_location(location: str) -> str:
    """Return a folder as an absolute path, an address unchanged."""
    if _is_address(location):
        return location
    return os.path.abspath(os.path.expanduser(location))


def _absolute_state_dir(setting: Setting, environ: Mapping[str, str]) -> str:
    return os.path.abspath(os.path.expanduser(setting.value or default_state_dir(environ)))


def _is_address(location: str) -> bool:
    """Whether a location names its backend (`ram:notes`); a drive of Windows has only one
    letter."""
    scheme, colon, _ = location.partition(":")
    return bool(colon) and len(scheme) > 1 and scheme[0] in _LETTERS and _SCHEME.issuperset(scheme)


def load_backend(name: str) -> Callable[[BackendRequest], StorageBackend]:
    """Return the opener of a backend. Raises BackendUnavailableError; there is no fallback."""
    module = BUILT_IN.get(name) or _find_entry_point(name)
    try:
        opener: Callable[[BackendRequest], StorageBackend] = import_module(module).open_backend
    except (ImportError, AttributeError) as error:
        raise BackendUnavailableError(
            f"backend {name!r} can't be loaded: {error}", remedy="install what it needs"
        ) from None
    return opener


def load_personal() -> Callable[[PersonalRequest], Personal]:
    """Return the opener of the operator's own notes."""
    opener: Callable[[PersonalRequest], Personal] = import_module(PERSONAL_FOLDER).open_personal
    return opener


def _choose_backend(setting: Setting, location: str, address: bool) -> tuple[str, str]:
    if setting.value and setting.value != "auto":
        return setting.value, f"from {setting.origin}"
    if address:
        scheme = location.partition(":")[0]
        return scheme, f"the vault is an address of {scheme}"
    if found := find_sync(location):
        return "obsidian-vault", f"{found[0]} is {found[1]}"
    return "device-local", "nothing synchronises the folder"


def _choose_project(
    setting: Setting, folder: str, location: str, state_dir: str
) -> tuple[str | None, str]:
    if setting.value:
        return setting.value, f"from {setting.origin}"
    project = name_project(folder, location, state_dir)
    return project, f"the git repository around {folder}" if project else "not in one"


def _find_entry_point(name: str) -> str:
    from importlib.metadata import entry_points  # only another package's backend needs it

    found = {point.name: point.value for point in entry_points(group=ENTRY_POINTS)}
    if name not in found and name in PACKAGED:
        raise BackendUnavailableError(
            f"a {name} address needs the package engrain-team, which is not installed",
            remedy="pip install engrain-team",
        )
    if name not in found:
        raise BackendUnavailableError(
            f"no backend named {name!r}",
            remedy="choose one of " + ", ".join([*BUILT_IN, *sorted(found)]),
        )
    return found[name]
