"""Entries and passages as rows of the index, and filters as SQL conditions on them (S1.21).

Numbers of passages, entries and threads are valid only within the view that they came from.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

from engrain.index.text import storable
from engrain.language.text.folding import name_key, tag_key
from engrain.language.text.instants import SECONDS, local_offset
from engrain.model.note.tiers import SUPERSEDED, link_key
from engrain.seam.locator import Locator
from engrain.seam.rows import COUNTED, Row

if TYPE_CHECKING:
    import apsw

    from engrain.seam.rows import Filter


Value: TypeAlias = "str | int | float | None"

# In the order of the fields of `Row`.
ROW = (
    "e.locator, e.id, e.hash, e.kind, e.slug, e.title, e.status, e.project, e.tier, e.zone, "
    "e.tags, e.trust, e.created, e.updated, e.is_primary, e.valid_from, e.valid_to, e.weight, "
    "e.confidence, e.always_load, e.attested, e.replaced, e.imported, e.tokens, e.by_hand"
)
COPIES = "SELECT entry FROM entries WHERE is_primary = 0"
PAGE = 1000
"""The rows read at once of an unbounded result; no statement stays open in between."""
END = "\x1f"
"""Ends each tag of an entry, in the column of all its tags."""
_CHOICES = (("kinds", "kind"), ("tiers", "tier"), ("zones", "zone"))
_BOUNDS = (("since", ">="), ("until", "<="), ("lasting", ""))
_RECORDED = "ifnull((SELECT min(c.at) FROM changes c WHERE c.entry = {0}.id), {0}.created)"
# An entry held at a moment if it had begun and neither ended nor been superseded by then (DESIGN
# section 6).
_BEGUN = "ifnull(e.valid_from, e.created) <= ?"
_FOLLOWED = (
    "SELECT min(ifnull(n.valid_from, n.created)) FROM successions s"
    " CROSS JOIN entries n ON n.entry = s.newer WHERE s.older = e.entry AND s.counts & ? <> 0"
)
# Without a known successor, a superseded entry was replaced when its status was last written.
_TURNED = "e.status = 'superseded' AND e.updated > ifnull(e.valid_from, e.created)"


Place: TypeAlias = "tuple[int, int, int | None, int, int, int, int, *tuple[int | str, ...]]"
"""A passage, its entry, its thread (None without one, negative for the passages of one note), its
position in the thread from 0 (shared by all passages of a fragment), whether (1, 0) it ends in a
question, its characters, and those of its entry; more values may follow."""
Met: TypeAlias = "tuple[int, int, int | None, int, int, int, int, int, *tuple[int, ...]]"
"""A place, and a bit for each word of a query that the passage has."""
Keyed: TypeAlias = "tuple[int, int, int | None, int, int, int, int, int, str]"
"""A place, and the key and the speaker of its passage, as in `Found`."""
Occurrence: TypeAlias = "tuple[bool, list[int]]"
"""Whether a word is in the title, heading, slug or tags of a passage, and its positions in the
text, in words from 0."""


@dataclass(slots=True, eq=False)
class Matches:
    """The passages with the words of a query.

    `met` has the passages that were examined, with bits by position in `words`. `frequencies[i]` is
    the number of passages with `words[i]` (estimated if not all were examined), of about `passages`
    in all; `surprises[i]` is how rare the word is in general English, from .05 to 2.06.
    `foreign` says that the query is in another language than the vault.
    """

    words: Sequence[str]
    met: Sequence[Met]
    frequencies: Sequence[int]
    surprises: Sequence[float]
    passages: int
    foreign: bool = False


@dataclass(slots=True, eq=False)
class Found:
    """One passage: characters `start` to `end` of its entry's text, under `heading`.

    `key` is the hash of its embedded text, `before` and `behind` those of its neighbours in the
    thread, and `previous` and `next` their numbers, None for none; `characters` counts those of its
    entry.
    """

    passage: int
    entry: int
    thread: int | None
    place: int
    key: int
    start: int
    end: int
    heading: str
    characters: int
    previous: int | None = None
    before: int | None = None
    next: int | None = None
    behind: int | None = None


def make_row(*columns: Any) -> Row:
    """Make a row from the columns `ROW`; further columns are ignored."""
    row = Row(*columns[:25])
    row.locator = Locator(row.locator)
    row.project = row.project or None
    row.tags = tuple(columns[10].split(END)[:-1]) if columns[10] else ()
    row.primary, row.always_load = columns[14] == 1, columns[19] == 1
    row.attested, row.by_hand = columns[20] == 1, columns[24] == 1
    return row


def read_rows(connection: apsw.Connection, entries: Sequence[int]) -> dict[int, Row]:
    """Return entries by number."""
    found = connection.execute(
        f"SELECT {ROW}, e.entry FROM json_each(?) j CROSS JOIN entries e ON e.entry = j.value",
        [str(list(entries))],
    )
    return {row[-1]: make_row(*row) for row in found}


_FLAGS = (
    ("always_load", "e.always_load = 1"),
    ("known", "e.imported <> 1"),
    ("lessons", "(e.kind NOT IN ('episode', 'learning') OR e.trust = 'operator')"),
    ("unattested", "e.attested = 0"),
)
"""Fields of a filter that are true or false, and the condition of each."""


def make_conditions(only: Filter) -> tuple[str, list[Value]]:
    clauses = ["e.is_primary = 1"]
    values: list[Value] = []
    for field, column in _CHOICES:
        choice: tuple[str, ...] = getattr(only, field)
        if choice:
            clauses.append(f"e.{column} IN ({_marks(choice)})")
            values += map(storable, choice)
    if only.statuses:
        clause, statuses = _in_status(only)
        clauses.append(clause)
        values += map(storable, statuses)
    if only.projects is not None:
        clauses.append(f"e.project IN ({_marks(only.projects)})")
        values += map(storable, only.projects)
    if only.tags:
        clause, keys = _tagged(only.tags)
        clauses.append(clause)
        values += keys
    for field, sign in _BOUNDS:
        bound: float | None = getattr(only, field)
        if bound is not None:
            clause, bounds = _bound(sign, bound)
            clauses.append(clause)
            values += bounds
    clauses += [clause for field, clause in _FLAGS if getattr(only, field)]
    if only.known_at is not None:
        clauses.append(f"{_RECORDED.format('e')} <= ?")
        values.append(only.known_at)
    if only.held_at is not None:
        clause, held = _held(only, only.held_at)
        clauses.append(clause)
        values += held
    return " AND ".join(clauses), values


def _bound(sign: str, bound: float) -> tuple[str, list[Value]]:
    """Return a condition for times of creation, or without a sign for ends: times of creation that
    are plain dates count by this device's clock, on which `bound` shows another time than in
    UTC."""
    if not sign:
        return "coalesce(e.valid_to, 9e99) > ?", [bound]
    offset = local_offset(bound)
    if not offset:
        return f"e.created {sign} ?", [bound]
    # The first comparison is for the index of times.
    loose = bound + (min(offset, 0) if sign == ">=" else max(offset, 0))
    date = f"e.created = {SECONDS} * CAST(e.created / {SECONDS} AS INTEGER)"
    plain = f"CASE WHEN {date} THEN ? ELSE ? END"
    return f"e.created {sign} ? AND e.created {sign} {plain}", [loose, bound + offset, bound]


def make_keys(names: Sequence[str]) -> list[str]:
    """Return the keys of each name: as a name, and as the path of a file."""
    keys: dict[str, None] = {}
    for name in map(storable, names):
        keys[name_key(name)] = None
        if "/" in name or ":" in name:  # else the two are the same
            keys[link_key(name)] = None
    return list(keys)


def _held(only: Filter, at: float) -> tuple[str, list[Value]]:
    """Return the condition that an entry held at a moment, as known at `known_at` if given."""
    counted: Value = only.successions or COUNTED
    if only.known_at is None:
        ends = f"({_FOLLOWED}), CASE WHEN {_TURNED} THEN e.updated END"
        known: list[Value] = [counted]
    else:
        ends = (
            f"({_FOLLOWED} AND {_RECORDED.format('n')} <= ?),"
            f" CASE WHEN {_TURNED} AND e.updated <= ? THEN e.updated END"
        )
        known = [counted, only.known_at, only.known_at]
    return f"{_BEGUN} AND coalesce(e.valid_to, {ends}, 9e99) > ?", [at, *known, at]


def _in_status(only: Filter) -> tuple[str, Sequence[str]]:
    """Return the condition that an entry has one of some statuses; with `successions`, a replaced
    entry counts as superseded whatever its file says."""
    bit = only.successions
    if not bit:
        return f"e.status IN ({_marks(only.statuses)})", only.statuses
    others = [status for status in only.statuses if status != SUPERSEDED]
    clause = f"e.status IN ({_marks(others)}) AND e.replaced & {bit:d} = 0"
    if len(others) < len(only.statuses):
        clause = f"({clause} OR e.status = '{SUPERSEDED}' OR e.replaced & {bit:d} <> 0)"
    return clause, others


def _tagged(tags: Sequence[str]) -> tuple[str, list[str]]:
    """Return the condition that an entry has one of some tags or one below it, as `chores/garden`
    is below `chores`."""
    below = " OR ".join(["tag = ? OR (tag > ? AND tag < ?)"] * len(tags))
    keys = map(storable, map(tag_key, tags))
    values = [value for key in keys for value in (key, f"{key}/", f"{key}0")]
    return f"e.entry IN (SELECT entry FROM tags WHERE {below})", values


def _marks(values: Sequence[str]) -> str:
    return ",".join("?" * len(values))
