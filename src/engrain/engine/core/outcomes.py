"""The results of the verbs, and the explanation of a recall, as plain values that the CLI, MCP and
the API can show."""

from __future__ import annotations

from dataclasses import KW_ONLY, InitVar, dataclass, field
from typing import TYPE_CHECKING

from engrain.seam.locator import Locator

if TYPE_CHECKING:
    from engrain.model.note.entry import Entry
    from engrain.seam.rows import Row


CREATED = "created"
UNCHANGED = "unchanged"
RESTORED = "restored"
SIMILAR = "similar"
UPDATED = "updated"
DELETED = "deleted"
TRUSTED = "trust changed"
STAYS_DELETED = "stays deleted"
KEPT = "kept"
LEFT_OUT = "left out"
"""Outcomes of an imported document: its entry got another origin; the entry was deleted here and
stays deleted; both changed, and the entry stays as it is; the document can't be imported."""
COPY = "conflict copy"
"""The outcome of a document that a synchroniser copied from another one, which comes in instead."""
COPIED = "copied"
"""The outcome of a file that is no document, such as an image."""


@dataclass(slots=True, eq=False)
class Outcome:
    """The result of a write: `outcome` is one of the words above, `hash` that of the present file.

    `decided` has each field that the caller left open, with its value and the tier that decided it
    (S1.22). `other` is the id of the entry that the outcome refers to: the similar or the
    superseded one. `redacted` names the rules by which secrets in the input were replaced.
    `proposals` are the ids of proposals made because the operator has to decide. `like` is an older
    entry that seems to be about the same thing, where a caller looked for one.
    """

    outcome: str
    entry: InitVar[Entry]
    _: KW_ONLY
    decided: dict[str, tuple[str, str]] = field(default_factory=dict)
    other: str | None = None
    redacted: tuple[str, ...] = ()
    id: str = field(init=False)
    locator: Locator = field(init=False)
    hash: str = field(init=False)
    kind: str = field(init=False)
    title: str = field(init=False)
    proposals: tuple[str, ...] = field(init=False, default=())
    like: Row | None = field(init=False, default=None)

    def __post_init__(self, entry: Entry) -> None:
        self.id = entry.id
        self.locator = Locator(entry.path)
        self.hash = entry.hash
        self.kind = entry.kind
        self.title = entry.title


_SKIPPED = "skipped"
_SUMS = {
    "added": (CREATED, SIMILAR),
    "changed": (UPDATED, TRUSTED, RESTORED),
    "unchanged": (UNCHANGED,),
    _SKIPPED: (),
    "refused": (LEFT_OUT,),
}
"""The outcomes that each sum adds up; all other outcomes count as skipped."""


@dataclass(slots=True, eq=False)
class Imported:
    """The result of an import. `counts` has the documents by outcome, each counted once, `attached`
    the files that notes link to or embed, by outcome. `problems` has what could not be imported, or
    not unchanged; `deleted` the labels and ids of entries that were deleted here and stay so;
    `statuses` the notes of a folder by their status; `unread` the documents whose frontmatter
    became part of their text, with the reason; `passed_over` the files and folders that stayed out,
    with the reason and the number of files; `withheld` what only the operator may let in. `links`
    counts all links of the notes, `ambiguous` those that may mean several
    notes, `broken` those that lead nowhere, and `redacted` the files in which a secret was
    replaced."""

    deleted: list[tuple[str, str]] = field(default_factory=list, init=False)
    withheld: list[str] = field(default_factory=list, init=False)
    statuses: dict[str, int] = field(default_factory=dict, init=False)
    unread: list[tuple[str, str]] = field(default_factory=list, init=False)
    passed_over: list[tuple[str, str, int]] = field(default_factory=list, init=False)
    counts: dict[str, int] = field(default_factory=dict, init=False)
    attached: dict[str, int] = field(default_factory=dict, init=False)
    problems: list[tuple[str, str]] = field(default_factory=list, init=False)
    tiers: dict[str, int] = field(default_factory=dict, init=False)
    links: int = field(default=0, init=False)
    ambiguous: int = field(default=0, init=False)
    broken: int = field(default=0, init=False)
    redacted: int = field(default=0, init=False)

    @property
    def documents(self) -> int:
        """The number of documents in the import."""
        return sum(self.counts.values())

    @property
    def sums(self) -> dict[str, int]:
        """The number of documents that were read; and, adding up to it, of those that were added,
        changed here, left unchanged, skipped because of an existing entry, or refused because they
        can't be imported."""
        sums = {"read": self.documents, **dict.fromkeys(_SUMS, 0)}
        for outcome, count in self.counts.items():
            sums[next((key for key, of in _SUMS.items() if outcome in of), _SKIPPED)] += count
        return sums

    def count(self, outcome: str) -> None:
        """Count a document with its outcome."""
        self.counts[outcome] = self.counts.get(outcome, 0) + 1

    def add(self, other: Imported) -> None:
        """Add the result of another import."""
        for sums, counts in (
            (self.counts, other.counts),
            (self.tiers, other.tiers),
            (self.statuses, other.statuses),
            (self.attached, other.attached),
        ):
            for what, count in counts.items():
                sums[what] = sums.get(what, 0) + count
        self.problems += other.problems
        self.deleted += other.deleted
        self.withheld += other.withheld
        self.unread += other.unread
        self.passed_over += other.passed_over
        self.links += other.links
        self.ambiguous += other.ambiguous
        self.broken += other.broken
        self.redacted += other.redacted

    def report(self, label: str, message: str) -> None:
        """Record why something could not be imported, or not unchanged."""
        self.problems.append((label, message))
