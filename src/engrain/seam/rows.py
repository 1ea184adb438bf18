"""Entries as an index knows them, filters for them, and the edges between them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass, field
from typing import TYPE_CHECKING

from engrain.model.note.tiers import ACTIVE, LIVE, SUPERSEDED

if TYPE_CHECKING:
    from engrain.seam.locator import Locator


COUNTED, ATTESTED = 1, 2
"""Bits that say when an entry counts as replaced: always, and when edits by other programs in the
operator's part need a review. Such an edit then replaces only external entries."""


@dataclass(frozen=True, slots=True)
class Filter:
    """Conditions for entries; one of the values of a field must fit, and an empty field fits all.

    `projects` None means every project, and "" among them entries without one. `since` and `until`
    bound `created`, both included, in epoch seconds. `held_at` selects what held at that moment
    (DESIGN section 6), with `known_at` as it was known at that other moment, without later records.
    `lasting` leaves out what had ended by that moment: its `valid_to` is then or earlier.
    `always_load` selects what every session gets, `unattested` what no attested record explains;
    `known` excludes imported entries that nobody has used, `lessons` the episodes and learnings
    that the operator does not vouch for. With `successions`, one of the bits above, a replaced
    entry that is active or archived counts as superseded; with 0 its status is that of its file.
    """

    _: KW_ONLY
    kinds: Sequence[str] = ()
    tags: Sequence[str] = ()
    projects: Sequence[str] | None = None
    statuses: Sequence[str] = ()
    tiers: Sequence[str] = ()
    zones: Sequence[str] = ()
    since: float | None = None
    until: float | None = None
    held_at: float | None = None
    known_at: float | None = None
    lasting: float | None = None
    always_load: bool = False
    unattested: bool = False
    known: bool = False
    lessons: bool = False
    successions: int = 0


CURRENT = Filter(statuses=(ACTIVE,), zones=(LIVE,), successions=COUNTED)
"""Entries in force: not waiting for review, replaced, archived or deleted."""


@dataclass(slots=True, eq=False)
class Row:
    """An entry as the index knows it. Times are seconds since the epoch.

    `primary` is False for a conflict copy, whose id belongs to another file. `source` is the origin
    of its bytes, one of `tiers.ORIGINS`, and `attested` says that a record under the vault's key
    proves it; without a record the origin is the operator in T2, external in T3. `imported` is that
    of `Entry`. `replaced` has the bits COUNTED and ATTESTED if another entry in force replaced it.
    `tokens` is the estimated cost of its text in a prompt, None if unknown. `by_hand` says that
    only a person at this device can have left its bytes in T3 (see `index.origins`).
    """

    locator: Locator
    id: str
    hash: str
    kind: str
    slug: str
    title: str
    status: str
    project: str | None
    tier: str
    zone: str
    tags: tuple[str, ...]
    source: str
    created: float | None
    updated: float | None
    primary: bool
    valid_from: float | None = None
    valid_to: float | None = None
    weight: float | None = None
    confidence: float | None = None
    always_load: bool = False
    attested: bool = False
    replaced: int = 0
    imported: int = 0
    tokens: int | None = None
    by_hand: bool = False
    score: float = field(default=0.0, init=False)

    def status_for(self, successions: int) -> str:
        """Return the row's status; a replaced entry may count as superseded, see
        `Filter.successions`."""
        return SUPERSEDED if self.replaced & successions else self.status


TEXT, FIELD, FACT, CHAIN, SOURCE = "text", "field", "fact", "chain", "source"
ORIGINS = (TEXT, FIELD, FACT, CHAIN, SOURCE)
"""The text, the frontmatter, a fact's edge, `supersedes`, and `derived_from`."""
LINKED = (TEXT, FIELD)
"""The origins that are explicit links."""


@dataclass(slots=True)
class Edge:
    """An edge from the entry `source` to the entry `target`, both by number."""

    source: int
    target: int
    relation: str
    origin: str
    valid_from: float | None = None
    valid_to: float | None = None

    def holds(self, at: float) -> bool:
        """Whether it holds at a moment; without bounds it always holds."""
        begun = self.valid_from is None or self.valid_from <= at
        return begun and (self.valid_to is None or at < self.valid_to)


RESOLVED, AMBIGUOUS, BROKEN = "resolved", "ambiguous", "broken"
STATES = (RESOLVED, AMBIGUOUS, BROKEN)
