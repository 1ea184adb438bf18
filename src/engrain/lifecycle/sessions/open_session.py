"""A session as a caller in Python holds it: recalls in it are noted, bounded, and never repeated
(S3.4, S3.9)."""

from __future__ import annotations

from contextlib import suppress

from engrain.lifecycle.sessions.sessions import list_given, note_recalled, note_used, room_left
from engrain.model.errors import StorageError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

    from engrain.engine.core.outcomes import Outcome, Recall
    from engrain.engine.core.store import Store
    from engrain.engine.memory import Memory


class OpenSession:
    """One session, by its `id`. As a context it ends with the block."""

    def __init__(
        self,
        memory: Memory,
        open_store: Callable[[], Store],
        id: str,  # noqa: A002 - the field's name everywhere
        end: Callable[[str], object],
    ) -> None:
        self.id = id
        self._memory = memory
        self._open_store = open_store
        self._end = end

    def __enter__(self) -> OpenSession:
        return self

    def __exit__(self, *_: object) -> None:
        self._end(self.id)

    def recall(self, query: str, **options: Any) -> Recall:
        """As `Memory.recall`, of what the session has not got yet, until it has got all that a
        session gets (`session.limit`): then nothing."""
        return recall_in(self._memory, self._open_store(), self.id, query, **options)

    def save(self, text: str, **options: Any) -> Outcome:
        """As `Memory.save`, of something said in this session: what short entries of one session
        leave out is understood from those beside them."""
        return self._memory.save(text, **{"source": "session", "ref": self.id, **options})

    def used(self, *ids: str) -> None:
        """Note that entries proved useful: they gain more weight than those that only came."""
        store = self._open_store()
        note_used(store.journal, self.id, store.clock.now(), ids)


def recall_in(
    memory: Memory, store: Store, session: str, query: str, *, repeat: bool = False, **options: Any
) -> Recall:
    """A recall within a session, see `OpenSession.recall`; with `repeat` what the session has is
    told again. Without a session it is the day's, which has no bound."""
    from engrain.engine.core.outcomes import Recall, TaskRecall
    from engrain.engine.recall.pipeline import choose_profile

    given = list_given(store.journal, session)
    if session and not room_left(store.settings, given):
        profile = choose_profile(options.get("profile") or store.profile)
        return TaskRecall(exhausted=True) if profile.collections else Recall((), exhausted=True)
    if not repeat:
        options["loaded"] = [*options.get("loaded", ()), *given]
    recall = memory.recall(query, **options)
    if session:
        _bound(recall, room_left(store.settings, given), given)
    ids = [found.row.id for found in recall.given]
    # A session that can't be noted is answered all the same: it is only not counted.
    with suppress(StorageError):
        note_recalled(
            store.journal,
            session,
            store.clock.now(),
            ids,
            recall.again,
            leading=recall.leading,
            project=store.project or "",
        )
    return recall


def _bound(recall: Recall, room: int, given: Sequence[str]) -> None:
    """Leave in a recall's answer what the session has, and of new entries as many as it has room
    for."""
    kept = set()
    for found in recall.given:
        if found.row.id not in given:
            room -= 1
        if room >= 0 or found.row.id in given:
            kept.add(found.row.id)
    recall.keep(kept)
