"""Finds the entry that a person means by some words: an id, a path, a slug, a title, an alias, or
the beginning of an id, a title or a slug.

The order of precedence: a whole id or path; a whole slug; a whole title; an alias; a beginning.
Within each, entries in force come before others. Several of the same rank are never guessed
between: the error lists them with their ids.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from difflib import SequenceMatcher

from engrain.index.sqlite_index import SearchIndex
from engrain.language.text.folding import name_key
from engrain.model.errors import NotFoundError, UsageError
from engrain.model.note.note import is_id
from engrain.model.note.tiers import LIVE
from engrain.seam.rows import Filter, Row

_VERSION = re.compile(r"^[0-9a-z-]{8,}@[0-9a-f]{8}$")
_LEAST = 2
"""Characters of the beginning of a title from which it names an entry."""
_MOST_NAMED = 5
"""Entries that an error lists."""
_MOST_COMPARED = 5000
"""The newest titles that a mistyped one is compared with."""
_NEAR = 0.6
"""Similarity (difflib) from which a title is suggested for a mistyped one."""


def find_named(index: SearchIndex, reference: str, rows: Sequence[Row], prefer: str) -> Row:
    """Return the entry that a reference means which is no whole id or path. `rows` has the entries
    whose slug it is, or whose id begins with it; entries of the status `prefer` come first. Raises
    NotFoundError; UsageError if several entries are meant."""
    if not rows and _VERSION.search(reference):
        # An agent is shown the version of an entry with its id.
        reference = reference.rpartition("@")[0]
        rows = [row for row in index.lookup(reference) if row.primary]
    wanted = _key(reference)
    if not wanted or is_id(reference):
        # Nobody is led from the id of a lost entry to a note that has this id for its title.
        return _only(reference, rows, prefer)
    named = _in_force(_list_named(index, reference, rows), prefer)
    for rank in (_key_of_slug, _key_of_title, None):
        found = [row for row in named if rank is None or rank(row) == wanted]
        if found:
            return _only(reference, found, prefer)
    begun = [row for row in rows if row.id.startswith(reference)]
    return _only(reference, _once([*begun, *_list_begun(index, wanted)]), prefer)


def _list_begun(index: SearchIndex, wanted: str) -> list[Row]:
    """Return the entries whose title or slug begins with a name."""
    return [
        row
        for row in (index.find(Filter()) if len(wanted) >= _LEAST else ())
        if _key_of_title(row).startswith(wanted) or _key_of_slug(row).startswith(wanted)
    ]


def list_named(index: SearchIndex, reference: str) -> list[Row]:
    """Return the entries that have a reference for a whole slug, title or alias."""
    return _list_named(index, reference, index.lookup(reference))


def make_missing_error(index: SearchIndex, reference: str, prefer: str) -> NotFoundError:
    """Return the error for a reference that means no entry, with those of nearly that title."""
    near = [] if is_id(reference) else _list_near(index, _key(reference), prefer)
    remedy = "give an id, its beginning, a path, a slug or a title; `engrain list` shows them"
    if near:
        remedy = f"did you mean {_list_titles(near)}?"
    return NotFoundError(f"no entry {reference!r}", remedy=remedy)


def _only(reference: str, rows: Iterable[Row], prefer: str) -> Row:
    """Return the one entry in force. Raises NotFoundError, and UsageError for several."""
    found = _in_force(rows, prefer)
    if not found:
        raise NotFoundError(f"no entry {reference!r}")
    if len(found) > 1:
        named = ", ".join(
            f"{row.id} ({row.title}, {row.locator})" for row in found[:_MOST_NAMED]
        ) + (", …" if len(found) > _MOST_NAMED else "")
        raise UsageError(
            f"{reference!r} may mean {len(found)} entries: {named}", remedy="give one of the ids"
        )
    return found[0]


def _in_force(rows: Iterable[Row], prefer: str) -> list[Row]:
    """Return the entries of the preferred status, or all if there is none; likewise those in live
    places."""
    found = list(rows)
    found = [row for row in found if row.status == prefer] or found
    return [row for row in found if row.zone == LIVE] or found


def _list_named(index: SearchIndex, reference: str, rows: Sequence[Row]) -> list[Row]:
    """Return the entries that have a reference for a whole name."""
    wanted = _key(reference)
    named = [row for row in rows if row.primary and row.slug == reference]
    for row in index.resolve([reference]):
        # A reference with a slash in it may have led to an entry called like its last part.
        if "/" not in reference or wanted in (_key_of_slug(row), _key_of_title(row)):
            named.append(row)
    return _once(named)


def _once(rows: Iterable[Row]) -> list[Row]:
    return [*{row.locator: row for row in rows}.values()]


def _list_near(index: SearchIndex, wanted: str, prefer: str) -> list[Row]:
    """Return the entries whose titles have all words of a reference, then those whose titles are
    nearest to it as a mistyped one."""
    if not wanted:
        return []
    words = wanted.split()
    matcher = SequenceMatcher(b=wanted)
    near: list[tuple[float, Row]] = []
    for row in index.find(Filter(statuses=(prefer, "active")), _MOST_COMPARED):
        if len(wanted) >= _LEAST and all(word in _key_of_title(row) for word in words):
            near.append((1.0, row))
            continue
        matcher.set_seq1(_key_of_title(row)[: 2 * len(wanted)])
        quick = min(matcher.real_quick_ratio(), matcher.quick_ratio())
        if quick >= _NEAR and (ratio := matcher.ratio()) >= _NEAR:
            near.append((ratio, row))
    near.sort(key=lambda one: -one[0])
    return [row for _, row in near[:_MOST_NAMED]]


def _list_titles(rows: Iterable[Row]) -> str:
    return " or ".join(f"“{row.title}” ({row.id})" for row in rows)


def _key(reference: str) -> str:
    """Return the form in which a name is compared; the mark of a title that was cut is no part."""
    return name_key(" ".join(reference.removesuffix("…").split()))


def _key_of_slug(row: Row) -> str:
    return name_key(row.slug)


def _key_of_title(row: Row) -> str:
    return name_key(" ".join(row.title.split()))
