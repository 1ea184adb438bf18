"""The tables of the index, and the SQL that writes them."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, TypeAlias

from engrain.index import conclusions, links, succession
from engrain.index.documents import make_rows
from engrain.index.origins import find_origins, resolve_origins
from engrain.index.snapshot import STATE
from engrain.index.stamps import note_stamps
from engrain.index.text import storable
from engrain.model.note.note import base_device, is_branch

if TYPE_CHECKING:
    import apsw

    from engrain.model.history.record import Record
    from engrain.seam.batches import Batch, Document, Problem


Values: TypeAlias = "tuple[str | int | float | None, ...]"

_SCHEMA = os.path.join(os.path.dirname(__file__), "schema.sql")

ADD_TEXTS = "INSERT INTO texts(rowid, title, tags, body) VALUES(?, ?, ?, ?)"
_SET_TEXTS = "INSERT INTO texts(texts, rank) VALUES('hashsize', ?)"
_LITTLE_TEXT, _MUCH_TEXT = 1 << 20, 16 << 20
"""The bytes of terms that are gathered in memory before they are written: FTS5's own figure, and
that for a whole index, whose segments need not be merged so often."""
DROP_TEXTS = "DELETE FROM texts WHERE rowid = ?"
_SATELLITES = ("sources", "tags", "names", "links")
"""Tables with several rows for each entry number, in the order of `make_rows`."""
_TIER, _ID = 4, 6
"""Their positions in the first tuple that `make_rows` returns."""

# If several files have one id, the primary one is the file that Engrain's latest change left at its
# place, else the one that another program made first, else one without a record. Among equals it is
# a live one, then the one with the shorter name, since synchronisers append to a copy's name.
_CHOOSE_PRIMARY = """
UPDATE entries SET is_primary = CASE WHEN entry = (
  SELECT e.entry FROM entries e LEFT JOIN changes c
    ON c.entry = e.id AND c.locator = e.locator AND c.after_hash IS NOT NULL
      AND c.op <> 'cancelled'
  WHERE e.id = ?1
  ORDER BY ifnull(c.op <> 'external', false) DESC,
    CASE WHEN c.op = 'external' THEN -c.at ELSE c.at END DESC NULLS LAST,
    c.device DESC NULLS LAST, c.n DESC NULLS LAST, e.zone <> 'live', length(e.locator), e.locator
  LIMIT 1
) THEN 1 ELSE 0 END WHERE id = ?1
"""
_CONTESTED = """
SELECT e.id FROM json_each(?) k CROSS JOIN entries e ON e.id = k.value
GROUP BY e.id HAVING count(*) > 1 OR min(e.is_primary) = 0
"""
"""The ids that have or had several files: this costs a tenth of choosing the primary one."""

# In a thread, fragments stand in the order of their creation; passages of one share a place.
_PLACE = """
UPDATE passages SET place = placed.place FROM (
  SELECT p.passage, dense_rank() OVER (ORDER BY e.created NULLS FIRST, e.id) - 1 AS place
  FROM passages p CROSS JOIN entries e ON e.entry = p.entry WHERE p.thread = ?1
) AS placed WHERE passages.passage = placed.passage AND passages.place <> placed.place
"""
_DROP_EMPTY = """
DELETE FROM threads WHERE thread = ?1 AND NOT EXISTS (SELECT 1 FROM passages WHERE thread = ?1)
"""
_COUNT = """
INSERT INTO meta VALUES(?, ?) ON CONFLICT(key) DO UPDATE SET value = meta.value + excluded.value
"""


def create_tables(connection: apsw.Connection) -> None:
    """Create the tables in an empty file."""
    with open(_SCHEMA, encoding="utf-8") as file:  # noqa: PTH123
        connection.execute(file.read())
    connection.execute(succession.INDEX)


def begin_build(connection: apsw.Connection) -> None:
    """Create the tables in an empty file that nobody else sees yet, in the transaction in which all
    batches are taken in: so a page is not written in each of them. `end_build` ends it."""
    connection.execute("BEGIN")
    create_tables(connection)
    connection.execute(_SET_TEXTS, (_MUCH_TEXT,))


def end_build(connection: apsw.Connection) -> None:
    """Find the ends of all links, and the entries that were replaced, and end the transaction."""
    links.resolve_all(connection)
    succession.resolve_all(connection)
    # Merged into one segment, so that each term is looked up once.
    connection.execute("INSERT INTO texts(texts) VALUES('optimize')")
    connection.execute(_SET_TEXTS, (_LITTLE_TEXT,))
    connection.execute("COMMIT")


def apply_batch(connection: apsw.Connection, batch: Batch, *, settle: bool = True) -> None:
    """Apply a batch within the open transaction; with `settle`, find the ends of the links that it
    adds or affects, and the entries that were replaced."""
    documents = {document.locator: document for document in batch.documents}
    problems = [(storable(problem.locator), problem) for problem in batch.problems]
    touched = {storable(locator) for locator in (*documents, *batch.gone)}
    touched.update(locator for locator, _ in problems)
    tally = _Tally()
    names = links.BatchNames(connection)
    replaced = succession.Succession(connection)
    _forget_groups(connection, touched)
    dropped = _drop(connection, touched, tally, names, replaced)
    ids = {id_ for _, _, id_ in dropped}
    _insert(connection, "problems", _problem_rows(problems))
    _insert_records(connection, batch.records)
    forgotten = _forget_moved(connection, batch.records)
    decided = conclusions.decide_conclusions(connection, batch.records, forgotten)
    numbers = _insert_documents(connection, list(documents.values()), dropped, tally)
    _order_threads(connection, tally)
    connection.execute(_COUNT, ("passages", tally.passages))
    connection.execute(_COUNT, (STATE, 1))
    recorded = {storable(id_) for record in batch.records for id_ in record.entries}
    recorded.update(storable(file.entry) for record in batch.records for file in record.files or ())
    recorded.update(entry for entry, _ in forgotten)
    changed = set(resolve_origins(connection, recorded))
    ids |= recorded | decided
    ids.update(storable(document.id) for document in documents.values())
    contested = connection.execute(_CONTESTED, (json.dumps(list(ids)),)).fetchall()
    if settle and contested:
        rivals = connection.executemany("SELECT entry FROM entries WHERE id = ?", contested)
        # New entries had no names before; those that `_drop` removed are noted already.
        met = {int(str(entry)) for (entry,) in rivals}
        names.note(met.difference(numbers))
        changed |= met
    connection.executemany(_CHOOSE_PRIMARY, contested)
    if settle:
        moved: set[int] = set()
        if numbers or dropped or contested:
            moved = links.resolve_links(connection, numbers, names.changed(numbers))
        replaced.resolve(numbers, changed, moved)
    _set(connection, "cursors", "device", "cursor", batch.cursors.items())
    note_stamps(connection, batch)
    if batch.scanned_at is not None:
        _set(connection, "meta", "key", "value", [("scanned_at", batch.scanned_at)])


def _forget_groups(connection: apsw.Connection, locators: Iterable[str]) -> None:
    """Forget the fingerprints of the folders of some files: a folder may get its old fingerprint
    back, as an empty one does, while the index knows other files of it."""
    folders = {locator.rpartition("/")[0] for locator in locators}
    connection.executemany("DELETE FROM groups WHERE name = ?", [(name,) for name in folders])


def _insert(connection: apsw.Connection, table: str, rows: Iterable[Values]) -> None:
    """Insert new rows: old ones were deleted before, which costs half as much as replacing."""
    rows = list(rows)
    if rows:
        marks = ",".join("?" * len(rows[0]))
        connection.executemany(f"INSERT INTO {table} VALUES({marks})", rows)


def _set(
    connection: apsw.Connection, table: str, key: str, value: str, pairs: Iterable[Values]
) -> None:
    """Set values by key."""
    connection.executemany(
        f"INSERT INTO {table} VALUES(?, ?)"
        f" ON CONFLICT({key}) DO UPDATE SET {value} = excluded.{value}",
        list(pairs),
    )


class _Tally:
    """Counts the passages that a batch adds, and the threads that gain or lose some."""

    __slots__ = ("passages", "threads")

    def __init__(self) -> None:
        self.passages = 0
        self.threads: set[int] = set()

    def add(self, threads: Iterable[int | None], sign: int) -> None:
        """Count passages that were added, or removed (a `sign` of -1), by their threads."""
        for thread in threads:
            self.passages += sign
            if thread is not None and thread > 0:
                self.threads.add(thread)


def _order_threads(connection: apsw.Connection, tally: _Tally) -> None:
    """Order the passages of the threads that changed, and remove empty threads."""
    threads = [(thread,) for thread in tally.threads]
    connection.executemany(_PLACE, threads)
    connection.executemany(_DROP_EMPTY, threads)


def _drop(
    connection: apsw.Connection,
    locators: Iterable[str],
    tally: _Tally,
    names: links.BatchNames,
    replaced: succession.Succession,
) -> list[tuple[int, str, str]]:
    """Remove everything at some locators; return (number, locator, id) of each entry there."""
    keys = [(locator,) for locator in locators]
    connection.executemany("DELETE FROM problems WHERE locator = ?", keys)
    found: list[tuple[int, str, str]] = connection.executemany(
        "SELECT entry, locator, id FROM entries WHERE locator = ?", keys
    ).fetchall()  # type: ignore[assignment]  # of the columns' types
    numbers = [(entry,) for entry, _, _ in found]
    names.note([entry for (entry,) in numbers])
    replaced.note([entry for (entry,) in numbers])
    connection.executemany("DELETE FROM entries WHERE entry = ?", numbers)
    for table in _SATELLITES:
        connection.executemany(f"DELETE FROM {table} WHERE entry = ?", numbers)
    passages: list[tuple[int, int | None]] = connection.executemany(
        "DELETE FROM passages WHERE entry = ? RETURNING passage, thread", numbers
    ).fetchall()  # type: ignore[assignment]  # of the columns' types
    connection.executemany(DROP_TEXTS, [(row[0],) for row in passages])
    tally.add((thread for _, thread in passages), -1)
    return found


def _problem_rows(problems: Iterable[tuple[str, Problem]]) -> Iterator[Values]:
    met: dict[str, int] = {}
    for locator, problem in problems:
        met[locator] = place = met.get(locator, -1) + 1
        yield (
            locator,
            place,
            problem.reason,
            storable(problem.message),
            problem.line,
            problem.stamp,
            problem.settled,
            problem.fatal,
            locator.rpartition("/")[0],
        )


def _insert_documents(
    connection: apsw.Connection,
    documents: list[Document],
    dropped: Sequence[tuple[int, str, str]],
    tally: _Tally,
) -> list[int]:
    """Insert entries, and return their numbers."""
    numbers = list(_number(connection, documents, dropped))
    made = [make_rows(one.entry, one.links) for one in documents]
    origins = find_origins(
        connection,
        [
            (rows[0][_ID], document.hash, rows[0][_TIER], rows[2][0])
            for document, rows in zip(documents, made, strict=True)
        ],
    )
    entries, parts = [], []
    satellites: dict[str, list[Values]] = {name: [] for name in _SATELLITES}
    for number, document, rows, origin in zip(numbers, documents, made, origins, strict=True):
        head, named, tail, *lists, thread, passages, texts = rows
        # Primary until the primary of its id is chosen, not replaced until that is settled.
        row = number, True, 0, *head, document.stamp, document.settled, *named, *origin, *tail
        entries.append(row)
        for name, values in zip(_SATELLITES, lists, strict=True):
            satellites[name] += [(number, *value) for value in values]
        parts.append((number, thread, passages, texts))
    _insert(connection, "entries", entries)
    for name, values in satellites.items():
        _insert(connection, name, values)
    _insert_passages(connection, parts, tally)
    return numbers


def _number(
    connection: apsw.Connection,
    documents: Sequence[Document],
    dropped: Sequence[tuple[int, str, str]],
) -> Iterator[int]:
    """Yield the number of each document: that of the entry that was at its place or had its id, so
    that references to an entry stay valid when it is written again or moved; else a new one."""
    by_place = {locator: number for number, locator, _ in dropped}
    by_id = {id_: number for number, _, id_ in dropped}
    free = {number for number, _, _ in dropped}
    kept: dict[int, int] = {}
    for known, name in ((by_place, "locator"), (by_id, "id")):
        for at, document in enumerate(documents):
            said = document.locator if name == "locator" else document.id
            number = known.get(storable(said))
            if at not in kept and number in free:
                kept[at] = number
                free.remove(number)
    new = connection.execute("SELECT ifnull(max(entry), 0) FROM entries").get
    new = max([new, *kept.values()])
    for at in range(len(documents)):
        if at not in kept:
            new += 1
        yield kept.get(at, new)


def _insert_passages(
    connection: apsw.Connection,
    entries: Iterable[tuple[int, str | None, list[Values], list[Values]]],
    tally: _Tally,
) -> None:
    rows: list[Values] = []
    texts: list[Values] = []
    passage = connection.execute("SELECT ifnull(max(passage), 0) FROM passages").get
    for number, name, passages, said in entries:
        thread = -number if len(passages) > 1 else None
        if name is not None:
            thread = _thread_number(connection, name)
        tally.add([thread] * len(passages), 1)
        for place, (values, text) in enumerate(zip(passages, said, strict=True)):
            passage += 1
            rows.append((passage, number, thread, place, *values))
            texts.append((passage, *text))
    _insert(connection, "passages", rows)
    connection.executemany(ADD_TEXTS, texts)


def _thread_number(connection: apsw.Connection, name: str) -> int:
    found: int | None = connection.execute("SELECT thread FROM threads WHERE name = ?", (name,)).get
    if found is not None:
        return found
    made: int = connection.execute(
        "INSERT INTO threads SELECT ifnull(max(thread), 0) + 1, ? FROM threads RETURNING thread",
        (name,),
    ).get
    return made


def _insert_records(connection: apsw.Connection, records: Iterable[Record]) -> None:
    """Insert records, and replace what was known of the same changes."""
    by_change = {record.change: record for record in records}
    connection.executemany(
        "DELETE FROM changes WHERE change = ?", [(storable(change),) for change in by_change]
    )
    _insert(
        connection, "changes", (row for item in by_change.values() for row in _change_rows(item))
    )


def _change_rows(record: Record) -> Iterator[Values]:
    files: list[tuple[str, str | None, str | None, str | None]] = [
        (file.entry, file.path, file.before_hash, file.after_hash) for file in record.files or ()
    ]
    if record.files is None:
        files = [(id_, None, None, None) for id_ in record.entries]
    for place, (id_, path, before_hash, after_hash) in enumerate(files):
        yield (
            storable(record.change),
            place,
            record.at,
            storable(record.device),
            record.n,
            storable(record.op),
            storable(id_),
            None if path is None else storable(path),
            before_hash,
            after_hash,
            storable(record.agent),
            storable(record.trust),
            record.undoes,
            storable(record.reason),
            record.attested,
            record.part_of,
        )


# A change has a row for each file, of one entry. An erased change has no files, and a conclusion
# may be void in one chain and not yet in the other; such rows match all the same.
_FORGET = """
DELETE FROM changes WHERE device = ? AND n BETWEEN ? AND ? AND EXISTS (
  SELECT 1 FROM changes c WHERE c.device = ? AND c.n = changes.n AND c.at = changes.at
    AND c.entry = changes.entry AND c.agent = changes.agent AND c.attested >= changes.attested
    AND replace(c.op, 'cancelled', 'external') = replace(changes.op, 'cancelled', 'external')
    AND (c.locator IS NULL OR changes.locator IS NULL
      OR c.after_hash IS NOT DISTINCT FROM changes.after_hash)
) RETURNING entry, locator
"""
_FIRST = "SELECT min(n) FROM changes WHERE device = ?"


def _forget_moved(
    connection: apsw.Connection, records: Iterable[Record]
) -> list[tuple[str, str | None]]:
    """Forget the changes whose records are also known in a chain that begins later, within the
    range of numbers of new `records`; return (entry, place) of each.

    If two installations wrote under one id, their records decide which of them stay in the device's
    chain and which belong to a branch. As more records arrive, some move out of the chain, or out
    of a branch into another that leaves the chain closer to them. So a record that is known in two
    chains counts in the one that begins later. A change whose record is known in no other chain is
    kept, and `check` reports it as missing.
    """
    came: dict[str, list[int]] = {}
    for record in records:
        came.setdefault(storable(record.device), []).append(record.n)
    if not came:
        return []
    known = {str(chain) for (chain,) in connection.execute("SELECT device FROM cursors")}
    forgotten: list[tuple[str, str | None]] = []
    for chain, numbers in came.items():
        family = [one for one in known.union(came) if base_device(one) == base_device(chain)]
        if len(family) > 1:
            order = sorted(family, key=lambda one: _begin(connection, one))
            place = order.index(chain)
            pairs = [(earlier, chain) for earlier in order[:place]]
            pairs += [(chain, later) for later in order[place + 1 :]]
            for old, new in pairs:
                values = (old, min(numbers), max(numbers), new)
                forgotten += connection.execute(_FORGET, values).fetchall()  # type: ignore[arg-type]
    return forgotten


def _begin(connection: apsw.Connection, chain: str) -> int:
    """Return the first number of a chain; 0 for a device's own, which begins before branches."""
    first = connection.execute(_FIRST, (chain,)).get if is_branch(chain) else 0
    return int(first or 0)
