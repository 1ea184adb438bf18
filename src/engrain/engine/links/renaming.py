"""`rename`: changes a note's title and all links to it, in one change (S1.11).

Title, slug and file are renamed; the id stays. Links by title, file, path or slug are rewritten;
those by id or alias stay. All files are written by compare and swap, and the whole is tried again
after a conflict.
"""

from __future__ import annotations

from collections.abc import Iterator

from engrain.engine.core.attesting import effective_trust
from engrain.engine.core.moving import drop_slug, is_free
from engrain.engine.core.redaction import Redaction
from engrain.engine.core.store import Store, try_again
from engrain.engine.links.backlinks import (
    Meant,
    Pointing,
    find_backlinks,
    find_unread,
    links_meaning,
)
from engrain.engine.verbs.save import check_size, compose_body
from engrain.index.links import list_links, list_meant
from engrain.index.view import IndexView
from engrain.language.text.folding import fold, slugify
from engrain.model.errors import ConflictError, MalformedError, NotFoundError, UsageError
from engrain.model.links.relinking import Called, called, name_file
from engrain.model.note.documents import list_of
from engrain.model.note.entry import Entry, read_entry
from engrain.model.note.field import Value
from engrain.model.note.note import Note
from engrain.model.note.properties import split_heading
from engrain.model.note.tiers import (
    ACTIVE,
    ENTITY,
    EXTERNAL,
    LIVE,
    WORKING,
    is_generated,
    link_key,
    split_ending,
)
from engrain.seam.changes import Write
from engrain.seam.locator import Locator, make_locator
from engrain.seam.rows import Row
from engrain.seam.storage import Stored

_DAILY = "Memory/daily/"
_OF_A_PROJECT = ("progress.md", "roadmap.md")


def refuse_fixed(row: Row, entry: Entry) -> None:
    """Raise UsageError for a record or a note whose name is its place, ConflictError for a
    forgotten note."""
    place = row.locator
    if split_ending(place)[1] != ".md":
        entity = row.kind == ENTITY
        raise UsageError(
            f"{row.id} is a record of kind {row.kind}, which has no title of its own",
            path=place,
            remedy=f"`engrain entity rename {row.slug} NAME`" if entity else "rename notes alone",
        )
    if row.zone == WORKING or _is_fixed(place):
        raise UsageError(f"{place} is found by that name, and keeps it", path=place)
    if entry.status == "deleted":
        raise ConflictError(
            f"{row.id} is forgotten", path=place, remedy=f"`engrain restore {row.id}` first"
        )


def choose_names(
    store: Store, view: IndexView, row: Row, entry: Entry, title: str
) -> tuple[Locator, Called]:
    """Choose the place and names of a note with a new title. Where the file's name is taken, or
    means another note, the end of the id is appended.

    Raises ConflictError for a title that another note has.
    """
    old = called(entry)
    for other in _going_by(view, title, row):
        if "/" not in title or fold(other.title) == fold(title):
            raise ConflictError(
                f"{title!r} is already a name of {other.id}",
                path=other.locator,
                remedy="give another title, or rename that note first",
            )
    stem = _choose_stem(store, view, row, old, name_file(entry, title))
    slug = stem if old.slug == old.stem else slugify(title, old.slug)
    place = _beside(row.locator, stem)
    if place != row.locator and (_is_fixed(place) or is_generated(place)):
        raise UsageError(f"{place} means another sort of file", remedy="give another title")
    return place, Called(old.id, title, stem, slug, old.aliases)


def _choose_stem(store: Store, view: IndexView, row: Row, old: Called, stem: str) -> str:
    free = is_free(store, _beside(row.locator, stem))
    if fold(stem) == fold(old.stem):
        # On some file systems the two are one file, which is never free.
        return stem if free else old.stem
    if free and not any(_going_by(view, stem, row)):
        return stem
    stem = f"{stem}--{old.id[-8:]}"
    place = _beside(row.locator, stem)
    if stem != old.stem and not is_free(store, place):
        raise ConflictError(f"{place} is taken", path=place, remedy="move that away")
    return stem


def _is_fixed(place: Locator) -> bool:
    of_project = place.startswith("projects/") and fold(place.name) in _OF_A_PROJECT
    own = fold(place) == "memory.md" or place.startswith(_DAILY)
    return own or of_project or "/_harness/" in place


def _going_by(view: IndexView, name: str, row: Row) -> Iterator[Row]:
    for other in view.rows(view.ask(list_meant, name)).values():
        if other.id != row.id and other.status == ACTIVE and other.zone == LIVE:
            yield other


def _beside(locator: Locator, stem: str) -> Locator:
    return make_locator(f"{locator.folder}/{stem}.md" if locator.folder else f"{stem}.md")


OP = "rename"
_AT_ONCE = 16 * 1024 * 1024
"""Bytes that one commit rewrites: its record is held in memory, and takes a few times as much.
More are written in several commits of one change, the note itself in the last, so that repeating an
interrupted renaming completes it."""
_UNREAD = "its frontmatter can't be read, so that its links stay as they are"
_BESIDES = 400
"""Bytes of a record per file besides its content, about."""


class Renamed:
    """The result of a renaming, or of a dry run: the places it `changed`, the number of rewritten
    `links`, the places it `left` and why, and the name of its change in `changes`, empty where
    nothing was written."""

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
    """Give a note another title."""
    if not fold(title).strip():
        raise UsageError("a note needs a title", remedy="`engrain rename ID TITLE`")
    title = compose_body(Redaction(store).clean(title), "")[0]
    store.require_index(scan=True)
    store = store.as_one_change()
    done: list[Renamed] = []

    def rename() -> Renamed:
        row = store.find_one(done[0].id if done else reference)
        renaming = _Renaming(store, row, title, alias=alias, dry_run=dry_run)
        done.append(renaming.done)
        renaming.run()
        last = done[-1]
        for one in done[:-1]:
            if one.changes:
                last.changes = one.changes
                last.changed[:0] = one.changed
                last.links += one.links
        return last

    def wait(attempt: int) -> None:
        store.pause(attempt)
        store.upkeep.scan()

    return try_again(rename, after=wait)


class _Renaming:
    """One attempt at a renaming, of the files as they are now."""

    def __init__(self, store: Store, row: Row, title: str, *, alias: bool, dry_run: bool) -> None:
        self._store = store
        self._row = row
        self._alias = alias
        self._dry_run = dry_run
        self._stored = store.backend.read(row.locator)
        self._entry = read_entry(row.locator, self._stored.raw)
        refuse_fixed(row, self._entry)
        with store.index.view() as view:
            number = view.number(row.locator)
            place, self._new = choose_names(store, view, row, self._entry, title)
            found = [] if number is None else list(find_backlinks(view, number))
            self._others: list[tuple[Locator, str, Meant]] = found
            links = [] if number is None else view.ask(list_links, number)
            self._own = frozenset() if number is None else links_meaning(links, number)
            unread = [] if number is None else list(find_unread(store, view, number))
        self.done = Renamed(self._entry, self._new, place)
        self.done.left += [(place, _UNREAD) for place in unread]
        self._refuse_outsider()
        self._writes: list[Write] = []
        self._counted: list[tuple[str, int]] = []
        self._size = 0

    def run(self) -> None:
        """Rewrite the notes that link to it, then the note. Raises ConflictError."""
        note, headings = retitle(
            self._store, self._entry, self._new, place=self.done.locator, alias=self._alias
        )
        pointing = Pointing(called(self._entry), self._new, headings)
        for locator, id_, meant in self._others:
            self._rewrite(pointing, locator, id_, meant)
            if self._size > _AT_ONCE:
                self._commit("in part")
        self._rewrite_own(pointing, note)
        self._commit()

    def _rewrite(self, pointing: Pointing, locator: Locator, id_: str, meant: Meant) -> None:
        try:
            stored = self._store.backend.read(locator)
            note, links = pointing.rewrite(read_entry(locator, stored.raw), meant)
        except (NotFoundError, MalformedError) as error:
            self.done.left.append((locator, error.message))
            return
        if links:
            self._add(Write(locator, note.raw, id_, stored.hash), links, stored)

    def _rewrite_own(self, pointing: Pointing, note: Note) -> None:
        entry, row, done = self._entry, self._row, self.done
        note, links = pointing.rewrite(Entry(done.locator, note, ""), self._own, own=True)
        if done.locator == row.locator and note.raw == self._stored.raw:
            return
        if done.locator == row.locator:
            write = Write(row.locator, note.raw, entry.id, self._stored.hash)
            self._add(write, links, self._stored)
        else:
            self._add(Write(row.locator, None, entry.id, self._stored.hash), 0, self._stored)
            self._add(Write(done.locator, note.raw, entry.id, None), links)

    def _add(self, write: Write, links: int, before: Stored | None = None) -> None:
        if before is not None and not self._dry_run:
            self._store.preserve(write.locator, before, write.entry)
        self._writes.append(write)
        if write.after is not None:
            self._counted.append((write.locator, links))
            self._size += len(write.after) + _BESIDES

    def _commit(self, how: str = "") -> None:
        writes, self._writes = self._writes, []
        counted, self._counted = self._counted, []
        self._size = 0
        if writes and not self._dry_run:
            reason = f"{self.done.old_title} -> {self.done.title}{how and f', {how}'}"
            record = self._store.commit(OP, writes, reason=reason)
            self.done.changes = [record.part_of or record.change]
        self.done.changed += [place for place, _ in counted]
        self.done.links += sum(links for _, links in counted)

    def _refuse_outsider(self) -> None:
        """Raise ConflictError where an external actor would change an entry that is not external:
        the new title would count as its author's."""
        store = self._store
        if store.actor.trust != EXTERNAL:
            return
        for id_ in (self._row.id, *(id_ for _, id_, _ in self._others)):
            row = store.find_exact(id_)
            if row is None or effective_trust(store, row) != EXTERNAL:
                raise ConflictError(
                    f"{id_} does not come from outside: what does gives it no other words",
                    path=None if row is None else row.locator,
                    remedy="have the operator rename the note",
                )


def retitle(
    store: Store, entry: Entry, new: Called, *, place: str, alias: bool
) -> tuple[Note, tuple[str, str]]:
    """Return the note of an entry with its new names, at `place`, and its first heading before and
    after if that is its title, else twice "". The title changes where it stood: in the field, the
    heading or the file's name.

    Raises MalformedError, UsageError.
    """
    note, headings = _rewrite_heading(entry, new.title)
    fields: dict[str, Value] = {"id": entry.id, "updated": store.now}
    if "title" in entry.fields:
        fields["title"] = new.title
    if "slug" in entry.fields:
        fields["slug"] = new.slug
    if alias and link_key(entry.title) not in {link_key(name) for name in new.aliases}:
        given = entry.fields.get("aliases")
        others = [*map(str.strip, given.split(","))] if isinstance(given, str) else list_of(given)
        fields["aliases"] = [*others, entry.title]
    revised = note.patch(fields)
    there = Entry(place, revised, "")
    said: dict[str, Value] = {}
    if there.title != new.title:
        said["title"] = new.title
    if there.kind != entry.kind:
        said["kind"] = entry.kind  # the old name or title implied it
    revised = revised.patch(said) if said else revised
    if revised.substance() == entry.note.substance():
        return entry.note, headings
    revised = drop_slug(revised, place)
    check_size(revised)
    return revised, headings


def _rewrite_heading(entry: Entry, title: str) -> tuple[Note, tuple[str, str]]:
    note = entry.note
    heading, _ = split_heading(note.body)
    if heading is None or heading != entry.title:
        return note, ("", "")
    start = note.body.index(heading, note.body.index("# ") + 2)
    body = note.body[:start] + title + note.body[start + len(heading) :]
    return Note(note.head, note.front, note.fence, body), (heading, title)
