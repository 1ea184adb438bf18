"""Compares two indexes of one store, table by table. They are equal where the kept one is what the
files say: the same entries, names, links, passages, words and changes."""

from __future__ import annotations

import os
import shutil
import tempfile

import apsw

from engrain.index.connection import connect, guarded
from engrain.index.generations import ABANDONED_S, Generations, is_older
from engrain.seam.batches import TableDifference

_NAMES = """
CREATE TEMP TABLE places_{side} AS
SELECT entry, locator FROM {side}.entries;
CREATE UNIQUE INDEX temp.place_of_{side} ON places_{side}(entry);
CREATE TEMP TABLE parts_{side} AS
SELECT p.passage, e.locator, row_number() OVER (PARTITION BY p.entry ORDER BY p.passage) AS nth
FROM {side}.passages p JOIN {side}.entries e ON e.entry = p.entry;
CREATE UNIQUE INDEX temp.part_of_{side} ON parts_{side}(passage);
CREATE VIRTUAL TABLE temp.words_{side} USING fts5vocab({side}, texts, instance);
"""
_OF_ENTRY = (
    "SELECT e.locator, {columns} FROM {{side}}.{table} t JOIN places_{{side}} e USING(entry)"
)
COMPARED = {
    "entries": (
        "SELECT locator, is_primary, replaced, zone, status, project, kind, tier, created, id,"
        " folder, hash, slug, title, tags, trust, attested, by_hand, claims, always_load, updated,"
        " valid_from, valid_to, weight, confidence, recall_count, last_recalled,"
        " sessions_since_recall, imported, tokens FROM {side}.entries"
    ),
    "sources": _OF_ENTRY.format(table="sources", columns="t.source"),
    "tags": _OF_ENTRY.format(table="tags", columns="t.tag"),
    "names": _OF_ENTRY.format(table="names", columns="t.key, t.rank"),
    "links": (
        "SELECT e.locator, t.place, t.target, t.relation, n.locator AS leads_to, t.rivals, t.key,"
        " t.origin, t.label, t.alt, t.heading, t.valid_from, t.valid_to FROM {side}.links t"
        " JOIN places_{side} e USING(entry) LEFT JOIN places_{side} n ON n.entry = t.end"
    ),
    "successions": (
        "SELECT o.locator, n.locator AS newer, t.counts FROM {side}.successions t"
        " JOIN places_{side} o ON o.entry = t.older JOIN places_{side} n ON n.entry = t.newer"
    ),
    "problems": "SELECT locator, place, reason, message, line, fatal, folder FROM {side}.problems",
    "passages": (
        "SELECT e.locator, e.nth, n.name, t.thread IS NULL, t.place, t.asks, t.key, t.speaker,"
        " t.start, t.end, t.heading, t.whole, t.twin FROM {side}.passages t"
        " JOIN parts_{side} e USING(passage) LEFT JOIN {side}.threads n ON n.thread = t.thread"
    ),
    "texts": (
        "SELECT e.locator, e.nth, t.term, t.col, t.offset FROM temp.words_{side} t"
        " LEFT JOIN parts_{side} e ON e.passage = t.doc"
    ),
    "threads": "SELECT name FROM {side}.threads",
    "changes": (
        "SELECT change, place, at, device, n, op, entry, locator, before_hash, after_hash, agent,"
        " trust, undoes, reason, attested, part_of FROM {side}.changes"
    ),
    "cancellations": "SELECT change, place FROM {side}.cancellations",
    "cursors": "SELECT device, cursor FROM {side}.cursors",
    "meta": (
        "SELECT key, value FROM {side}.meta WHERE key NOT IN ('scanned_at', 'state')"
        " AND substr(key, 1, 7) <> 'figure:' AND value <> 0"
    ),
}
"""For each table the query for its rows, with places in the stead of numbers."""
_KEPT, _REBUILT = "main", "other"
_SHOWN = 200

_BESIDE = "beside-"
"""The beginning of the name of a folder with a second index, which is compared with the first."""


def compare(kept: Generations, folder: str) -> list[TableDifference]:
    """Compare all tables of the index in use with those of the index in `folder`; return what
    differs, a table each. Raises UnfitError."""
    connection = connect(path_of(kept))
    try:
        return guarded(_compare, connection, path_of(Generations(folder)))
    finally:
        connection.close()


def make_folder(folder: str) -> str:
    """Make a folder for a second index, and remove those that killed processes left."""
    os.makedirs(folder, mode=0o700, exist_ok=True)
    made = tempfile.mkdtemp(prefix=_BESIDE, dir=folder)
    before = os.path.getmtime(made) - ABANDONED_S
    for name in os.listdir(folder):
        path = os.path.join(folder, name)
        if name.startswith(_BESIDE) and is_older(path, before):
            remove_folder(path)
    return made


def remove_folder(folder: str) -> None:
    """Remove the folder of a second index as far as possible."""
    shutil.rmtree(folder, ignore_errors=True)


def path_of(generations: Generations) -> str:
    """Return the file of the generation in use."""
    return generations.path(guarded(generations.current) or "")


def _compare(connection: apsw.Connection, path: str) -> list[TableDifference]:
    connection.execute("ATTACH ? AS other", (path,))
    connection.execute("BEGIN")  # so that all tables are of one state
    for side in (_KEPT, _REBUILT):
        connection.execute(_NAMES.format(side=side))
    found = [_compare_table(connection, table, query) for table, query in COMPARED.items()]
    connection.execute("ROLLBACK")
    return [one for one in found if one is not None]


def _compare_table(connection: apsw.Connection, table: str, query: str) -> TableDifference | None:
    kept, rebuilt = (query.format(side=side) for side in (_KEPT, _REBUILT))
    only = []
    for one, other in ((kept, rebuilt), (rebuilt, kept)):
        cursor = connection.execute(f"SELECT * FROM ({one}) EXCEPT SELECT * FROM ({other})")
        first, count = None, 0
        for row in cursor:
            first = first or row
            count += 1
        only.append((count, first))
    (more, first), (less, missing) = only
    if not more and not less:
        return None
    return TableDifference(table, more, less, _show(first), _show(missing))


def _show(row: tuple[object, ...] | None) -> str:
    if row is None:
        return ""
    return ", ".join("-" if value is None else str(value) for value in row)[:_SHOWN]
