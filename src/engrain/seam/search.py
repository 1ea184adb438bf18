"""The search port: a derived index over the entries of one store (S1.21).

The index is a cache. It is brought up to date by `apply`, one transaction a batch, and may be
deleted at any moment with nothing lost. It answers about what it was given; whoever returns an
entry to a caller reads the bytes again first.
"""

from __future__ import annotations

from abc import ABC, abstractmethod

from engrain.model.history.record import split_change
from engrain.model.struct import Struct

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from contextlib import AbstractContextManager as ContextManager
    from dataclasses import KW_ONLY
    from typing import Any

    from engrain.model.history.record import Record
    from engrain.model.note.entry import Entry
    from engrain.seam.graph import Reference
    from engrain.seam.locator import Locator
    from engrain.seam.rows import Filter, Row
    from engrain.seam.view import IndexView

BATCH = 500
"""Entries a transaction at most, so that no writer waits long for another."""


class Document:
    """An entry as the index takes it, with the stamp under which its bytes were read. One that
    another process read has no `entry` and no `links`, but the `rows` that the index makes of
    them."""

    __slots__ = ("_entry", "hash", "id", "links", "locator", "rows", "settled", "stamp")

    def __init__(
        self, locator: Locator, entry: Entry, links: Sequence[Reference], stamp: str, settled: bool
    ) -> None:
        self._entry: Entry | None = entry
        self.links = links
        self.rows: Any = None
        self._set(locator, entry.id, entry.hash, stamp, settled)

    @classmethod
    def of_rows(
        cls, locator: Locator, id_: str, hash_: str, stamp: str, settled: bool, rows: object
    ) -> Document:
        """One that was read elsewhere."""
        made = cls.__new__(cls)
        made._entry, made.links, made.rows = None, (), rows
        made._set(locator, id_, hash_, stamp, settled)
        return made

    def _set(self, locator: Locator, id_: str, hash_: str, stamp: str, settled: bool) -> None:
        self.locator = locator
        self.id = id_
        self.hash = hash_
        self.stamp = stamp
        self.settled = settled

    @property
    def entry(self) -> Entry:
        """The entry itself."""
        assert self._entry is not None, "it was read in another process"
        return self._entry


class Problem(Struct):
    """A file that can't be read as an entry, or an entry with something wrong in it. `reason` is a
    short code, `line` is 1-based (0: the whole file). `fatal` ones have no entry."""

    locator: Locator
    reason: str
    message: str
    _: KW_ONLY
    line: int = 0
    stamp: str = ""
    settled: bool = True
    fatal: bool = True


class Batch(Struct):
    """One transaction: `documents` and `problems` replace what stood at their locators, `gone` ones
    are dropped, `settled` (locator, stamp) pairs mark what was looked at again and is unchanged
    (without a stamp: it is to be looked at once more),
    `records` join the change table, `cursors` move, `groups` have the fingerprints under which a
    scan found nothing more to do (None: forget the group), `marks` the marks and sizes of groups
    (None: the group is gone). A record that is known in two chains of a device has moved into the
    chain that begins later: the other change is forgotten.
    """

    _: KW_ONLY
    documents: Sequence[Document] = ()
    problems: Sequence[Problem] = ()
    gone: Sequence[Locator] = ()
    settled: Sequence[tuple[Locator, str]] = ()
    records: Sequence[Record] = ()
    cursors: Mapping[str, str] = {}
    groups: Mapping[str, str | None] = {}
    marks: Mapping[str, tuple[str, int] | None] = {}
    scanned_at: float | None = None


class Change(Struct):
    """One file of one change, as the change table has it: enough to find and judge it. `part_of`
    names the first change of the operation that this one continues, None where it begins one.
    `files` is above 1 where this row stands for a whole operation of so many files."""

    _: KW_ONLY
    change: str
    at: float
    op: str
    entry: str
    locator: Locator | None
    before_hash: str | None
    after_hash: str | None
    agent: str
    trust: str
    undoes: str | None
    part_of: str | None = None
    reason: str = ""
    attested: bool = False
    files: int = 1

    @property
    def device(self) -> str:
        """The device in whose chain it is."""
        name = split_change(self.change)
        return name[0] if name else ""

    @property
    def n(self) -> int:
        """Its place in its device's chain."""
        name = split_change(self.change)
        return name[1] if name else 0


class IndexStatus(Struct):
    """How an index stands: whether it can answer, how much it holds, when it last saw it all.
    `ready` is False when it is missing, corrupt or of another schema, and `reason` says which."""

    ready: bool
    reason: str = ""
    entries: int = 0
    problems: int = 0
    scanned_at: float | None = None


class Turn(Struct):
    """How far a round over the store has come: the last group and the last file that were compared,
    "" at its start, and when it began, in seconds since the epoch."""

    group: str = ""
    file: str = ""
    since: float = 0.0


class Most(Struct):
    """How much one look takes: all groups if these are no more than `whole`, else `part`, and
    likewise of the files. Besides, it compares at most so many files that are `watched`, and reads
    again at most so many that were read `young`."""

    whole: int
    part: int
    watched: int
    young: int


class Due(Struct):
    """What a look is to compare: the marks and sizes of groups, the stamps of files, and those of
    files which are watched, because a change of them takes effect at once. `is_whole` says that
    these are all files there are. `young` files may have changed within their stamps' grain since
    they were read."""

    is_whole: bool
    groups: Mapping[str, tuple[str, int]]
    files: Mapping[str, str]
    watched: Mapping[str, str]
    young: Sequence[Locator]


class SearchIndex(ABC):
    """A derived index. Methods raise IndexUnavailableError when it can't answer; the caller then
    rebuilds it, or does without and says so."""

    @abstractmethod
    def check(self) -> str | None:
        """Why the index can't answer (missing, corrupt, of another version, …), None when it can.
        Cheap, and never raises."""

    @abstractmethod
    def status(self) -> IndexStatus:
        """How the index stands, with counts. Never raises."""

    @abstractmethod
    def exclusive(self) -> ContextManager[None]:
        """Keep every other writer of the index out until the block ends; what is applied inside is
        one transaction, undone if the block raises. Who reads a file inside and applies it can't
        overwrite a later reader's work."""

    @abstractmethod
    def building(self) -> ContextManager[None]:
        """Wait until no other process is in such a block; whoever is in it may rebuild. Of many
        that find the index missing one rebuilds it so, and the others find it there."""

    @abstractmethod
    def apply(self, batch: Batch) -> None:
        """Take in one batch, all or nothing; inside `exclusive` as part of its transaction."""

    @abstractmethod
    def rebuild(self, batches: Iterable[Batch]) -> None:
        """Fill a new index from `batches` and put it in the place of the old one at once. Readers
        see the old one until the new one is whole."""

    @abstractmethod
    def cursors(self) -> dict[str, str]:
        """The last change taken in, per device."""

    @abstractmethod
    def groups(self) -> dict[str, str]:
        """The fingerprint under which each group of the store was last found as it is known;
        empty for one that has entries and was not found so yet."""

    @abstractmethod
    def scanned_at(self) -> float | None:
        """When a scan last saw the whole store, in seconds since the epoch."""

    @abstractmethod
    def stamps(self, group: str | None = None) -> Iterator[tuple[str, str, str, bool]]:
        """Every file known, unreadable ones included, as (locator, stamp, hash, settled); only
        those right in one group if that is named."""

    @abstractmethod
    def versions(self, *, without: str) -> Iterator[tuple[object, ...]]:
        """A stamp that changes when an entry, or its origin, changes, for each entry but
        those of a zone, by locator: (locator, hash, and what else counts)."""

    @abstractmethod
    def stamps_of(self, places: Iterable[str]) -> dict[str, str]:
        """The stamps of the entries at some places."""

    @abstractmethod
    def due(self, after: Turn, most: Most) -> Due:
        """What a look compares whose turn begins behind `after`; in the order of the turn."""

    @abstractmethod
    def marks(self, names: Iterable[str] | None = None) -> dict[str, tuple[str, int]]:
        """The marks and sizes under which groups were last listed; of those named, or of all."""

    @abstractmethod
    def turn(self) -> Turn:
        """How far the looks have come. Never raises."""

    @abstractmethod
    def note_turn(self, turn: Turn) -> None:
        """Keep how far the looks have come. What can't be kept is lost, and costs a repetition."""

    @abstractmethod
    def hash_at(self, locator: Locator) -> str | None:
        """The hash under which a place is known, None when it is not or can't be read."""

    @abstractmethod
    def search(self, text: str, only: Filter, limit: int) -> list[Row]:
        """Entries that match the words of `text`, best first, ties by id; score above 0. The bare
        full-text ranking (BM25) of each entry's best passage. `text` is a person's words: no
        character in it is an operator. Copies are left out."""

    @abstractmethod
    def figures(self, prefix: str) -> dict[str, float]:
        """The figures that were put under keys with a prefix, by the rest of their keys."""

    @abstractmethod
    def put_figures(self, prefix: str, figures: Mapping[str, float]) -> None:
        """Keep figures that were measured on what the index holds, in the place of all under that
        prefix. A rebuild takes them along; an index that is lost or of another version does not."""

    @abstractmethod
    def view(self) -> ContextManager[IndexView]:
        """The index as it stands now, for several questions in a row."""

    @abstractmethod
    def find(self, only: Filter, limit: int | None = None) -> list[Row]:
        """Entries by filter alone, newest first, ties by the greater id. Copies are left out."""

    @abstractmethod
    def count(self, only: Filter) -> int:
        """How many entries `find` would give without a limit."""

    @abstractmethod
    def tally(self, only: Filter) -> dict[tuple[str, str], int]:
        """How many entries `find` would give without a limit, by (kind, tier)."""

    @abstractmethod
    def counters(
        self, only: Filter, ids: Sequence[str] | None = None
    ) -> dict[str, tuple[int, float | None, int]]:
        """For each entry of a filter (and of some ids), by id, its recall count, when it was last
        recalled and how many sessions had passed since then, as its file says."""

    @abstractmethod
    def lookup(self, reference: str) -> list[Row]:
        """Entries a person may mean: by id, an id's beginning (4 characters and more), locator or
        slug. An exact id or locator excludes the rest. Copies are included."""

    @abstractmethod
    def resolve(self, names: Sequence[str]) -> list[Row]:
        """Entries a link may mean: those of the first of `names` that any entry goes by. A name is
        compared as a whole, as `model.folding.name_key` folds it, then as a path by its last
        part."""

    @abstractmethod
    def links_from(self, locator: Locator) -> list[tuple[str, str]]:
        """Every link in an entry's text and frontmatter, as (target as written, relation)."""

    @abstractmethod
    def links_to(self, row: Row) -> list[tuple[Row, str]]:
        """Every entry that links to `row`, as (entry, relation)."""

    @abstractmethod
    def sources_of(self, entry: str) -> list[str]:
        """The ids that an entry names in `derived_from`, in order; they need not be there."""

    @abstractmethod
    def derived_from(self, entries: Sequence[str]) -> list[Row]:
        """The entries that name one of `entries` in their `derived_from`, in the order of their
        ids. Copies are left out."""

    @abstractmethod
    def told_origin(self, entry: str, hash_: str) -> str | None:
        """Whom an entry's bytes of that hash come from as its records say, attested or not; None
        where none but another program's edit explains them."""

    @abstractmethod
    def problems(self) -> list[Problem]:
        """Every file that can't be read and everything wrong in those that can, by locator."""

    @abstractmethod
    def duplicates(self) -> list[Row]:
        """Conflict copies: files whose id another file has."""

    @abstractmethod
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
        """The change table, newest first, filtered by what is given; `after` leaves out the first
        so many of a device's chain.

        A conclusion (`external`) about bytes that a record explains is void. Its `op` is then
        `cancelled`, and it is given only to a caller who names the op or the change.
        """

    @abstractmethod
    def last_changes(self, device: str, most: int, before: int | None = None) -> list[Change]:
        """The last `most` changes of a device's chain, or the last before a number, the newest
        first by number: a clock may have been set back. One of several files is several rows."""

    @abstractmethod
    def operations(
        self,
        ops: Sequence[str],
        limit: int | None = None,
        since: float | None = None,
        until: float | None = None,
    ) -> list[Change]:
        """The change table, newest first, with one row for each operation: without the changes that
        continue an earlier one, and with the first file alone of those whose op is one of `ops`.
        `since` and `until` bound when, both included, in epoch seconds."""

    @abstractmethod
    def among_related(self, relation: str, locators: Sequence[Locator]) -> list[Locator]:
        """Those of some places from or to which a link with a relation leads."""

    @abstractmethod
    def related(self, relation: str) -> list[tuple[Row, str]]:
        """Every link with a relation, as (entry, target as written), by the entry's id."""

    @abstractmethod
    def erasures(self) -> list[Change]:
        """The changes by which entries were erased, newest first. Cheap when there are none."""

    @abstractmethod
    def mistaken(self) -> list[tuple[str, int]]:
        """The conclusions that are void and that no `cancel` record names yet: the change's name
        and the place of the file in it, counted from 0."""

    @abstractmethod
    def knows_bytes(self, locator: Locator, hash_: str) -> bool:
        """Whether some recorded change left these bytes at this place."""

    @abstractmethod
    def sweep(self) -> None:
        """Remove what is left of indexes that were replaced, so that nothing they held stays."""

    @abstractmethod
    def close(self) -> None:
        """Give back what is held open."""
