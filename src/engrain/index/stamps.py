"""The stamps of files and marks of folders when the index read them, and the choice of those to
compare next."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

from engrain.index.text import storable
from engrain.seam.locator import Locator
from engrain.seam.looks import Due, StoreRound

if TYPE_CHECKING:
    import apsw

    from engrain.seam.batches import Batch
    from engrain.seam.looks import Most

T = TypeVar("T")


def is_of_stamps(connection: apsw.Connection, batch: Batch) -> bool:
    """Whether a batch changes nothing but stamps and marks."""
    more = batch.documents or batch.problems or batch.records or batch.cursors
    if more or batch.scanned_at is not None:
        return False
    keys = [storable(place) for place in batch.gone]
    known = "SELECT EXISTS(SELECT 1 FROM {} WHERE locator = ?)".format
    tables = ("entries", "problems")
    return not any(connection.execute(known(one), (key,)).get for key in keys for one in tables)


def note_stamps(connection: apsw.Connection, batch: Batch) -> None:
    """Store the stamps of files and the marks of folders in a batch."""
    settled = [(stamp, storable(locator)) for locator, stamp in batch.settled]
    for table in ("entries", "problems"):
        connection.executemany(
            f"UPDATE {table} SET stamp = ?1, settled = CASE WHEN ?1 = '' THEN 0 ELSE 1 END"
            " WHERE locator = ?2",
            settled,
        )
    for table, said in (("groups", batch.groups), ("marks", batch.marks)):
        connection.executemany(
            f"DELETE FROM {table} WHERE name = ?", [(storable(name),) for name in said]
        )
    groups = [(storable(name), mark) for name, mark in batch.groups.items() if mark is not None]
    connection.executemany("INSERT INTO groups VALUES(?, ?)", groups)
    marks = [(storable(name), *mark) for name, mark in batch.marks.items() if mark is not None]
    connection.executemany("INSERT INTO marks VALUES(?, ?, ?)", marks)


# Both halves are read in the order of their indexes and merged, up to the limit.
_TURN = """
SELECT folder, locator, stamp FROM entries WHERE (folder, locator) > (?1, ?2)
UNION ALL
SELECT folder, locator, stamp FROM problems WHERE (folder, locator) > (?1, ?2) AND fatal = 1
ORDER BY folder, locator LIMIT ?3
"""
_COUNT = "SELECT count(*) FROM (SELECT 1 FROM {} LIMIT ?)"
_MARKS = "SELECT name, mark, size FROM marks WHERE name {} ? ORDER BY name LIMIT ?"
_WATCHED = """
SELECT locator, stamp FROM entries WHERE always_load = 1
UNION SELECT locator, stamp FROM (
  SELECT locator, stamp FROM entries INDEXED BY entries_set_aside
  WHERE status <> 'active' AND zone = 'live' ORDER BY entry DESC LIMIT ?
)
"""
_YOUNG = """
SELECT locator FROM entries INDEXED BY entries_read_young WHERE settled = 0
UNION ALL SELECT locator FROM problems WHERE settled = 0 AND fatal = 1 LIMIT ?
"""


def due(connection: apsw.Connection, after: StoreRound, most: Most) -> Due:
    def ask(sql: str, *values: Any) -> Any:
        return connection.execute(sql, values)

    def read_marks(after: str, limit: int) -> dict[str, tuple[str, int]]:
        sql = _MARKS.format(">" if after else ">=")  # the root's own name is empty
        return {name: (mark, size) for name, mark, size in ask(sql, after, limit)}

    def read_files(after: str, limit: int) -> dict[str, str]:
        folder = after.rpartition("/")[0]
        return {place: stamp for _, place, stamp in ask(_TURN, folder, after, limit)}

    def read_turn(
        tables: Sequence[str], read: Callable[[str, int], dict[str, T]], after: str
    ) -> tuple[bool, dict[str, T]]:
        """Return whether there are few rows, and all of them if so, else a part from `after` on."""
        few = sum(ask(_COUNT.format(table), most.whole + 1).get for table in tables) <= most.whole
        limit, after = most.whole if few else most.part, storable(after)
        found = read(after, limit)
        if after and len(found) < limit:
            found |= read("", limit - len(found))
        return few, found

    few, files = read_turn(("entries", "problems"), read_files, after.file)
    return Due(
        few,
        read_turn(("marks",), read_marks, after.group)[1],
        files,
        {} if few else dict(ask(_WATCHED, most.watched)),
        [Locator(place) for (place,) in ask(_YOUNG, most.young)],
    )


def parse_turn(text: str) -> StoreRound:
    """Parse a turn; return an initial one if the text is none."""
    since, group, file, *_ = [*text.split("\n"), "", "", ""]
    try:
        return StoreRound(group, file, float(since))
    except ValueError:
        return StoreRound()
