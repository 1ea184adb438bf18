"""The base of a memory and of its namespaces."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    from engrain.engine.core.store import Store
    from engrain.seam.personal import OpenPersonal


class Holder:
    """An object that can open a vault: a memory, or one of its namespaces."""

    def __init__(self, open_store: Callable[[], Store], open_personal: OpenPersonal) -> None:
        self._open_store = open_store
        self._open_personal = open_personal

    def _ready(self, *, look: bool = False, scan: bool = False) -> Store:
        """Return the store with an index that answers, after a look at edits by other programs or a
        scan for all of them. Raises IndexUnavailableError."""
        store = self._open_store()
        store.require_index(look=look, scan=scan)
        return store
