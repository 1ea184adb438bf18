"""Entries as an index knows them, and which of them are meant."""

from __future__ import annotations

from engrain.model.note.tiers import ACTIVE, LIVE, SUPERSEDED
from engrain.model.struct import Struct

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from dataclasses import KW_ONLY

    from engrain.seam.locator import Locator


COUNTED, ATTESTED = 1, 2
"""Bits that say for whom an entry was replaced: for all, and where edits by other programs in the
operator's part are held for review. Such an edit then replaces nothing but what is external."""


class Filter(Struct):
    """Which entries are meant; of several values in a field any will do, an empty one means any.

    `projects` None means every project; otherwise entries of those projects, where "" stands for
    entries without a project. `since` and `until` bound `created`, both included, in epoch seconds;
    `held_at` asks for what held at that moment (DESIGN section 6), and with `known_at` as it was
    known at that one, so that what was recorded later says nothing; `always_load` for what every
    session gets, `unattested` for what no attested record explains; `known` leaves out what an
    import brought and nobody has used since. With `successions`, one of the
    bits above, an active or archived entry that was replaced counts as superseded; with 0 its
    status is what its file says.
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
    always_load: bool = False
    unattested: bool = False
    known: bool = False
    successions: int = 0


CURRENT = Filter(statuses=(ACTIVE,), zones=(LIVE,), successions=COUNTED)
"""What holds now: nothing that waits, was replaced, archived or forgotten."""


class Row(Struct):
    """An entry as the index knows it. Times are seconds since the epoch.

    `primary` is False for a conflict copy: another file is the entry of this id. `source` is whom
    its bytes come from, one of `model.tiers.ORIGINS`, and `attested` whether a record under the
    vault's key says so; what none explains is the operator's by hand in T2, external in T3.
    `imported` is that of `Entry`. `replaced` has the bits COUNTED and ATTESTED where another entry
    in force took its place. `tokens` is what its text costs in a prompt, by estimate, None where
    nobody has counted.
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
    tags: Sequence[str]
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
    score: float = 0.0

    def __post_init__(self) -> None:
        self.tags = tuple(self.tags)

    def status_for(self, successions: int) -> str:
        """Its status, where what was replaced counts as superseded; see `Filter.successions`."""
        return SUPERSEDED if self.replaced & successions else self.status
