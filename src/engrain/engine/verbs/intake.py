"""Decides for every import what happens to existing entries (DESIGN section 17, "Imports").

An equal entry stays. An entry whose source alone changed is updated. An entry that was deleted here
stays deleted, and is listed, unless the caller restores it. An imported entry gets another origin
if the caller names another one for this import.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import KW_ONLY, dataclass

from engrain.engine.core.batches import ERASED, Batches
from engrain.engine.core.moving import is_free
from engrain.engine.core.outcomes import (
    CREATED,
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
from engrain.engine.history.history import bytes_after
from engrain.language.text.folding import fold
from engrain.model.errors import ConflictError, EngrainError, ErasedError, UsageError
from engrain.model.note.entry import Entry, read_entry
from engrain.model.note.note import Note, hash_bytes, make_id
from engrain.model.note.tiers import ACTIVE, EXTERNAL, OPERATOR, ORIGINS
from engrain.seam.changes import Write
from engrain.seam.locator import Locator, make_locator
from engrain.seam.storage import StorageBackend

OP = "import"
DELETED = "deleted"
_IN_PLACE = "it changed there and here: what is here stays"
_VOUCHED = "the operator vouches for what is here, which stays"


def make_source_id(kind: str, ref: str) -> str:
    """Return the id that a document gives to its entry, by the kind and name of its source, so that
    it is never imported twice."""
    digest = bytes.fromhex(hash_bytes(f"{kind} {ref}".encode(errors="surrogatepass")))
    return make_id(int.from_bytes(digest[10:14], "big"), digest)


def no_date(_: str) -> float | None:
    """Return None, for a source whose files have no known dates."""
    return None


@dataclass(slots=True, eq=False)
class Terms:
    """The caller's decisions about a whole import.

    `trust` is the origin of its entries; those that an earlier import took from the same source get
    it too. With None it is the operator if the operator imports, else external, and existing
    entries keep their own. `restore_deleted` brings back entries that were deleted here. `date_of`
    returns the date of a file, by its name in the source, in epoch seconds, None if unknown.
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
        """Return the actor to record for imported entries. Raises UsageError if `trust` is unknown,
        or more trusted than the acting one."""
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
    """A block in which one thing is imported. An EngrainError in it is reported and suppressed, so
    that the import goes on. With `_count` the thing is a document, whose outcome is counted too."""

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


class ImportIntake:
    """Writes the entries of an import from the source `name`, and counts the outcome of each
    document in `done`. Where the terms name no origin, `actor` is that of new entries."""

    def __init__(self, store: Store, name: str, terms: Terms, actor: Actor | None = None) -> None:
        self.done = Imported()
        self.terms = terms
        self.actor = actor if actor and terms.trust is None else terms.actor(store)
        self._store = store
        self._places: set[str] = set()
        reason = f"from {name}"
        self.batches = Batches(store, OP, self.actor, reason, self.done.count, self.done.report)
        # For entries that are only restored, which keep their origin.
        self._carrying = Batches(
            store, "restore", store.actor, reason, self.done.count, self.done.report
        )

    def flush_full(self) -> None:
        """Commit the gathered writes if there are enough of them."""
        self.batches.flush_full()
        self._carrying.flush_full()

    def flush(self) -> None:
        """Commit all gathered writes."""
        self.batches.flush()
        self._carrying.flush()

    def telling(self, label: str) -> Telling:
        """Return a block in which the document of this label is imported."""
        return Telling(self.done.report, label, self.done.count)

    def was_removed(self, id_: str) -> bool:
        """Whether an earlier import brought an entry whose file somebody removed."""
        return any(self._store.index.changes(entry=id_, op=OP))

    def create(self, label: str, folder: str, stem: str, note: Note, id_: str) -> None:
        """Write a new entry into a folder under `stem`, or with a hash of `label` behind it where
        another file has that name. Raises ConflictError if both names are taken."""
        for name in (stem, f"{stem}-{hash_bytes(label.encode())[:8]}"):
            place = make_locator(f"{folder}/{name}.md")
            if fold(place) not in self._places and is_free(self._store, place):
                self._places.add(fold(place))
                self.batches.add(label, CREATED, Write(place, note.raw, id_))
                return
        raise ConflictError(f"no free name for {stem!r} in {folder}", path=folder)

    def stays_deleted(self, label: str, there: Entry) -> bool:
        """Whether an entry was deleted here and is not to be restored; if so, list it."""
        stays = there.status == DELETED and not self.terms.restore_deleted
        if stays:
            self.done.count(STAYS_DELETED)
            self.done.deleted.append((label, there.id))
        return stays

    def update_existing(
        self,
        label: str,
        there: Entry,
        note: Note | None,
        *,
        came_by_it: bool,
        same: bool,
        status: str = ACTIVE,
    ) -> None:
        """Leave an existing entry as it is, or replace it by `note`, None if its source has nothing
        new. `came_by_it` says that an import of this source created it, `same` that it equals its
        source. A deleted entry comes back with `status`. Raises ConflictError.
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
        """Whether the content `here` of an entry is to be replaced by `wanted`, that of its source;
        `recall_before` returns what the last import wrote, None if unknown. If both changed, the
        entry stays: raises ConflictError, or reports it if the entry was deleted and comes back."""
        try:
            return gives_way(here, wanted, recall_before)
        except ConflictError as error:
            if there.status != DELETED:
                raise
            self.done.report(label, error.message)
            return False

    def _admit(self, label: str, there: Entry, note: Note | None) -> Note | None:
        """Return `note`, or None if the operator vouches for a deleted entry, which then comes back
        unchanged. Raises ConflictError if they vouch for an entry that was not deleted."""
        if note is None or self.terms.trust is not None or self.actor.trust == OPERATOR:
            return note
        row = self._store.find_exact(there.id)
        if row is None or row.source != OPERATOR:
            return note
        if there.status != DELETED:
            raise ConflictError(_VOUCHED)
        self.done.report(label, _VOUCHED)
        return None

    def _is_anothers(self, there: Entry) -> bool:
        """Whether an entry has another origin than the caller gives to this import."""
        if self.terms.trust is None:
            return False
        return self._store.index.told_origin(there.id, there.hash) != self.actor.trust

    def _stamp(self, there: Entry, note: Note) -> Note:
        """Return the note with the origin of this import in its field `source`, for people."""
        if not there.source:
            return note
        return note.patch({"source": {**there.source, "trust": self.actor.trust}})


def gives_way(here: object, wanted: object, recall_before: Callable[[], object | None]) -> bool:
    """Whether the content `here` of an entry is to be replaced by `wanted`, that of its source.
    `recall_before` returns what the last import wrote, None if unknown. Raises ConflictError if
    both changed."""
    if here == wanted:
        return False
    before = recall_before()
    if before == wanted:
        return False  # the source has nothing new to say
    if before is None or before != here:
        raise ConflictError(_IN_PLACE)
    return True


def last_taken_in(store: Store, there: Entry) -> Entry | None:
    """Return an entry as an import last wrote it, None if the history no longer has that."""
    for change in store.index.changes(entry=there.id, op=OP):
        if change.locator is None or change.after_hash is None:
            continue
        try:
            return read_entry(change.locator, bytes_after(store, change))
        except EngrainError:
            return None
    return None
