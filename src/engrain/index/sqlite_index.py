"""The search index on SQLite: a derived index over the entries of one store (S1.21), with one file
per generation, used by several threads and processes.

The index is a cache. `apply` updates it, one transaction per batch, and it may be deleted at any
moment without a loss. It only knows what it was given; code that returns an entry to a caller must
read the bytes again first.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, Concatenate, ContextManager, ParamSpec, TypeVar

from engrain.index import matching
from engrain.index.connection import (
    BUSY_MS,
    Access,
    Queries,
    UnfitError,
    connect_builder,
    finish_builder,
    guarded,
)
from engrain.index.generations import Generations
from engrain.index.rows import ROW, make_conditions, make_keys, make_row
from engrain.index.text import storable
from engrain.index.view import FIGURE, IndexView
from engrain.model.note.tiers import is_generated
from engrain.seam.locator import Locator
from engrain.seam.rows import FIELD, ORIGINS

if TYPE_CHECKING:
    import apsw

    from engrain.index.rows import Value
    from engrain.index.snapshot import Snapshot, Snapshots
    from engrain.seam.batches import Batch, Change, Problem, TableDifference
    from engrain.seam.clock import Clock
    from engrain.seam.looks import Due, IndexStatus, Most, StoreRound
    from engrain.seam.rows import Filter, Row

P = ParamSpec("P")
T = TypeVar("T")

PREFIX = 4
"""The fewest characters of an id's beginning to look up; fewer would match too many ids."""
_FIRST = 4
"""The search from which on a process keeps snapshots: one recall ends before."""
_LAST = "\U0010ffff"
_NO_LIMIT = 2**62
_MAX_LIMIT = 2**31

_COLUMNS = (
    "change", "at", "op", "entry", "locator", "before_hash", "after_hash", "agent", "trust",
    "undoes", "reason", "attested", "part_of",
)  # fmt: skip
_CHANGE = f"{', '.join(_COLUMNS)} FROM changes"


_SAID = f"l.origin <= {ORIGINS.index(FIELD)}"
"""The condition for explicit links, in a text or in frontmatter."""
_CONTINUED = "EXISTS(SELECT 1 FROM changes p WHERE p.part_of = changes.change)"
_FILES = """
SELECT count(*) FROM (
  SELECT p.locator FROM changes p WHERE p.change = changes.change
  UNION SELECT p.locator FROM changes p WHERE p.part_of = changes.change
)
"""
_LEFT = "FROM changes WHERE locator = ? AND after_hash = ?"
"""The changes that left some bytes at a place."""
# Goes from one folder to the next, so that the time depends on folders, not on entries.
_FOLDERS = """
WITH RECURSIVE walk(folder) AS (
  SELECT min(folder) FROM {table}
  UNION ALL
  SELECT (SELECT min(folder) FROM {table} WHERE folder > walk.folder) FROM walk
  WHERE walk.folder IS NOT NULL
)
SELECT folder FROM walk WHERE folder IS NOT NULL
"""
_SUSPECT = """
SELECT DISTINCT c.locator FROM changes c
WHERE c.locator IS NOT NULL AND c.after_hash IS NOT NULL AND c.op <> 'cancelled' {inside}
  AND NOT EXISTS(SELECT 1 FROM entries e WHERE e.locator = c.locator)
  AND NOT EXISTS(SELECT 1 FROM problems p WHERE p.locator = c.locator AND p.fatal = 1)
  AND NOT EXISTS(SELECT 1 FROM entries e WHERE e.id = c.entry)
ORDER BY c.locator
"""
_ELSEWHERE = "SELECT EXISTS(SELECT 1 FROM entries WHERE id = ?1 OR hash = ?2)"


class SearchIndex(Queries):
    """The index in `folder`, which must be device-local, need not exist yet, and may vanish.

    Each call runs on the generation in use. A writer waits `patience_ms` for another. Methods raise
    IndexUnavailableError if it can't answer; the caller then rebuilds it, or does without and says
    so.
    """

    def __init__(self, folder: str, clock: Clock, patience_ms: int = BUSY_MS) -> None:
        self._generations = Generations(folder)
        self._access = Access(self._generations, patience_ms)
        self._clock = clock
        self._searches = 0
        self._snapshots: Snapshots | None = None

    def ask(
        self, query: Callable[Concatenate[apsw.Connection, P], T], *given: P.args, **named: P.kwargs
    ) -> T:
        return self._access.ask(query, *given, **named)

    def check(self) -> str | None:
        """Return why the index can't answer (missing, corrupt, of another version, …), None if it
        can. Cheap, and never raises."""
        try:
            self.value("SELECT 1 FROM meta LIMIT 1")  # the cheapest that fails without tables
        except UnfitError as error:
            return error.reason
        return None

    def status(self) -> IndexStatus:
        """Return the state of the index. Never raises."""
        from engrain.seam.looks import IndexStatus

        try:
            entries, problems, scanned_at = self.value(
                "SELECT (SELECT count(*) FROM entries)"
                " - (SELECT count(*) FROM entries WHERE is_primary = 0),"
                " (SELECT count(*) FROM problems),"
                " (SELECT value FROM meta WHERE key = 'scanned_at')"
            )
        except UnfitError:
            return IndexStatus()
        return IndexStatus(entries, problems, scanned_at)

    def exclusive(self) -> ContextManager[None]:
        """Keep other writers of the index out during a block; everything applied inside is one
        transaction, undone if the block raises. So a file that is read and applied inside can't
        overwrite the work of a later reader."""
        return self._access.exclusive()

    def building(self) -> ContextManager[None]:
        """Wait until no other process is in such a block, in which the index may be rebuilt: of
        many that find it missing only one rebuilds it."""
        return self._generations.building()

    def apply(self, batch: Batch) -> None:
        """Apply one batch, all or nothing; inside `exclusive` as part of its transaction."""
        from engrain.index.stamps import is_of_stamps, note_stamps

        with self._access.exclusive():
            if self.ask(is_of_stamps, batch):
                self.ask(note_stamps, batch)  # like most looks, without loading the tables' module
                return
            from engrain.index.tables import apply_batch

            self.ask(apply_batch, batch)

    def rebuild(self, batches: Iterable[Batch]) -> None:
        """Fill a new index from `batches`, and replace the old one when it is complete. Until then
        readers see the old one."""
        name = guarded(self._generations.begin, self._clock.now())
        try:
            self._build(self._generations.path(name), batches)
            self._access.replace(name)
        except BaseException:
            if self._generations.current() != name:
                self._generations.discard(name)
            raise

    def beside(self) -> Beside:
        """Make a second, empty index beside this one, to be filled from the files and compared with
        it. Return None where there can be only one."""
        return Beside(self._access, self._generations, self._clock)

    def _known_figures(self) -> dict[str, float]:
        """Return the figures of the index in use, none if it can't answer."""
        try:
            return self.figures("")
        except UnfitError:
            return {}

    def _build(self, path: str, batches: Iterable[Batch]) -> None:
        from engrain.index.tables import apply_batch, begin_build, end_build

        connection = guarded(connect_builder, path)
        try:
            guarded(begin_build, connection)
            for batch in batches:
                guarded(apply_batch, connection, batch, settle=False)
            guarded(end_build, connection)
            guarded(_put_figures, connection, "", self._known_figures())
            guarded(finish_builder, connection)
        finally:
            connection.close()

    def search(self, text: str, only: Filter, limit: int) -> list[Row]:
        """Return the entries that match the words of `text`, best first, ties by id, with a score
        above 0: the plain full-text ranking (BM25) of each entry's best passage. No character of
        `text` is an operator. Copies are left out."""
        return self.ask(matching.search, text, only, limit)

    def hash_at(self, locator: Locator) -> str | None:
        """Return the known hash of a place, None if it is unknown or unreadable."""
        found: str | None = self.value(
            "SELECT hash FROM entries WHERE locator = ?", (storable(locator),)
        )
        return found

    def cursors(self) -> dict[str, str]:
        """Return the last applied change of each device."""
        return dict(self.fetch("SELECT device, cursor FROM cursors"))

    def scanned_at(self) -> float | None:
        """Return when the whole store was last scanned, in seconds since the epoch."""
        found: float | None = self.value("SELECT value FROM meta WHERE key = 'scanned_at'")
        return found

    def figures(self, prefix: str) -> dict[str, float]:
        """Return the figures under keys with a prefix, by the rest of their keys."""
        prefix = FIGURE + prefix
        found = self.fetch(
            "SELECT substr(key, length(?1) + 1), value FROM meta"
            " WHERE substr(key, 1, length(?1)) = ?1 ORDER BY key",
            (prefix,),
        )
        return dict(found)

    def find(self, only: Filter, limit: int | None = None) -> list[Row]:
        """Return entries by filter, newest first, ties by the greater id, without copies."""
        where, values = make_conditions(only)
        return self._rows(
            f"WHERE {where} ORDER BY e.created DESC, e.id DESC LIMIT ?",
            [*values, _NO_LIMIT if limit is None else min(limit, _MAX_LIMIT)],
        )

    def count(self, only: Filter) -> int:
        """Return the number of entries that `find` returns without a limit."""
        where, values = make_conditions(only)
        # Always true: only with it does this query use the index `entries_counted`.
        counted = f"SELECT count(*) FROM entries e WHERE {where} AND e.entry > 0"
        return int(self.value(counted, values))

    def tally(self, only: Filter) -> dict[tuple[str, str], int]:
        """Return the number of entries that `find` returns without a limit, by (kind, tier)."""
        where, values = make_conditions(only)
        rows = self.fetch(
            f"SELECT e.kind, e.tier, count(*) FROM entries e WHERE {where} AND e.entry > 0"
            " GROUP BY e.kind, e.tier",
            values,
        )
        return {(kind, tier): count for kind, tier, count in rows}

    def counters(
        self, only: Filter, ids: Sequence[str] | None = None
    ) -> dict[str, tuple[int, float | None, int]]:
        """Return for each entry of a filter (and of `ids`), by id, its recall count, its last
        recall and the number of sessions since then, as its file says."""
        where, values = make_conditions(only)
        if ids is not None:
            where += " AND e.id IN (SELECT value FROM json_each(?) k)"
            values.append(json.dumps(list(map(storable, ids))))
        rows = self.fetch(
            "SELECT e.id, e.recall_count, e.last_recalled, e.sessions_since_recall"
            f" FROM entries e WHERE {where}",
            values,
        )
        return {id_: (recalls, last, sessions) for id_, recalls, last, sessions in rows}

    def lookup(self, reference: str) -> list[Row]:
        """Return the entries that a person may mean by an id, an id's beginning (at least 4
        characters), a locator or a slug; only the entry of an exact id or locator. Copies are
        included."""
        reference = storable(reference)
        order = "ORDER BY e.is_primary DESC, e.locator"
        exact = self._rows(f"WHERE e.id = ?1 OR e.locator = ?1 {order}", [reference])
        if exact or len(reference) < PREFIX:
            return exact or self._rows(f"WHERE e.slug = ? {order}", [reference])
        return self._rows(
            f"WHERE e.slug = ?1 OR (e.id >= ?1 AND e.id < ?1 || ?2) {order}", [reference, _LAST]
        )

    def resolve(self, names: Sequence[str]) -> list[Row]:
        """Return the entries that a link may mean: those with the first of `names` that any entry
        has. A name is compared as a whole, folded by `name_key`, then by its last part as a
        path."""
        for name in make_keys(names):
            found = self._rows(
                "WHERE e.is_primary = 1 AND e.entry IN (SELECT entry FROM names WHERE key = ?)"
                " ORDER BY e.id",
                [name],
            )
            if found:
                return found
        return []

    def links_from(self, locator: Locator) -> list[tuple[str, str]]:
        """Return the links in an entry's text and frontmatter, as (target as written, relation)."""
        found: list[tuple[str, str]] = self.fetch(
            "SELECT l.target, l.relation FROM links l JOIN entries e USING(entry)"
            f" WHERE e.locator = ? AND {_SAID} ORDER BY l.place",
            [storable(locator)],
        )
        return found

    def links_to(self, row: Row) -> list[tuple[Row, str]]:
        """Return every entry that links to `row`, as (entry, relation)."""
        rows = self.fetch(
            f"SELECT DISTINCT {ROW}, l.relation FROM entries t"
            " CROSS JOIN links l ON l.end = t.entry CROSS JOIN entries e ON e.entry = l.entry"
            f" WHERE t.locator = ? AND {_SAID} AND e.is_primary = 1 ORDER BY e.id, l.relation",
            [storable(row.locator)],
        )
        return [(make_row(*row), row[-1]) for row in rows]

    def sources_of(self, entry: str) -> list[str]:
        """Return the ids in the `derived_from` of an entry, in order; they need not exist."""
        found = self.fetch(
            "SELECT DISTINCT s.source FROM entries e JOIN sources s USING(entry) WHERE e.id = ?"
            " ORDER BY s.source",
            [storable(entry)],
        )
        return [source for (source,) in found]

    def derived_from(self, entries: Sequence[str]) -> list[Row]:
        """Return the entries with one of `entries` in their `derived_from`, by id, without
        copies."""
        return self._rows(
            "WHERE e.is_primary = 1 AND e.entry IN (SELECT entry FROM sources WHERE source IN"
            " (SELECT value FROM json_each(?) k)) ORDER BY e.id",
            [json.dumps([storable(entry) for entry in entries])],
        )

    def among_related(self, relation: str, locators: Sequence[Locator]) -> list[Locator]:
        """Return those of the places from or to which a link with a relation leads."""
        found = self.fetch(
            "SELECT e.locator FROM json_each(?1) k CROSS JOIN entries e ON e.locator = k.value"
            " WHERE EXISTS (SELECT 1 FROM links WHERE entry = e.entry AND relation = ?2) OR EXISTS"
            " (SELECT 1 FROM links INDEXED BY links_by_end WHERE end = e.entry AND relation = ?2)",
            [json.dumps(list(map(storable, locators))), storable(relation)],
        )
        related = {locator for (locator,) in found}
        return [locator for locator in locators if storable(locator) in related]

    def related(self, relation: str) -> list[tuple[Row, str]]:
        """Return every link with a relation, as (entry, target as written), by the entry's id."""
        rows = self.fetch(
            f"SELECT {ROW}, l.target FROM links l JOIN entries e USING(entry)"
            f" WHERE l.relation = ? AND {_SAID} AND e.is_primary = 1 ORDER BY e.id, l.place",
            [storable(relation)],
        )
        return [(make_row(*row), row[-1]) for row in rows]

    def problems(self) -> list[Problem]:
        """Return the unreadable files and the faults of the others, by locator."""
        from engrain.seam.batches import Problem

        rows = self.fetch(
            "SELECT locator, reason, message, line, stamp, settled, fatal FROM problems"
            " ORDER BY locator, place"
        )
        return [
            Problem(
                Locator(locator),
                reason,
                message,
                line=line,
                stamp=stamp,
                settled=bool(settled),
                fatal=bool(fatal),
            )
            for locator, reason, message, line, stamp, settled, fatal in rows
        ]

    def duplicates(self) -> list[Row]:
        """Return the conflict copies: files with the id of another file."""
        return self._rows("WHERE e.is_primary = 0 ORDER BY e.locator", [])

    def changes(
        self, *, after: int = 0, limit: int | None = None, **columns: str | None
    ) -> list[Change]:
        """Return the table of changes, newest first, filtered by the arguments; `after` leaves out
        the first changes of a device's chain.

        A conclusion (`external`) about bytes that a record explains is void. Its `op` is then
        `cancelled`, and it is only returned if the caller names the op or the change.
        """
        wanted = {column: storable(value) for column, value in columns.items() if value is not None}
        where = "".join(f" AND {column} = ?" for column in wanted)
        where += "" if {"op", "change"} & wanted.keys() else " AND op <> 'cancelled'"
        where += f" AND n > {int(after)}" if after else ""
        rows = self.fetch(
            f"SELECT {_CHANGE} WHERE true{where}"
            " ORDER BY at DESC, device DESC, n DESC, place LIMIT ?",
            [*wanted.values(), _NO_LIMIT if limit is None else min(limit, _MAX_LIMIT)],
        )
        return [_change(row) for row in rows]

    def last_changes(self, device: str, most: int, before: int | None = None) -> list[Change]:
        """Return the last `most` changes of a device's chain (before a number, if given), by
        number, the newest first, since a clock may have been set back. A change has a row per
        file."""
        rows = self.fetch(
            f"SELECT {_CHANGE} WHERE device = ?1 AND n < ?2 AND n >= ("
            "  SELECT ifnull(min(n), 0) FROM (SELECT DISTINCT n FROM changes"
            "    WHERE device = ?1 AND n < ?2 ORDER BY n DESC LIMIT ?3)"
            ") AND op <> 'cancelled' ORDER BY n DESC, place DESC",
            [storable(device), _MAX_LIMIT if before is None else before, most],
        )
        return [_change(row) for row in rows]

    def operations(
        self,
        ops: Sequence[str],
        limit: int | None = None,
        since: float | None = None,
        until: float | None = None,
    ) -> list[Change]:
        """Return the table of changes, newest first, with one row per operation: without changes
        that continue an earlier one, and only with the first file of a change with one of `ops`.
        `since` and `until` bound the time, both included, in epoch seconds."""
        bounds = {"at >= ?": since, "at <= ?": until}
        given = {clause: bound for clause, bound in bounds.items() if bound is not None}
        within = "".join(f" AND {clause}" for clause in given)
        together = f"(op IN ({', '.join('?' * len(ops))}) OR {_CONTINUED})"
        rows = self.fetch(
            f"SELECT CASE WHEN {together} THEN ({_FILES}) ELSE 1 END, {_CHANGE}"
            f" WHERE op <> 'cancelled' AND part_of IS NULL AND (place = 0 OR NOT {together})"
            f"{within} ORDER BY at DESC, device DESC, n DESC, place LIMIT ?",
            [*ops, *ops, *given.values(), _NO_LIMIT if limit is None else min(limit, _MAX_LIMIT)],
        )
        found = []
        for count, *values in rows:
            change = _change(tuple(values))
            change.files = count
            found.append(change)
        return found

    def erasures(self) -> list[Change]:
        """Return the changes that erased entries, newest first. Cheap when there are none."""
        rows = self.fetch(
            f"SELECT {_CHANGE} WHERE op IN ('erase', 'erasing')"
            " ORDER BY at DESC, device DESC, n DESC"
        )
        return [_change(row) for row in rows]

    def knows_bytes(self, locator: Locator, hash_: str) -> bool:
        """Whether a recorded change left these bytes at this place."""
        found = self.value(f"SELECT EXISTS(SELECT 1 {_LEFT})", [storable(locator), hash_])
        return bool(found)

    def unexplained(self, files: Sequence[tuple[Locator, str]]) -> list[tuple[Locator, str]]:
        """Return those of some places, each with the hash of its bytes, at which no recorded change
        left these bytes."""
        keys = [(storable(locator), hash_) for locator, hash_ in files]
        known = {*self.fetch_each(f"SELECT locator, after_hash {_LEFT}", keys)}
        return [file for file, key in zip(files, keys, strict=True) if key not in known]

    def _rows(self, rest: str, values: list[Value]) -> list[Row]:
        return [make_row(*row) for row in self.fetch(f"SELECT {ROW} FROM entries e {rest}", values)]

    def groups(self) -> dict[str, str]:
        """Return the fingerprint under which each group of the store was last found unchanged;
        empty for a group with entries that never was."""
        found: dict[str, str] = {}
        for table in ("entries", "problems"):
            found.update((name, "") for (name,) in self.fetch(_FOLDERS.format(table=table)))
        found.update(self.fetch("SELECT name, fingerprint FROM groups"))
        return found

    def stamps(self, group: str | None = None) -> Iterator[tuple[str, str, str, bool]]:
        """Yield every known file, also unreadable ones, as (locator, stamp, hash, settled); only
        those directly in `group`, if given."""
        inside = "true" if group is None else "folder = ?1"
        found: list[tuple[str, str, str, bool]] = self.fetch(
            f"SELECT locator, stamp, hash, settled FROM entries WHERE {inside} UNION ALL"
            " SELECT locator, min(stamp), '', min(settled) FROM problems"
            f" WHERE fatal = 1 AND {inside} GROUP BY locator",
            () if group is None else (storable(group),),
        )
        return iter(found)

    def stamps_of(self, places: Iterable[str]) -> dict[str, str]:
        """Return the stamps of the entries at some places."""
        keys = [(storable(place),) for place in places]
        sql = "SELECT locator, stamp FROM entries WHERE locator = ?"
        return {str(place): str(stamp) for place, stamp in self.fetch_each(sql, keys)}

    def marks(self, names: Iterable[str] | None = None) -> dict[str, tuple[str, int]]:
        """Return the marks and sizes of groups when they were last listed; of `names`, or of
        all."""
        every = "SELECT name, mark, size FROM marks"
        if names is None:
            found = self.fetch(every)
        else:
            keys = [(storable(name),) for name in names]
            found = self.fetch_each(f"{every} WHERE name = ?", keys)
        return {str(name): (str(mark), int(str(size))) for name, mark, size in found}

    def absent(self, places: Iterable[Locator] | None = None) -> list[Change]:
        """Return, of some places or of all, the changes that left bytes where the index knows no
        file now, though no change says that it went: neither are their entries elsewhere, nor the
        same bytes."""
        inside, values = "", []
        if places is not None:
            inside = "AND c.locator IN (SELECT value FROM json_each(?) k)"
            values.append(json.dumps([storable(place) for place in places]))
        found = []
        for (place,) in self.fetch(_SUSPECT.format(inside=inside), values):
            left = None if is_generated(place) else self._find_left(Locator(place))
            if left and not self.value(_ELSEWHERE, (left.entry, left.after_hash)):
                found.append(left)
        return found

    def _find_left(self, place: Locator) -> Change | None:
        """Return the change whose bytes should be at a place, None if a change took them away."""
        known = self.changes(locator=place)  # newest first, but clocks may disagree
        followed = {one.before_hash for one in known if one.after_hash != one.before_hash}
        for one in known:
            if one.after_hash is None:
                return None
            if one.after_hash not in followed:
                return one
        return None

    def due(self, after: StoreRound, most: Most) -> Due:
        """Return what a look compares that continues behind `after`, in the order of the round."""
        from engrain.index.stamps import due

        return self.ask(due, after, most)

    def turn(self) -> StoreRound:
        """Return the progress of the looks. Never raises."""
        from engrain.index.stamps import parse_turn

        return parse_turn(self._generations.read_turn())

    def note_turn(self, turn: StoreRound) -> None:
        """Store the progress of the looks. A failure costs only a repetition."""
        self._generations.write_turn(f"{turn.since}\n{turn.group}\n{turn.file}\n")

    def note(self, **said: Any) -> None:
        """Take in a batch of these fields, which is of stamps and marks alone; see `Batch`."""
        from engrain.seam.batches import Batch

        self.apply(Batch(**said))

    def put_figures(self, prefix: str, figures: Mapping[str, float]) -> None:
        """Store figures that were measured on the index, and replace all with that prefix. A
        rebuild keeps them, unless the index is lost or of another version."""
        with self._access.exclusive():
            self.ask(_put_figures, prefix, figures)

    def told_origin(self, entry: str, hash_: str) -> str | None:
        """Return the origin of an entry's bytes with that hash by its records, attested or not;
        None if only another program's edit explains them."""
        from engrain.index.origins import told_origin

        return self.ask(told_origin, storable(entry), hash_)

    def mistaken(self) -> list[tuple[str, int]]:
        """Return the void conclusions that no `cancel` record names yet: the change's name, and the
        position of the file in it from 0."""
        from engrain.index.conclusions import list_mistaken

        return self.ask(list_mistaken)

    def view(self) -> ContextManager[IndexView]:
        """Open the present state of the index for several questions."""
        return self._access.reading(partial(IndexView, self._find_snapshot))

    def _find_snapshot(self, connection: apsw.Connection) -> Snapshot | None:
        """Return the snapshot of the state that a connection reads; None for a process that has
        hardly searched, and for a large index."""
        self._searches += 1
        if self._searches < _FIRST:
            return None
        if self._snapshots is None:
            from engrain.index.snapshot import Snapshots

            self._snapshots = Snapshots()
        return self._snapshots.of(connection)

    def sweep(self) -> None:
        """Remove the remains of replaced indexes, with all their content."""
        guarded(self._generations.sweep)

    def close(self) -> None:
        """Release all resources."""
        self._access.close()


class Beside:
    """A second index of the same store, in a folder below that of the first which `close`
    removes."""

    def __init__(self, access: Access, generations: Generations, clock: Clock) -> None:
        from engrain.index.comparing import make_folder

        self._access = access
        self._kept = generations
        self._clock = clock
        self._folder = make_folder(generations.folder)
        self.index = SearchIndex(self._folder, clock)

    def compare(self) -> list[TableDifference]:
        """Compare all tables of the index in use with those of the second one; return what differs,
        a table each. Raises UnfitError; an index that proves damaged is marked for a rebuild."""
        from engrain.index.comparing import compare

        try:
            return compare(self._kept, self._folder)
        except UnfitError as error:
            self._access.mark_damaged(error)
            raise

    def adopt(self) -> None:
        """Put the second index into use, in the place of the first."""
        from engrain.index.comparing import path_of

        path = path_of(Generations(self._folder))
        self.index.close()  # the last connection puts its log into the file
        name = guarded(self._kept.begin, self._clock.now())
        guarded(os.replace, path, self._kept.path(name))
        self._access.replace(name)

    def close(self) -> None:
        """Remove what is left of the second index."""
        from engrain.index.comparing import remove_folder

        self.index.close()
        remove_folder(self._folder)


def _put_figures(connection: apsw.Connection, prefix: str, figures: Mapping[str, float]) -> None:
    prefix = FIGURE + prefix
    connection.execute("DELETE FROM meta WHERE substr(key, 1, length(?1)) = ?1", (prefix,))
    connection.executemany(
        "INSERT INTO meta VALUES(?, ?)", [(prefix + key, value) for key, value in figures.items()]
    )


def _change(values: tuple[Any, ...]) -> Change:
    from engrain.seam.batches import Change

    said = dict(zip(_COLUMNS, values, strict=True))
    said["locator"] = None if said["locator"] is None else Locator(said["locator"])
    said["attested"] = bool(said["attested"])
    return Change(**said)
