"""The port to search: a derived index over the entries of one store (S1.21).

The index is a cache. `apply` updates it, one transaction per batch, and it may be deleted at any
moment without a loss. It only knows what it was given; code that returns an entry to a caller must
read the bytes again first.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager as ContextManager
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from engrain.seam.batches import Batch, Change, Problem, TableDifference
    from engrain.seam.locator import Locator
    from engrain.seam.looks import Due, IndexStatus, Most, StoreRound
    from engrain.seam.rows import Filter, Row
    from engrain.seam.view import IndexView


class Beside(Protocol):
    """A second index of the same store, in a temporary place that `close` removes."""

    index: SearchIndex

    def compare(self) -> list[TableDifference]:
        """Compare all tables of the index in use with those of the second one; return what differs,
        a table each."""

    def adopt(self) -> None:
        """Put the second index into use, in the place of the first."""

    def close(self) -> None:
        """Remove what is left of the second index."""


class SearchIndex(Protocol):
    """A derived index. Methods raise IndexUnavailableError if it can't answer; the caller then
    rebuilds it, or does without and says so."""

    def check(self) -> str | None:
        """Return why the index can't answer (missing, corrupt, of another version, …), None if it
        can. Cheap, and never raises."""

    def status(self) -> IndexStatus:
        """Return the state of the index. Never raises."""

    def exclusive(self) -> ContextManager[None]:
        """Keep other writers of the index out during a block; everything applied inside is one
        transaction, undone if the block raises. So a file that is read and applied inside can't
        overwrite the work of a later reader."""

    def building(self) -> ContextManager[None]:
        """Wait until no other process is in such a block, in which the index may be rebuilt: of
        many that find it missing only one rebuilds it."""

    def apply(self, batch: Batch) -> None:
        """Apply one batch, all or nothing; inside `exclusive` as part of its transaction."""

    def rebuild(self, batches: Iterable[Batch]) -> None:
        """Fill a new index from `batches`, and replace the old one when it is complete. Until then
        readers see the old one."""

    def beside(self) -> Beside | None:
        """Make a second, empty index beside this one, to be filled from the files and compared with
        it. Return None where there can be only one."""

    def cursors(self) -> dict[str, str]:
        """Return the last applied change of each device."""

    def groups(self) -> dict[str, str]:
        """Return the fingerprint under which each group of the store was last found unchanged;
        empty for a group with entries that never was."""

    def scanned_at(self) -> float | None:
        """Return when the whole store was last scanned, in seconds since the epoch."""

    def stamps(self, group: str | None = None) -> Iterator[tuple[str, str, str, bool]]:
        """Yield every known file, also unreadable ones, as (locator, stamp, hash, settled); only
        those directly in `group`, if given."""

    def versions(
        self, *, without: str, ids: Sequence[str] | None = None
    ) -> list[tuple[object, ...]]:
        """Return for each entry outside of a zone, or for those of some `ids`, by locator, a tuple
        that changes with the entry and its origin: (locator, hash, further values)."""

    def stamps_of(self, places: Iterable[str]) -> dict[str, str]:
        """Return the stamps of the entries at some places."""

    def due(self, after: StoreRound, most: Most) -> Due:
        """Return what a look compares that continues behind `after`, in the order of the round."""

    def marks(self, names: Iterable[str] | None = None) -> dict[str, tuple[str, int]]:
        """Return the marks and sizes of groups when they were last listed; of `names`, or of
        all."""

    def turn(self) -> StoreRound:
        """Return the progress of the looks. Never raises."""

    def note_turn(self, turn: StoreRound) -> None:
        """Store the progress of the looks. A failure costs only a repetition."""

    def note(self, **said: Any) -> None:
        """Take in a batch of these fields, which is of stamps and marks alone; see `Batch`."""

    def hash_at(self, locator: Locator) -> str | None:
        """Return the known hash of a place, None if it is unknown or unreadable."""

    def search(self, text: str, only: Filter, limit: int) -> list[Row]:
        """Return the entries that match the words of `text`, best first, ties by id, with a score
        above 0: the plain full-text ranking (BM25) of each entry's best passage. No character of
        `text` is an operator. Copies are left out."""

    def figures(self, prefix: str) -> dict[str, float]:
        """Return the figures under keys with a prefix, by the rest of their keys."""

    def put_figures(self, prefix: str, figures: Mapping[str, float]) -> None:
        """Store figures that were measured on the index, and replace all with that prefix. A
        rebuild keeps them, unless the index is lost or of another version."""

    def view(self) -> ContextManager[IndexView]:
        """Open the present state of the index for several questions."""

    def find(self, only: Filter, limit: int | None = None) -> list[Row]:
        """Return entries by filter, newest first, ties by the greater id, without copies."""

    def count(self, only: Filter) -> int:
        """Return the number of entries that `find` returns without a limit."""

    def tally(self, only: Filter) -> dict[tuple[str, str], int]:
        """Return the number of entries that `find` returns without a limit, by (kind, tier)."""

    def counters(
        self, only: Filter, ids: Sequence[str] | None = None
    ) -> dict[str, tuple[int, float | None, int]]:
        """Return for each entry of a filter (and of `ids`), by id, its recall count, its last
        recall and the number of sessions since then, as its file says."""

    def lookup(self, reference: str) -> list[Row]:
        """Return the entries that a person may mean by an id, an id's beginning (at least 4
        characters), a locator or a slug; only the entry of an exact id or locator. Copies are
        included."""

    def resolve(self, names: Sequence[str]) -> list[Row]:
        """Return the entries that a link may mean: those with the first of `names` that any entry
        has. A name is compared as a whole, folded by `name_key`, then by its last part as a
        path."""

    def links_from(self, locator: Locator) -> list[tuple[str, str]]:
        """Return the links in an entry's text and frontmatter, as (target as written, relation)."""

    def links_to(self, row: Row) -> list[tuple[Row, str]]:
        """Return every entry that links to `row`, as (entry, relation)."""

    def sources_of(self, entry: str) -> list[str]:
        """Return the ids in the `derived_from` of an entry, in order; they need not exist."""

    def derived_from(self, entries: Sequence[str]) -> list[Row]:
        """Return the entries with one of `entries` in their `derived_from`, by id, without
        copies."""

    def told_origin(self, entry: str, hash_: str) -> str | None:
        """Return the origin of an entry's bytes with that hash by its records, attested or not;
        None if only another program's edit explains them."""

    def problems(self) -> list[Problem]:
        """Return the unreadable files and the faults of the others, by locator."""

    def duplicates(self) -> list[Row]:
        """Return the conflict copies: files with the id of another file."""

    def changes(
        self,
        *,
        entry: str | None = None,
        locator: Locator | None = None,
        change: str | None = None,
        device: str | None = None,
        op: str | None = None,
        part_of: str | None = None,
        undoes: str | None = None,
        after_hash: str | None = None,
        after: int = 0,
        limit: int | None = None,
    ) -> list[Change]:
        """Return the table of changes, newest first, filtered by the arguments; `after` leaves out
        the first changes of a device's chain.

        A conclusion (`external`) about bytes that a record explains is void. Its `op` is then
        `cancelled`, and it is only returned if the caller names the op or the change.
        """

    def last_changes(self, device: str, most: int, before: int | None = None) -> list[Change]:
        """Return the last `most` changes of a device's chain (before a number, if given), by
        number, the newest first, since a clock may have been set back. A change has a row per
        file."""

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

    def among_related(self, relation: str, locators: Sequence[Locator]) -> list[Locator]:
        """Return those of the places from or to which a link with a relation leads."""

    def related(self, relation: str) -> list[tuple[Row, str]]:
        """Return every link with a relation, as (entry, target as written), by the entry's id."""

    def erasures(self) -> list[Change]:
        """Return the changes that erased entries, newest first. Cheap when there are none."""

    def mistaken(self) -> list[tuple[str, int]]:
        """Return the void conclusions that no `cancel` record names yet: the change's name, and the
        position of the file in it from 0."""

    def knows_bytes(self, locator: Locator, hash_: str) -> bool:
        """Whether a recorded change left these bytes at this place."""

    def unexplained(self, files: Sequence[tuple[Locator, str]]) -> list[tuple[Locator, str]]:
        """Return those of some places, each with the hash of its bytes, at which no recorded change
        left these bytes."""

    def absent(self, places: Iterable[Locator] | None = None) -> list[Change]:
        """Return, of some places or of all, the changes that left bytes where the index knows no
        file now, though no change says that it went: neither are their entries elsewhere, nor the
        same bytes."""

    def sweep(self) -> None:
        """Remove the remains of replaced indexes, with all their content."""

    def close(self) -> None:
        """Release all resources."""
