"""`erase`: destroys entries for good, where the law or a leaked secret asks for it (S3.8)."""

from __future__ import annotations

from collections.abc import Sequence

from engrain.engine.core.store import Store
from engrain.engine.entities.index import write_entity_index
from engrain.engine.episodes.index import write_episode_index
from engrain.engine.erasing.erasure import destroy
from engrain.engine.erasing.erasure_guard import ErasureGuard
from engrain.engine.erasing.plan import PROPOSAL, ErasurePlan
from engrain.engine.maps.map import list_maps, write_maps
from engrain.model.errors import StorageError
from engrain.seam.derived import Progress

ELSEWHERE = (
    "other devices of this vault, until they sync and run engrain: then they erase it themselves",
    "versions and trash that a synchroniser keeps",
    "backups, and snapshots of the file system",
    "the operator's own notes outside of the vault",
    "what was exported, copied or printed, or committed to a repository",
    "transcripts of agents' hosts, and whatever was read into a context already",
)
"""What no erasure reaches."""
_HIDDEN = "hidden folders in the vault, such as an editor's trash and its list of recent files"
_OTHERS = "files in the vault that are no notes, such as canvases and attachments"


class Erased:
    """What an erasure did: the ids that are gone, the changes whose payloads went, how many notes
    had links rewritten, and the places it does not reach."""

    __slots__ = ("changes", "ids", "linking", "unreachable")

    def __init__(
        self, ids: Sequence[str], changes: Sequence[str], linking: int, unreachable: Sequence[str]
    ) -> None:
        self.ids = tuple(ids)
        self.changes = tuple(changes)
        self.linking = linking
        self.unreachable = tuple(unreachable)


def erase_entries(store: Store, plan: ErasurePlan, progress: Progress | None = None) -> Erased:
    """Carry out a plan, whatever was edited since it was made.

    Raises StorageError where the store can't be written. Once it has begun, whatever stops it, the
    next scan completes it.
    """
    if blocked := store.backend.probe():
        raise StorageError(f"nothing was erased: {blocked}", remedy="see `engrain doctor`")
    # Before anything else is done: afterwards nobody knows what to look for.
    store.journal.forget(plan.names.tells)
    mapped = bool(list_maps(store))
    changes = destroy(store, plan.ids, progress)
    ErasureGuard(store).clean(progress)
    write_episode_index(store)
    write_entity_index(store)
    if mapped:
        write_maps(store)
    proposals = {file.id for file in plan.files if file.why == PROPOSAL}
    ids = [id_ for id_ in plan.ids if id_ not in proposals]
    return Erased(ids, changes, len(plan.linking), list_unreachable(store, plan))


def list_unreachable(store: Store, plan: ErasurePlan) -> list[str]:
    """The places that an erasure does not reach, with what is known of this vault."""
    told = list(ELSEWHERE)
    if store.backend.capabilities.edited_outside:
        told += [_HIDDEN, _OTHERS]
    told += [f"{place}: its text mentions it, and stays as it is" for place in plan.mentions]
    told += [f"{place}: can't be read as a note, and mentions it" for place in plan.unreadable]
    told += [
        f"the id {id_}, which was written by hand: the history keeps every id"
        for id_ in plan.strange_ids
    ]
    return told
