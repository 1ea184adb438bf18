"""Notes that stand alone, and notes that share a title (S1.11)."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby

from engrain.model.links.keys import link_key
from engrain.seam.rows import Row
from engrain.seam.view import IndexView


def list_orphans(view: IndexView, limit: int | None) -> tuple[list[Row], int]:
    """Live, active entries that nothing links to and that link to nothing, by place, `limit` at
    most; and how many there are."""
    found = view.orphans()
    shown = found if limit is None else found[:limit]
    rows = view.rows(shown)
    return [rows[number] for number in shown if number in rows], len(found)


def list_same_titles(view: IndexView, limit: int | None) -> list[list[Row]]:
    """Live, active entries of one title, a group each, `limit` groups at most."""
    groups: list[list[Row]] = []
    for rows in _sharing(view):
        if limit is not None and len(groups) == limit:
            break
        groups.append(rows)
    return groups


def _sharing(view: IndexView) -> Iterator[list[Row]]:
    for key, named in groupby(view.names(), key=lambda name: name[0]):
        numbers = [number for _, number in named]
        if len(numbers) > 1:
            rows = view.rows(numbers)
            titled = [row for _, row in sorted(rows.items()) if link_key(row.title) == key]
            if len(titled) > 1:
                yield sorted(titled, key=lambda row: row.locator)
