"""Decides which names a renamed note gets: title, file and slug (S1.11)."""

from __future__ import annotations

from collections.abc import Iterator

from engrain.engine.core.moving import is_free
from engrain.engine.core.store import Store
from engrain.language.text.folding import fold
from engrain.language.text.slugs import slugify
from engrain.model.errors import ConflictError, UsageError
from engrain.model.links.naming import Called, called, name_file
from engrain.model.note.entry import Entry
from engrain.model.note.tiers import ACTIVE, LIVE, WORKING, is_generated, split_ending
from engrain.seam.locator import Locator, make_locator
from engrain.seam.rows import Row
from engrain.seam.view import IndexView

_DAILY = "Memory/daily/"
_OF_A_PROJECT = ("progress.md", "roadmap.md")


def refuse_fixed(row: Row, entry: Entry) -> None:
    """Raise UsageError for a record or a note whose name is its place, ConflictError for a
    forgotten note."""
    place = row.locator
    if split_ending(place)[1] != ".md":
        entity = row.kind == "entity"
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
    """The place and names of a note with a new title. Where the file's name is taken, or means
    another note, the end of the id is appended.

    Raises ConflictError for a title that another note has.
    """
    old = called(entry)
    for other in _going_by(view, title, row):
        if "/" not in title or fold(other.title) == fold(title):
            raise ConflictError(
                f"{title!r} is what {other.id} goes by already",
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
    """The name of a note's file, as near to `stem` as may be. Raises ConflictError."""
    free = is_free(store, _beside(row.locator, stem))
    if fold(stem) == fold(old.stem):
        # On some file systems the two are one file, which is in its own way.
        return stem if free else old.stem
    if free and not any(_going_by(view, stem, row)):
        return stem
    stem = f"{stem}--{old.id[-8:]}"
    place = _beside(row.locator, stem)
    if stem != old.stem and not is_free(store, place):
        raise ConflictError(f"{place} is taken", path=place, remedy="move that away")
    return stem


def _is_fixed(place: Locator) -> bool:
    """Whether what lies at a place is found by its name."""
    of_project = place.startswith("projects/") and fold(place.name) in _OF_A_PROJECT
    own = fold(place) == "memory.md" or place.startswith(_DAILY)
    return own or of_project or "/_harness/" in place


def _going_by(view: IndexView, name: str, row: Row) -> Iterator[Row]:
    """The live, active notes but one that a link to a name may mean."""
    for other in view.rows(view.meant(name)).values():
        if other.id != row.id and other.status == ACTIVE and other.zone == LIVE:
            yield other


def _beside(locator: Locator, stem: str) -> Locator:
    """The place of that name in the same folder."""
    return make_locator(f"{locator.folder}/{stem}.md" if locator.folder else f"{stem}.md")
