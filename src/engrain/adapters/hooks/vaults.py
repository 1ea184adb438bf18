"""The memories from which one process answers hooks: a hook's folder and variables decide which."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from typing import Self

from engrain.adapters.hooks.distant import learned_folder, learns_afar
from engrain.api.memory import Memory
from engrain.model.errors import ConfigError, MemoryOffError, VaultUnavailableError
from engrain.resolution.selector import Resolution, resolve
from engrain.resolution.settings import REMEDY, check_on, check_roots, load_settings
from engrain.wiring import open_memory

_MOST = 4
"""The most memories; the hooks of further vaults open their own."""
_OF_A_CALL = ("agent", "backend", "memory", "project", "state_dir", "vault")
"""Settings that may differ between the process and a hook: they are resolved for each hook."""


class RemoteMemoryError(ConfigError):
    """A memory is on another machine, so no memory of this one answers for it. `learner` opens the
    vault of this device that learns from its sessions, as `Vaults.find` does."""

    def __init__(self, learner: Callable[[], tuple[Memory, str]]) -> None:
        super().__init__("this memory is on another machine")
        self.learner = learner


class Vaults:
    """The memories of the vaults whose state is in one folder, each opened at its first hook.

    `own` is how the memory of this process was resolved, which `open_own` opens. Hooks with other
    settings, as from a project's file, are not answered. Without `own` settings don't matter, as
    for events that only leave a mark.
    """

    def __init__(
        self,
        state_dir: str,
        own: Resolution | None = None,
        open_own: Callable[[], Memory] | None = None,
    ) -> None:
        self._state_dir = state_dir
        self._own = own
        self._open_own = open_own
        self._opened: dict[tuple[str, str], Memory] = {}
        self._opening = threading.Lock()
        self._held = ExitStack()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._held.close()

    def open_own(self) -> Memory | None:
        """Open the memory of this process, and return it; None if it has none. Raises
        EngrainError."""
        return None if self._own is None else self._open(self._own)

    def find(self, folder: str, environ: Mapping[str, str]) -> tuple[Memory, str]:
        """Return the memory for a session in a folder, with the project there, "" for none. Raises
        MemoryOffError where memory is off, RemoteMemoryError where it is on another machine,
        EngrainError if it is not this process that answers."""
        try:
            place = resolve({}, environ, folder)
        except VaultUnavailableError:
            settings = load_settings({}, environ, folder)
            if not settings["remote.url"].value:
                raise
            check_on(settings, folder)
            raise RemoteMemoryError(lambda: self._find_learner(folder, environ)) from None
        check_roots(environ, folder)
        if place.off:
            raise MemoryOffError(f"memory is off in {folder}: {place.off}", remedy=REMEDY)
        if place.settings["remote.url"].value:
            raise RemoteMemoryError(lambda: self._find_learner(folder, environ))
        if place.state_dir != self._state_dir:
            raise ConfigError("the state of this vault is in another folder", path=place.state_dir)
        if self._own is not None and _list_values(place) != _list_values(self._own):
            raise ConfigError("the settings there are not those of this process")
        return self._open(place), place.project or ""

    def _find_learner(self, folder: str, environ: Mapping[str, str]) -> tuple[Memory, str]:
        """Open the vault in which a remote memory's sessions are learned from. Raises
        MemoryOffError where the operator has not agreed to it, EngrainError."""
        check_roots(environ, folder)
        if not learns_afar(load_settings({}, environ, folder)):
            raise MemoryOffError("nothing is learned from these sessions", remedy=REMEDY)
        place = resolve({"vault": learned_folder(self._state_dir)}, environ, folder)
        return self._open(place, create=True), place.project or ""

    def _open(self, place: Resolution, *, create: bool = False) -> Memory:
        key = place.location, place.backend
        own = self._own and (self._own.location, self._own.backend)
        with self._opening:
            if key not in self._opened:
                if key == own and self._open_own is not None:
                    self._opened[key] = self._open_own()
                elif len(self._opened) < _MOST:
                    memory = open_memory(
                        place.location,
                        state_dir=place.state_dir,
                        backend=place.backend,
                        create=create,
                        served=True,
                    )
                    self._opened[key] = self._held.enter_context(memory)
                else:
                    raise ConfigError("one process answers for a few vaults only")
            return self._opened[key]


def _list_values(place: Resolution) -> dict[str, str | None]:
    """Return the settings that a memory is opened with."""
    return {name: one.value for name, one in place.settings.items() if name not in _OF_A_CALL}
