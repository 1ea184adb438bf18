"""Which entities a query names: by a whole name or alias, or by a part of it (S4.6)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from engrain.engine.recall.candidates import Candidates
from engrain.engine.recall.query import Query
from engrain.language.text.folding import fold
from engrain.model.experience.features import goal_words
from engrain.model.facts.entity import Entity
from engrain.seam.rows import Row

_LEAST_PART = 3
"""Letters of a part of a name by which somebody may be meant: "Li" may, alone, be any word."""


def choose_named(query: Query, rows: Sequence[Row], candidates: Candidates) -> list[Row]:
    """The entities that are named, of `rows` in their order: those by a whole name or alias first,
    the longest before all, then those by a part of it, such as a first name. Where somebody is
    meant by the whole name, others who share a part of it are not."""
    by_name = candidates.scores.get("name", {})
    numbers = {candidates.found[one].entry for one in by_name if one in candidates.found}
    ids = {row.id for number, row in candidates.rows.items() if number in numbers}
    whole = [row for row in rows if row.id in ids]
    whole.sort(key=lambda row: -len(row.title.split()))
    taken = {part for row in whole for part in _parts(row)}
    spoken = {fold(name) for name in query.names} - taken
    return whole + [row for row in rows if row.id not in ids and spoken.intersection(_parts(row))]


def naming_words(query: Query, entities: Iterable[Entity]) -> set[str]:
    """The words of a query that name these entities, without endings."""
    text = fold(query.head)
    named: set[str] = set()
    for entity in entities:
        for name in entity.names:
            parts = [name] if fold(name) in text else name.split()
            named.update(*(goal_words(part) for part in parts if fold(part) in text))
    return named


def _parts(row: Row) -> list[str]:
    return [part for part in fold(row.title).split() if len(part) >= _LEAST_PART]
