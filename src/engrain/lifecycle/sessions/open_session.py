"""A session as a caller in Python holds it (S3.4)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from engrain.engine.core.outcomes import Outcome
from engrain.engine.core.recalled import Recall
from engrain.engine.core.store import Store
from engrain.engine.verbs.save import save
from engrain.lifecycle.sessions.folding import begin, end
from engrain.lifecycle.sessions.recall import note_use, recall


class OpenSession:
    """A session of the caller's own, by its `id`, for a `with` block: it ends with it.

    with memory.sessions.open() as session:
        session.recall("nightly job lock")
    """

    def __init__(self, open_store: Callable[[], Store], *, project: str | None = None) -> None:
        self.id = begin(open_store(), project=project, current=False)
        self._open_store = open_store

    def __enter__(self) -> OpenSession:
        return self

    def __exit__(self, *_: object) -> None:
        end(self._open_store(), self.id)

    def recall(self, query: str, **options: Any) -> Recall:
        """As `Memory.recall` in this session: noted, bounded, and nothing twice."""
        return recall(self._open_store(), query, session=self.id, **options)

    def save(self, text: str, **options: Any) -> Outcome:
        """As `Memory.save`, of something said in this session: what short entries of one session
        leave out is understood from those beside them."""
        return save(self._open_store(), text, **{"source": "session", "ref": self.id, **options})

    def used(self, *ids: str) -> None:
        """Note that entries proved useful: they gain more weight than those that only came."""
        note_use(self._open_store(), self.id, ids)
