"""`rename`: another title for a note, and all that points to it says so, in one change (S1.11).

Title, slug and file are renamed, the id stays. Every link to the note by its title, file, path or
slug is rewritten where it stands; by id or alias it holds on as it is. What another process writes
meanwhile is not lost: all files are compared as they are swapped, and the whole is tried again.
"""

from __future__ import annotations

from engrain.engine.attesting import EXTERNAL
from engrain.engine.moving import is_free, settle
from engrain.engine.relinked import Relinked, relink_entry
from engrain.engine.save import check_size, compose_body
from engrain.engine.store import UPDATE_ATTEMPTS
from engrain.model.entry import Entry, read_entry, split_heading
from engrain.model.errors import ConflictError, MalformedError, NotFoundError, UsageError
from engrain.model.folding import fold, link_key
from engrain.model.instants import format_instant
from engrain.model.naming import Called, called, name_file
from engrain.model.tiers import ACTIVE, LIVE, WORKING, split_ending
from engrain.seam.graph import FIELD, TEXT
from engrain.seam.locator import Locator, make_locator
from engrain.seam.storage import Write

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from engrain.engine.store import Store
    from engrain.model.field import Value
    from engrain.model.note import Note
    from engrain.seam.rows import Row
    from engrain.seam.view import IndexView

OP = "rename"
_FIXED = ("MEMORY.md", "progress.md", "roadmap.md", "plan.md")
_AT_ONCE = 3 * 1024 * 1024
"""Bytes that one change rewrites at most: a record is to stay within what is read of a segment at
once. More come in several changes, the note itself in the last, so that one which was cut short is
finished by asking again."""


class Renamed:
    """What a renaming did, or would do: the `changed` places, how many `links` were rewritten,
    what was `left` with the reason, and the names of the changes, none where nothing was written.
    """

    __slots__ = (
        "changed", "changes", "id", "left", "links", "locator", "old_locator", "old_title", "slug",
        "title",
    )  # fmt: skip

    def __init__(self, entry: Entry, new: Called, locator: Locator) -> None:
        self.id = entry.id
        self.title, self.slug, self.locator = new.title, new.slug, locator
        self.old_title, self.old_locator = entry.title, entry.path
        self.changed: list[str] = []
        self.links = 0
        self.left: list[tuple[str, str]] = []
        self.changes: list[str] = []


def rename_entry(
    store: Store, reference: str, title: str, *, alias: bool = False, dry_run: bool = False
) -> Renamed:
    """Give a note another title. With `alias` the old one stays as an alias; a `dry_run` only says
    what it would do.

    Raises UsageError for what has no title of its own, or a name that has its place; ConflictError
    for a title that another note goes by, and where something from outside would change a note in
    T2, the note itself or one that links to it.
    """
    store.require_index(scan=True)
    from engrain.engine.redaction import Redaction

    title = compose_body(Redaction(store).clean(title), "")[0]
    for attempt in range(UPDATE_ATTEMPTS):
        row = store.find_one(reference)
        reference = row.id
        _refuse(store, row)
        try:
            plan = _Plan(store, row, title, alias)
            return plan.renamed if dry_run else plan.commit()
        except ConflictError as error:
            if isinstance(error, _RefusedError) or attempt == UPDATE_ATTEMPTS - 1:
                raise
            store.pause(attempt)
            store.upkeep.scan()
    raise AssertionError("the last attempt returns or raises")


class _RefusedError(ConflictError):
    """What trying again would not change."""


class _Plan:
    """The writes of one renaming, as the files are now."""

    def __init__(self, store: Store, row: Row, title: str, alias: bool) -> None:
        self._store = store
        self._row = row
        stored = store.backend.read(row.locator)
        self._entry = entry = read_entry(row.locator, stored.raw)
        if entry.status == "deleted":
            raise _RefusedError(
                f"{row.id} is forgotten", path=row.locator, remedy=f"`engrain restore {row.id}`"
            )
        self._old = called(entry)
        with store.index.view() as view:
            place, self._new = self._choose(view, title)
            self.renamed = Renamed(entry, self._new, place)
            self._others = self._find_others(view)
            self._writes: list[tuple[Write, str | None]] = []
            self._rewrite_others(view)
        self._own = self._rewrite_own(stored.raw, place, alias)
        self._stored = stored

    def commit(self) -> Renamed:
        """Write it, in one change unless there is too much."""
        store, renamed = self._store, self.renamed
        if self._own == self._stored.raw and renamed.locator == self._row.locator:
            if not self._writes:
                return renamed
        parts = _part(self._writes)
        for number, part in enumerate(parts, 1):
            writes = [write for write, _ in part]
            expected = {write.locator: hash_ for write, hash_ in part}
            if number == len(parts):
                store.preserve(self._row.locator, self._stored, renamed.id)
                expected[renamed.locator] = None
                expected[self._row.locator] = self._stored.hash
                if renamed.locator != self._row.locator:
                    writes.insert(0, Write(self._row.locator, None, renamed.id))
                writes.insert(0, Write(renamed.locator, self._own, renamed.id))
            of = f", part {number} of {len(parts)}" if len(parts) > 1 else ""
            reason = f"{renamed.old_title} -> {renamed.title}{of}"
            renamed.changes.append(store.commit(OP, writes, expected, reason=reason).change)
        return renamed

    def _choose(self, view: IndexView, title: str) -> tuple[Locator, Called]:
        """Where the note will be and what it will be called. Raises ConflictError for a title that
        another goes by."""
        old, locator = self._old, self._row.locator
        self._refuse_taken(view, title)
        stem = name_file(self._entry, title)
        if fold(stem) == fold(old.stem):
            stem = stem if stem != old.stem and self._is_free(locator, stem) else old.stem
        elif self._named(view, stem) or not self._is_free(locator, stem):
            stem = f"{stem}--{old.id[-8:]}"
            if not self._is_free(locator, stem):
                raise _RefusedError(
                    f"{locator.folder}/{stem}.md is taken", path=locator, remedy="move that away"
                )
        slug = stem if old.slug == old.stem else name_slug(self._entry, stem)
        return _beside(locator, stem), Called(old.id, title, stem, slug, old.aliases)
