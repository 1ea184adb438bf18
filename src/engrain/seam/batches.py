"""What a search index takes in and says of itself: batches, problems, changes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, field
from typing import TYPE_CHECKING

from engrain.model.history.line import split_change

if TYPE_CHECKING:
    from engrain.model.history.record import Record
    from engrain.model.note.entry import Entry
    from engrain.seam.locator import Locator
    from engrain.seam.references import Reference


BATCH = 500
"""The most entries in a transaction, so that no writer waits long for another."""


@dataclass(slots=True, eq=False)
class Document:
    """An entry for the index, with the stamp of its bytes when they were read."""

    locator: Locator
    entry: Entry
    links: Sequence[Reference]
    stamp: str
    settled: bool

    @property
    def id(self) -> str:
        """The entry's id."""
        return self.entry.id

    @property
    def hash(self) -> str:
        """The hash of the entry's bytes."""
        return self.entry.hash


@dataclass(slots=True)
class Problem:
    """A file that can't be read as an entry, or a fault in an entry. `reason` is a short code,
    `line` is 1-based (0: the whole file). A file with a `fatal` problem has no entry."""

    locator: Locator
    reason: str
    message: str
    _: KW_ONLY
    line: int = 0
    stamp: str = ""
    settled: bool = True
    fatal: bool = True


@dataclass(slots=True)
class Batch:
    """One transaction.

    `documents` and `problems` replace what was known at their locators, `gone` locators are
    dropped, and `settled` (locator, stamp) pairs are unchanged files that were checked again (an
    empty stamp: to be checked once more). `records` are added to the table of changes, and
    `cursors` are set. `groups` have the fingerprints under which a scan found nothing more to do
    (None: forget the group), `marks` the marks and sizes of groups (None: the group is gone). A
    record in two chains of a device has moved to the chain that begins later, and the other change
    is dropped.
    """

    _: KW_ONLY
    documents: Sequence[Document] = ()
    problems: Sequence[Problem] = ()
    gone: Sequence[Locator] = ()
    settled: Sequence[tuple[Locator, str]] = ()
    records: Sequence[Record] = ()
    cursors: Mapping[str, str] = field(default_factory=dict)
    groups: Mapping[str, str | None] = field(default_factory=dict)
    marks: Mapping[str, tuple[str, int] | None] = field(default_factory=dict)
    scanned_at: float | None = None


@dataclass(slots=True)
class Change:
    """One file of one change in the table of changes. `part_of` names the first change of the
    operation that this one continues, None if it begins one. `files` is above 1 if this row
    represents a whole operation with so many files."""

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
        return (split_change(self.change) or ("", 0))[0]

    @property
    def n(self) -> int:
        """Its number in its device's chain."""
        return (split_change(self.change) or ("", 0))[1]


@dataclass(slots=True)
class TableDifference:
    """What differs in one table of two indexes: the numbers of rows that only the `kept` one and
    only the `rebuilt` one has, and an example of each in words."""

    table: str
    kept: int
    rebuilt: int
    kept_row: str = ""
    rebuilt_row: str = ""
