"""Find the end of each link: the entry that its name means (S1.11, DESIGN section 8). If entries
share a name, a path in the link selects among them (or is itself a name with a `/`), then the
entry's standing and the kind of name decide, then the entry's place.

The end is stored with the link, so that walking the graph looks up no names. It is found again when
the link is written, when an entry gains, loses or changes a name that the link uses, and when the
vault turns out to write labels before targets: so it depends on the files that are there, and not
on the order in which they came.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

from engrain.index.rows import COPIES, PAGE
from engrain.index.text import storable
from engrain.language.text.folding import fold, name_key
from engrain.model.links.link import may_be_named, note_name, resolve_path
from engrain.model.note.documents import names_in
from engrain.model.note.tiers import ACTIVE, LIVE, PERSONAL, link_key
from engrain.seam.references import Reference, Written
from engrain.seam.rows import AMBIGUOUS, BROKEN, FIELD, ORIGINS, RESOLVED, TEXT

if TYPE_CHECKING:
    import apsw

    from engrain.index.connection import Queries
    from engrain.model.note.entry import Entry


Candidate: TypeAlias = "tuple[int, int, int, str]"
"""An entry, its standing, the rank of the name that matched, and its place."""

FILE, SLUG, ALIAS, TITLE = range(4)
"""The kinds of an entry's names, the likeliest to be meant by a link first."""


def find_end(
    sides: Sequence[tuple[str, str]], folder: str, found: Mapping[str, list[Candidate]]
) -> tuple[int | None, int]:
    """Return the entry that a link in `folder` means, and the number of others that it may mean.
    The first of its (key, as written) sides is the target, unless only the second is a file's name,
    with a dot as Dendron's names have: else that is a label."""
    key, written = sides[0]
    candidates = _narrow(key, written, folder, found)
    is_file = any(one[2] == FILE for one in candidates)
    if len(sides) > 1 and not is_file and may_be_named(sides[1][1]):
        named = [one for one in _narrow(*sides[1], folder, found) if one[2] == FILE]
        if named:
            candidates, written = named, sides[1][1]
    if not candidates:
        return None, 0
    if len(candidates) > 1:
        first = min(one[1:3] for one in candidates)
        candidates = [one for one in candidates if one[1:3] == first]
        root = fold(note_name(written))
        candidates = [one for one in candidates if _stem(one) == root] or candidates
    end = min(candidates, key=lambda one: _nearness(one, folder))
    return end[0], len(candidates) - 1


def rank_meant(key: str, written: str, found: Mapping[str, list[Candidate]]) -> list[int]:
    """Return every entry that a link may mean, the likeliest first."""
    meant = _narrow(key, written, "", found)
    return [entry for entry, *_ in sorted(meant, key=lambda one: (*one[1:3], *_nearness(one, "")))]


def keys_of(key: str, written: str) -> Sequence[str]:
    """Return the keys that one side of a link may stand for: that of the file at a path, and that
    of a name with a `/` in it."""
    return (key, name_key(note_name(written))) if key and "/" in written else (key,) * bool(key)


def _nearness(candidate: Candidate, folder: str) -> tuple[bool, int, str]:
    """Return a sort key in Obsidian's order for notes of one name: those below the link's folder
    first, then those with shorter paths."""
    place = candidate[3]
    inside = not folder or place.startswith(f"{folder}/")
    return not inside, len(place), place


def _narrow(
    key: str, written: str, folder: str, found: Mapping[str, list[Candidate]]
) -> list[Candidate]:
    """Return the candidates at the link's path; else those with the whole path as their name; else
    all of them, since a note may have moved."""
    path = fold(note_name(written))
    candidates = found.get(key, [])
    if "/" not in path:
        return candidates
    if path.startswith(("./", "../")):
        path = resolve_path(path, fold(folder))
    path = path.strip("/")
    exact = [one for one in candidates if _stem(one) == path]
    below = [one for one in candidates if _stem(one).endswith(f"/{path}")]
    return exact or below or found.get(name_key(note_name(written)), []) or candidates


def _stem(candidate: Candidate) -> str:
    return fold(candidate[3]).removesuffix(".md")


_STANDING = (
    "CASE WHEN e.status = 'deleted' THEN 2"
    f" WHEN e.zone = '{LIVE}' AND e.status = '{ACTIVE}' THEN 0 ELSE 1 END"
)
"""0 for a live and active entry, 2 for a forgotten one, 1 for others."""
_AT_ONCE = 2000
"""The most links whose ends are found with one query for names."""
REPLACING = ("supersedes", "superseded_by")
"""Relations that say which of two entries replaced the other."""


def name_values(entry: Entry) -> list[tuple[str, int]]:
    """Return the names by which links mean an entry, as (key, rank): id, file, slug, aliases and
    title."""
    names = [(entry.title, TITLE)]
    names += [(other, ALIAS) for other in names_in(entry.fields)]
    names += [(entry.slug, SLUG), (entry.id, FILE)]
    ranks = {name_key(storable(name)): rank for name, rank in names}  # the likeliest overwrites
    ranks[link_key(storable(entry.path))] = FILE
    return [(key, rank) for key, rank in ranks.items() if key]


def link_values(references: Iterable[Reference]) -> Iterator[tuple[int | str | float | None, ...]]:
    """Yield the columns of `links` after the entry, without ends."""
    for place, reference in enumerate(references):
        (key, target), (alt, label) = _sides_of(reference)
        yield (
            place,
            target,
            key,
            storable(reference.relation),
            ORIGINS.index(reference.origin),
            label,
            alt,
            storable(reference.heading),
            reference.valid_from,
            reference.valid_to,
            None,
            0,
        )


def _sides_of(reference: Reference) -> tuple[tuple[str, str], tuple[str, str]]:
    """Return (key, as written) of a reference's target and of its label; a key is "" if the text
    can't be the name of an entry."""
    target, label = storable(reference.target), storable(reference.label)
    other = note_name(label)
    alt = "" if any(map(str.isspace, other)) else link_key(other)
    key = ""  # links to the operator's own notes are not looked up
    if not target.startswith(PERSONAL):
        key = link_key(note_name(target) if reference.origin == TEXT else target)
    return (key, target), (alt, label)


class BatchNames:
    """Keeps the names of entries before a batch, to compare them with those after it."""

    __slots__ = ("_connection", "_known", "_numbers")

    def __init__(self, connection: apsw.Connection) -> None:
        self._connection = connection
        self._known: dict[int, tuple[object, frozenset[tuple[str, int]]]] = {}
        self._numbers: set[int] = set()

    def note(self, entries: Collection[int]) -> None:
        """Keep the present names of some entries."""
        self._numbers.update(entries)
        for entry, known in self._read(entries).items():
            self._known.setdefault(entry, known)

    def changed(self, entries: Iterable[int]) -> set[str]:
        """Return the names that may mean another entry now, of noted entries and of `entries`."""
        now = self._read(self._numbers.union(entries))
        keys: set[str] = set()
        for entry in self._known.keys() | now.keys():
            before, after = self._known.get(entry), now.get(entry)
            if before is None or after is None or before[0] != after[0]:
                for state in (before, after):
                    keys.update(key for key, _ in state[1]) if state else None
            else:
                keys.update(key for key, _ in before[1] ^ after[1])
        return keys

    def _read(self, entries: Iterable[int]) -> dict[int, tuple[object, frozenset[tuple[str, int]]]]:
        found: dict[int, tuple[object, set[tuple[str, int]]]] = {}
        for entry, key, rank, standing, locator in self._connection.execute(
            f"SELECT e.entry, n.key, n.rank, {_STANDING}, e.locator FROM json_each(?) j"
            " CROSS JOIN entries e ON e.entry = j.value CROSS JOIN names n ON n.entry = e.entry"
            " WHERE e.is_primary = 1",
            [json.dumps(list(entries))],
        ):
            found.setdefault(entry, ((standing, locator), set()))[1].add((key, rank))
        return {entry: (about, frozenset(names)) for entry, (about, names) in found.items()}


def resolve_links(
    connection: apsw.Connection, entries: Collection[int], names: Collection[str]
) -> set[int]:
    """Find the ends of the links in some entries and of those that use some names. Return the
    entries at both ends, old and new, of changed links that say which entry replaced another."""
    if not entries and not names:
        return set()
    keys = {link_key(name) for name in names}
    return _resolve(
        connection,
        "SELECT entry, place FROM links WHERE entry IN (SELECT value FROM json_each(?1))"
        " UNION SELECT entry, place FROM links WHERE key IN (SELECT value FROM json_each(?2) k)"
        " UNION SELECT entry, place FROM links"
        " WHERE alt <> '' AND alt IN (SELECT value FROM json_each(?2) k)",
        (json.dumps(list(entries)), json.dumps(list(keys))),
    )


def resolve_all(connection: apsw.Connection) -> None:
    """Find the ends of all links."""
    _resolve(connection, "SELECT entry, place FROM links", ())


def _resolve(connection: apsw.Connection, places: str, values: Sequence[str]) -> set[int]:
    """Find the ends of the links whose (entry, place) the query `places` selects, and write those
    that changed; return what `resolve_links` does."""
    moved: set[int | None] = set()
    connection.execute(
        "CREATE TEMP TABLE IF NOT EXISTS unsettled(entry INTEGER, place INTEGER,"
        " PRIMARY KEY(entry, place)) WITHOUT ROWID"
    )
    connection.execute("DELETE FROM unsettled")
    connection.execute(f"INSERT INTO unsettled {places}", values)
    after = (-1, -1)
    while rows := _rows(
        connection,
        "SELECT l.entry, l.place, l.key, l.alt, l.target, l.label, l.end, l.rivals, e.folder,"
        " l.relation"
        " FROM unsettled u CROSS JOIN links l ON l.entry = u.entry AND l.place = u.place"
        " CROSS JOIN entries e ON e.entry = l.entry WHERE (u.entry, u.place) > (?, ?)"
        " ORDER BY u.entry, u.place LIMIT ?",
        (*after, _AT_ONCE),
    ):
        after = rows[-1][:2]
        all_sides = [(row[at], row[at + 2]) for row in rows for at in (2, 3)]
        found = _candidates(connection, {key for side in all_sides for key in keys_of(*side)})
        changed = []
        for entry, place, key, alt, target, label, end, rivals, folder, relation in rows:
            sides = [(key, target), (alt, label)] if alt else [(key, target)]
            now = find_end(sides, folder, found)
            if now != (end, rivals):
                changed.append((*now, entry, place))
                if relation in REPLACING:
                    moved |= {entry, end, now[0]}
        connection.executemany(
            "UPDATE links SET end = ?, rivals = ? WHERE entry = ? AND place = ?", changed
        )
    connection.execute("DELETE FROM unsettled")
    return {entry for entry in moved if entry is not None}


def _rows(connection: apsw.Connection, query: str, values: Sequence[int]) -> list[tuple[Any, ...]]:
    return connection.execute(query, values).fetchall()


def _candidates(connection: apsw.Connection, keys: Collection[str]) -> dict[str, list[Candidate]]:
    found: dict[str, list[Candidate]] = {}
    for row in connection.execute(
        f"SELECT n.key, n.entry, {_STANDING}, n.rank, e.locator FROM json_each(?) k"
        " CROSS JOIN names n ON n.key = k.value CROSS JOIN entries e ON e.entry = n.entry"
        " WHERE e.is_primary = 1",
        (json.dumps(list(keys)),),
    ):
        found.setdefault(row[0], []).append(row[1:])
    return found


def list_meant(connection: apsw.Connection, name: str) -> list[int]:
    """Return every entry that a link to `name` may mean, the likeliest first."""
    target = storable(name)
    key = link_key(note_name(target))
    return rank_meant(key, target, _candidates(connection, keys_of(key, target)))


def lead(connection: apsw.Connection, reference: Reference, folder: str) -> tuple[int | None, int]:
    """Return the end of a reference that would stand in `folder`, and the number of rivals."""
    sides = [(key, text) for key, text in _sides_of(reference) if key]
    found = _candidates(connection, {key for side in sides for key in keys_of(*side)})
    return find_end(sides, folder, found) if sides else (None, 0)


_SAID = f"origin <= {ORIGINS.index(FIELD)}"
_STATES = {
    RESOLVED: "end IS NOT NULL AND rivals = 0",
    AMBIGUOUS: "rivals > 0",
    BROKEN: "end IS NULL",
}
_WRITTEN = (
    "entry, place, target, relation, origin, label, heading, valid_from, valid_to, end, rivals"
)


def list_links(connection: apsw.Connection, entry: int) -> list[Written]:
    """Return every reference of one entry, of any origin, in order."""
    query = f"SELECT {_WRITTEN} FROM links WHERE entry = ? ORDER BY place"
    return [_make_written(row) for row in _rows(connection, query, (entry,))]


def each_link(view: Queries, state: str | None = None) -> Iterator[Written]:
    """Yield every reference in a text or in frontmatter, of one state if that is given, without
    those of facts, chains and sources."""
    after = (-1, -1)
    while found := view.ask(_list_page, state, after):
        yield from found
        after = found[-1].source, found[-1].place


def _list_page(
    connection: apsw.Connection, state: str | None, after: tuple[int, int]
) -> list[Written]:
    """Return the references behind the one at (entry, place), of one state if that is given, as
    many as are read at once."""
    inside = "true" if state is None else _STATES[state]
    query = (
        f"SELECT {_WRITTEN} FROM links WHERE (entry, place) > (?, ?) AND {_SAID} AND {inside}"
        f" AND entry NOT IN ({COPIES}) ORDER BY entry, place LIMIT ?"
    )
    return [_make_written(row) for row in _rows(connection, query, (*after, PAGE))]


def _make_written(row: tuple[Any, ...]) -> Written:
    """Make a reference with its end from its columns."""
    entry, place, target, relation, origin, label, heading, valid_from, valid_to, end, rivals = row
    reference = Reference(
        target,
        relation,
        ORIGINS[origin],
        label=label,
        heading=heading,
        valid_from=valid_from,
        valid_to=valid_to,
    )
    return Written(entry, place, reference, end, rivals)
