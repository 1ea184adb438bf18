"""What every import does with entries that exist already (DESIGN section 17, "Imports").

An entry that is the same stays. One that changed only in the source is updated. One that was
deleted here stays deleted, and is listed, unless the caller restores it. The origin of an entry
that an import brought changes if the caller names another origin for this import.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import KW_ONLY, dataclass

from engrain.engine.core.batches import ERASED, Batches
from engrain.engine.core.outcomes import (
    KEPT,
    LEFT_OUT,
    RESTORED,
    STAYS_DELETED,
    TRUSTED,
    UNCHANGED,
    UPDATED,
    Imported,
)
from engrain.engine.core.store import Actor, Store
from engrain.model.errors import ConflictError, EngrainError, ErasedError, UsageError
from engrain.model.note.entry import Entry
from engrain.model.note.note import Note
from engrain.model.note.tiers import ACTIVE, EXTERNAL, OPERATOR, ORIGINS
from engrain.seam.locator import Locator
from engrain.seam.storage import StorageBackend, Write

OP = "import"
DELETED = "deleted"
_IN_PLACE = "it changed there and here: what is here stays"
_VOUCHED = "the operator vouches for what is here, which stays"


def no_date(_: str) -> float | None:
    """Return None, for a source whose files have no known dates."""
    return None


@dataclass(slots=True, eq=False)
class Terms:
    """What the caller decides about a whole import.

    `trust` is the origin that it has here; what an earlier import of the same source took in gets
    it too. None means: the operator where the operator imports, else external, and entries that
    are here keep their own. `restore_deleted` brings back what was deleted here. `date_of` gives
    the date of a file, by its name in the source, in epoch seconds; None where nobody knows.
    """

    trust: str | None = None
    _: KW_ONLY
    restore_deleted: bool = False
    date_of: Callable[[str], float | None] = no_date

    def find_date(self, source: StorageBackend, found: Locator) -> float | None:
        """Return the date of a file of the source, in epoch seconds, None if it is unknown."""
        at = self.date_of(found)
        return source.date_of(found) if at is None else at

    def actor(self, store: Store) -> Actor:
        """Who is recorded as the author of what is taken in. Raises UsageError for more trust than
        whoever acts has."""
        acting = store.actor
        if self.trust is None:
            return acting if acting.trust == OPERATOR else Actor(acting.agent, EXTERNAL)
        if self.trust not in ORIGINS:
            raise UsageError(f"no origin {self.trust!r}", remedy="use " + ", ".join(ORIGINS))
        if ORIGINS.index(self.trust) < ORIGINS.index(acting.trust):
            raise UsageError(
                f"who writes as {acting.trust} can't vouch as {self.trust}",
                remedy=f'open the memory with trust="{self.trust}"',
            )
        return Actor(acting.agent, self.trust)


@dataclass(slots=True, eq=False)
class Telling:
    """A block that takes in one thing, and reports what goes wrong with it so that the others go
    on. With `count`, the thing is a document, and its outcome is counted too."""

    _tell: Callable[[str, str], None]
    _label: str
    _count: Callable[[str], None] | None = None

    def __enter__(self) -> None:
        pass

    def __exit__(self, _: object, error: BaseException | None, __: object) -> bool:
        if not isinstance(error, EngrainError):
            return False
        line = getattr(error, "line", 0)
        where = f" (line {line})" if line else ""
        self._tell(self._label, f"{error.message}{where}")
        if self._count:
            erased = ERASED if isinstance(error, ErasedError) else LEFT_OUT
            self._count(KEPT if isinstance(error, ConflictError) else erased)
        return True


class Intake:
    """Writes the entries of an import, and counts in `done` the outcome of each document. `name` is
    that of the source."""

    def __init__(self, store: Store, name: str, terms: Terms) -> None:
        self.done = Imported()
        self.terms = terms
        self.actor = terms.actor(store)
        self._store = store
        reason = f"from {name}"
        self.batches = Batches(store, OP, self.actor, reason, self.done.count, self.done.tell)
        # A restored entry keeps the origin that it had.
        self._carrying = Batches(
            store, "restore", store.actor, reason, self.done.count, self.done.tell
        )

    def flush_full(self) -> None:
        """Commit what was gathered, if that is enough."""
        self.batches.flush_full()
        self._carrying.flush_full()

    def flush(self) -> None:
        """Commit what was gathered."""
        self.batches.flush()
        self._carrying.flush()

    def telling(self, label: str) -> Telling:
        """Return a block in which the document of this label is imported."""
        return Telling(self.done.tell, label, self.done.count)

    def stays_deleted(self, label: str, there: Entry) -> bool:
        """Whether an entry was deleted here and is not restored. Then it is listed."""
        stays = there.status == DELETED and not self.terms.restore_deleted
        if stays:
            self.done.count(STAYS_DELETED)
            self.done.deleted.append((label, there.id))
        return stays

    def settle(
        self,
        label: str,
        there: Entry,
        note: Note | None,
        *,
        came_by_it: bool,
        same: bool,
        status: str = ACTIVE,
    ) -> None:
        """Leave an entry as it is here, or write `note` over it, None where its source has nothing
        new to say. `came_by_it`: an import of this source took it in; `same`: it says what its
        source says now. One that was deleted, and comes back, gets `status`. Raises ConflictError.
        """
        restored = there.status == DELETED
        note = self._admit(label, there, note)
        trusted = came_by_it and same and self._is_anothers(there)
        batches = self.batches if trusted or note is not None else self._carrying
        if batches is self._carrying and not restored:
            self.done.count(UNCHANGED)
            return
        after = there.note if note is None else note
        if restored:
            now = self._store.now
            after = after.patch({"status": status, "updated": now}, ["deleted_at"])
        if trusted:
            after = self._stamp(there, after)
        outcome = RESTORED if restored else TRUSTED if note is None else UPDATED
        self._overwrite(batches, label, outcome, there, after)

    def _overwrite(
        self, batches: Batches, label: str, outcome: str, there: Entry, after: Note
    ) -> None:
        place = Locator(there.path)
        stored = self._store.backend.read(place)
        if stored.hash != there.hash:
            raise ConflictError("it changes just now")
        self._store.preserve(place, stored, there.id)
        batches.add(label, outcome, Write(place, after.raw, there.id, stored.hash))

    def renews(
        self,
        label: str,
        there: Entry,
        here: object,
        wanted: object,
        recall_before: Callable[[], object | None],
    ) -> bool:
        """Whether an entry is to say what its source says now: `here` is what it says itself,
        `recall_before` gives what an import last left, None for nothing known. What changed there
        and here stays: raises ConflictError, or reports one that was deleted and comes back."""
        try:
            return gives_way(here, wanted, recall_before)
        except ConflictError as error:
            if there.status != DELETED:
                raise
            self.done.tell(label, error.message)
            return False

    def _admit(self, label: str, there: Entry, note: Note | None) -> Note | None:
        """`note`, or None where the operator vouches for the deleted entry, which then comes back
        unchanged. Raises ConflictError where they vouch for an entry that was not deleted."""
        if note is None or self.terms.trust is not None or self.actor.trust == OPERATOR:
            return note
        row = self._store.find_exact(there.id)
        if row is None or row.source != OPERATOR:
            return note
        if there.status != DELETED:
            raise ConflictError(_VOUCHED)
        self.done.tell(label, _VOUCHED)
        return None

    def _is_anothers(self, there: Entry) -> bool:
        """Whether an entry has another origin than the caller gives to this import."""
        if self.terms.trust is None:
            return False
        return self._store.index.told_origin(there.id, there.hash) != self.actor.trust

    def _stamp(self, there: Entry, note: Note) -> Note:
        """Return a note whose field `source` has the origin of this import, for people to read."""
        if not there.source:
            return note
        return note.patch({"source": {**there.source, "trust": self.actor.trust}})


def gives_way(here: object, wanted: object, recall_before: Callable[[], object | None]) -> bool:
    """Whether an entry is to be replaced by what the source says now. `recall_before` returns what
    the last import wrote, None if it is not known. Raises ConflictError if both changed."""
    if here == wanted:
        return False
    before = recall_before()
    if before == wanted:
        return False  # the source has nothing new to say
    if before is None or before != here:
        raise ConflictError(_IN_PLACE)
    return True
