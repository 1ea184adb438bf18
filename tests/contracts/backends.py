"""Every backend the suites run over, by name, and how a fresh store of it is opened."""

from __future__ import annotations

import os
from collections.abc import Callable
from importlib import import_module
from pathlib import Path

from engrain.seam.storage import Attestor, BackendRequest, NoAttestor, StorageBackend


class Opener:
    """Opens one store as often as asked; each device has a state folder of its own.

    The store is not there before the first call with `create`.
    """

    def __init__(self, module: str, location: str, state: str) -> None:
        self.module = module
        self.location = location
        self.state = state
        self._opened: list[StorageBackend] = []
        self._others: list[Opener] = []

    def __call__(
        self,
        device: str,
        *,
        create: bool = True,
        read_only: bool = False,
        attestor: Attestor | None = None,
    ) -> StorageBackend:
        state = Path(self.state, device)
        state.mkdir(parents=True, exist_ok=True)
        request = BackendRequest(
            self.location,
            state=str(state),
            device=device,
            entropy=os.urandom,
            create=create,
            read_only=read_only,
            attestor=attestor or NoAttestor(),
        )
        backend: StorageBackend = import_module(self.module).open_backend(request)
        self._opened.append(backend)
        return backend

    def __repr__(self) -> str:
        return f"Opener({self.module!r}, {self.location!r}, {self.state!r})"

    def other(self) -> Opener:
        """An opener of another store of the same backend."""
        other = Opener(self.module, f"{self.location}-other", f"{self.state}-other")
        self._others.append(other)
        return other

    def close(self) -> None:
        """Close whatever was opened."""
        while self._opened:
            self._opened.pop().close()
        while self._others:
            self._others.pop().close()


def open_ram(folder: Path) -> Opener:
    return Opener("engrain.backends.ram", f"ram:{folder}", str(folder / "state"))


def open_device_local(folder: Path) -> Opener:
    return Opener("engrain.backends.device_local", str(folder / "vault"), str(folder / "state"))


def open_obsidian_vault(folder: Path) -> Opener:
    return Opener("engrain.backends.obsidian", str(folder / "vault"), str(folder / "state"))


BACKENDS: dict[str, Callable[[Path], Opener]] = {
    "ram": open_ram,
    "device-local": open_device_local,
    "obsidian-vault": open_obsidian_vault,
}
