"""What finders found, remembered on this device for as long as the vault stays as it is (S1.17).

Of a note no more is kept than the index has: the words that are quoted from it are read again.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from hashlib import blake2b

from engrain.engine.core.active_notes import ActiveNotes
from engrain.engine.core.store import Store
from engrain.lifecycle.dreaming.finding import Finding
from engrain.lifecycle.dreaming.stages import Stage
from engrain.model.note.documents import object_of
from engrain.model.note.tiers import STAGING

_NOTE = "found."
"""What the names of notes begin with that are dropped once an entry is erased."""
_FORM = 1
"""Of what is kept, and of what finders find: raise it when one of them finds something else."""


class Memory:
    """What was found in the vault as it is when this is made."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._mark = _fingerprint(store)

    def recall(self, stage: Stage) -> Iterator[Finding] | None:
        """What a stage found in the same vault, with its quotes empty; None where it has not looked
        at that."""
        note = object_of(self._store.local.read_note(_NOTE + stage.kind))
        found = note.get("found")
        if note.get("mark") != self._mark or not isinstance(found, list):
            return None
        return (
            Finding(kind, tuple(ids), action, score, reason, [(id_, "") for id_ in quoted], due=due)
            for kind, ids, action, score, reason, quoted, due in found
        )

    def keep(self, stage: Stage, found: Sequence[Finding]) -> None:
        """Remember all that a stage found, unless something changed meanwhile."""
        if _fingerprint(self._store) == self._mark:
            kept = [
                (
                    one.kind, one.entries, one.action, one.score, one.reason,
                    [id_ for id_, _ in one.evidence], one.due,
                )
                for one in found
            ]  # fmt: skip
            self._store.local.write_note(_NOTE + stage.kind, {"mark": self._mark, "found": kept})


def quote(store: Store, stage: Stage, chosen: Sequence[Finding], now: float) -> None:
    """Give findings that were remembered the words that show them, by letting the stage look at
    their notes alone."""
    bare = {
        (one.action, one.entries): one
        for one in chosen
        if one.evidence and not any(words for _, words in one.evidence)
    }
    ids: set[str] = set()
    for one in bare.values():
        ids.update(one.entries, (id_ for id_, _ in one.evidence))
        one.evidence = ()
    for said in stage.load()(store, ActiveNotes(store, ids), now) if bare else ():
        if known := bare.get((said.action, said.entries)):
            known.evidence = said.evidence


def _fingerprint(store: Store) -> str:
    """A hash of all that finders go by: entries, whom they come from, settings. What waits in the
    staging folder is nothing that a finder looks at."""
    digest = blake2b(digest_size=16)
    digest.update(repr((_FORM, sorted(store.settings.items()))).encode())
    for version in store.index.versions(without=STAGING):
        digest.update(repr(version).encode())
    return digest.hexdigest()
