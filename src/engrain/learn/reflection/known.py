"""What the vault knows of what the operator said, to compare a new statement with (S1.15)."""

from __future__ import annotations

from engrain.learn.reflection.rules import (
    DECISION,
    FEEDBACK,
    FIX,
    IDEA,
    INSIGHT,
    PREFERENCE,
    WORKFLOW,
)
from engrain.learn.reflection.statements import (
    DOUBTFUL,
    OTHER,
    SAME,
    TURNED,
    Claim,
    compare_claims,
)
from engrain.model.tiers import ACTIVE, INBOX, SUPERSEDED
from engrain.seam.rows import Filter

TYPE_CHECKING = False
if TYPE_CHECKING:
    from engrain.engine.store import Store
    from engrain.seam.rows import Row

KINDS = (PREFERENCE, FEEDBACK, WORKFLOW, DECISION, FIX, INSIGHT, IDEA)
_RANKS = (SAME, TURNED, DOUBTFUL)


class Known:
    """One statement in the vault: `said` is when it was made, in epoch seconds, `ended` until when
    it held where it was replaced or archived, and `learned` whether it is the agent's own to
    replace."""

    __slots__ = ("claim", "ended", "id", "learned", "project", "said", "status")

    def __init__(
        self,
        id: str,  # noqa: A002 - the field's name everywhere
        title: str,
        *,
        status: str = ACTIVE,
        project: str = "",
        said: float | None = None,
        ended: float | None = None,
        learned: bool = True,
    ) -> None:
        self.id = id
        self.claim = Claim(title)
        self.status = status
        self.project = project
        self.said = said
        self.ended = ended
        self.learned = learned

    @property
    def waits(self) -> bool:
        """Whether it is in the inbox."""
        return self.status == INBOX


class KnownStatements:
    """The statements of a vault, and those that are added meanwhile."""

    def __init__(self, store: Store) -> None:
        rows = store.index.find(Filter(kinds=KINDS))
        self._all = {row.id: _read(row) for row in rows if row.primary}

    def add(self, known: Known) -> None:
        """One that is there from now on, or is another than it was."""
        self._all[known.id] = known

    def find(self, title: str, project: str, at: float | None) -> tuple[str, Known | None]:
        """What a statement that was made at a moment is to what is known, and to which of it: SAME
        before TURNED before DOUBTFUL. One that was replaced or archived since then counts as known,
        one that was so before is none."""
        found: dict[str, Known] = {}
        claim = Claim(title)
        for known in self._all.values():
            if known.project not in ("", project):
                continue
            relation = compare_claims(claim, known.claim)
            if relation == OTHER or relation in found:
                continue
            if known.status not in (ACTIVE, INBOX) and (relation != SAME or _is_over(known, at)):
                continue
            if relation != SAME and known.project != project:
                continue  # what holds in one project is no word against what holds elsewhere
            found[relation] = known
        return next(((rank, found[rank]) for rank in _RANKS if rank in found), (OTHER, None))

    def find_line(self, title: str, project: str) -> list[Known]:
        """What a statement takes back or was taken back by, the oldest first: what was learned in
        its project and has a date, whether it still holds or was replaced."""
        claim = Claim(title)
        line = [
            known
            for known in self._all.values()
            if known.project == project
            and known.learned
            and known.said is not None
            and known.status in (ACTIVE, SUPERSEDED)
            and compare_claims(claim, known.claim) == TURNED
        ]
        return sorted(line, key=lambda known: known.said or 0.0)


def _is_over(known: Known, at: float | None) -> bool:
    """Whether a statement was replaced or archived before the same was said once more. What was
    forgotten stays so."""
    if known.status not in (SUPERSEDED, "archived") or known.ended is None:
        return False
    return at is not None and at > known.ended


def _read(row: Row) -> Known:
    return Known(
        row.id,
        row.title,
        status=row.status,
        project=row.project or "",
        said=row.created if row.valid_from is None else row.valid_from,
        ended=row.updated if row.valid_to is None else row.valid_to,
        learned=row.tier == "T3" and row.source != "operator",
    )
