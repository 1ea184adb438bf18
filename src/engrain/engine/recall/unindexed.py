"""Recalls without an index, by reading every file: slow, but always possible (S1.18)."""

from __future__ import annotations

from time import monotonic
from typing import TYPE_CHECKING

from engrain.engine.core.recalled import Recalled
from engrain.engine.core.scope import counted_origin, passes
from engrain.engine.recall.meaning import CHATTER
from engrain.language.telling import find_telling
from engrain.model.errors import EngrainError
from engrain.model.note.entry import read_entry
from engrain.model.note.properties import add_properties
from engrain.model.note.tiers import split_ending
from engrain.seam.rows import Row

if TYPE_CHECKING:
    from engrain.engine.core.store import Store
    from engrain.model.note.entry import Entry
    from engrain.seam.locator import Locator
    from engrain.seam.rows import Filter


ENOUGH = 0.5
_SIGNS = "?!.,;:()[]\"'`"


def read_through(
    store: Store, query: str, only: Filter, *, reject: bool, deadline: float | None = None
) -> list[Recalled] | None:
    """Read every entry and rank them by occurrences of the query's words, best first; with `reject`
    only those with at least half of its significant words. Return None if the `deadline` (of
    `time.monotonic`) passes, since a ranking of some entries would be a different one."""
    words = {word.strip(_SIGNS) for word in find_telling(query).casefold().split()}
    words = {word for word in words if len(word) > 1}
    telling = words - CHATTER or words
    least = len(telling) * ENOUGH if reject else 0.0
    found: list[Recalled] = []
    for seen in store.backend.scan():
        if deadline is not None and monotonic() > deadline:
            return None
        if seen.problem is None:
            try:
                stored = store.backend.read(seen.locator)
                name = split_ending(seen.locator)[0]
                text = f"{name}\n{stored.raw.decode()}".casefold()
                score = sum(min(text.count(word), 3) for word in words)
                enough = sum(word in text for word in telling) >= least
                if score and enough and passes(entry := read_entry(seen.locator, stored.raw), only):
                    row = make_row(entry, seen.locator, score)
                    row.source = counted_origin(row, store)
                    found.append(Recalled(row, add_properties(entry.text, entry.properties)))
            except (EngrainError, UnicodeDecodeError):
                continue
    # Of several copies the one with the shortest path is shown, as the index would.
    found.sort(key=lambda recalled: (len(recalled.row.locator), recalled.row.locator))
    entries = list({recalled.row.id: recalled for recalled in reversed(found)}.values())
    entries.sort(key=lambda recalled: (-recalled.row.score, recalled.row.id))
    return entries


def make_row(entry: Entry, locator: Locator, score: float) -> Row:
    """Return the row of an entry read from the store. Without the history no origin is attested: in
    T2 it is what the file claims, else operator; in T3, where a claim could raise it, external."""
    source = entry.trust if "trust" in entry.source else "operator"
    row = Row(
        locator=locator,
        id=entry.id,
        hash=entry.hash,
        kind=entry.kind,
        slug=entry.slug,
        title=entry.title,
        status=entry.status,
        project=entry.project,
        tier=entry.tier,
        zone=entry.zone,
        tags=entry.all_tags,
        source="external" if entry.tier == "T3" else source,
        created=entry.created,
        updated=entry.updated,
        primary=True,
        valid_from=entry.valid_from,
        valid_to=entry.valid_to,
        weight=entry.weight,
        confidence=entry.confidence,
        always_load=entry.always_load,
        imported=entry.imported,
    )
    row.score = score
    return row
