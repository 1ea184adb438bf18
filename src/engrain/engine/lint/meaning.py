"""What a broken link must have meant, told from the history and from how names are spelled."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping

from engrain.engine.core.store import Store
from engrain.engine.links.making import name_now
from engrain.language.text.spelling import is_misspelled, variants
from engrain.model.links.keys import link_key
from engrain.model.note.tiers import ACTIVE, LIVE
from engrain.seam.rows import Row

_APART = re.compile(r"[\s_.–-]+")


def find_meant(store: Store, keys: Collection[str]) -> Mapping[str, tuple[str, str]]:
    """By the name in a broken link the id of the one entry that it must mean, and the name that
    leads there now."""
    if not keys:
        return {}
    ids: dict[str, set[str]] = {}
    _add_renamed(store, keys, ids)
    _add_spelled(store, keys, ids)
    found: dict[str, tuple[str, str]] = {}
    for key, some in ids.items():
        row = store.find_exact(next(iter(some))) if len(some) == 1 else None
        if row and (row.status, row.zone) == (ACTIVE, LIVE):
            found[key] = (row.id, name_now(store, row.locator))
    return found


def find_alike(store: Store, keys: Collection[str]) -> Mapping[str, Row]:
    """By the name in a broken link the one entry that has a name spelled alike."""
    wanted: dict[str, set[str]] = {}
    for key in keys:
        for variant in variants(key):
            wanted.setdefault(variant, set()).add(key)
    if not wanted:
        return {}
    numbers: dict[str, set[int]] = {}
    with store.index.view() as view:
        for name, number in view.names():
            for variant in variants(name):
                for key in wanted.get(variant, ()):
                    if is_misspelled(key, name):
                        numbers.setdefault(key, set()).add(number)
        rows = view.rows(sorted({number for some in numbers.values() for number in some}))
    found = ((key, rows.get(min(some))) for key, some in numbers.items() if len(some) == 1)
    return {key: row for key, row in found if row}


def _add_renamed(store: Store, keys: Collection[str], ids: dict[str, set[str]]) -> None:
    """Who had a file of that name at some time, by the history."""
    for change in store.index.changes():
        key = link_key(change.locator) if change.locator else ""
        if key in keys:
            ids.setdefault(key, set()).add(change.entry)


def _add_spelled(store: Store, keys: Collection[str], ids: dict[str, set[str]]) -> None:
    """Who has a name that differs only in what stands between its words."""
    wanted: dict[str, set[str]] = {}
    for key in keys:
        if letters := _APART.sub("", key):
            wanted.setdefault(letters, set()).add(key)
    with store.index.view() as view:
        numbers: dict[str, set[int]] = {}
        for name, number in view.names():
            for key in wanted.get(_APART.sub("", name), ()):
                numbers.setdefault(key, set()).add(number)
        rows = view.rows(sorted({number for some in numbers.values() for number in some}))
    for key, some in numbers.items():
        ids.setdefault(key, set()).update(rows[number].id for number in some if number in rows)
