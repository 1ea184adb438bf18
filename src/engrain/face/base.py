"""What every part of the face stands on: the verbs, and the way to the operator's own notes."""

from __future__ import annotations

from engrain.engine.memory import Memory as Verbs

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from engrain.engine.core.store import Store
    from engrain.seam.personal import Personal
    from engrain.seam.storage import StorageBackend


class Base(Verbs):
    """The verbs; its parts add methods to it, each a function of the floors below."""

    def __init__(
        self,
        open_store: Callable[[], Store],
        open_folder: Callable[[str, str], StorageBackend],
        close: Callable[[], None],
        open_personal: Callable[[], Personal],
    ) -> None:
        super().__init__(open_store, open_folder, close)
        self._open_personal = open_personal
