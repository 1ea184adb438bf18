"""How a skill served: what its uses came to (S2.4)."""

from __future__ import annotations

from dataclasses import dataclass

from engrain.language.text.instants import read_instant
from engrain.model.note.documents import count_of
from engrain.model.note.entry import Entry

LEAST_RELIABLE = 0.5
"""What the score of a skill is multiplied with at least, however often it failed."""


@dataclass(slots=True, eq=False)
class Service:
    """How a skill served: its `uses`, how many were a success or a failure, and when the last one
    was, in epoch seconds."""

    uses: int
    successes: int
    failures: int
    last_used: float | None

    @property
    def doubtful(self) -> bool:
        """Whether it failed more often than it served."""
        return self.failures > self.successes

    @property
    def factor(self) -> float:
        """What its score is multiplied with: 1, but for a doubtful one a half and its rate of
        success, (successes + 1) / (successes + failures + 2), the rule of succession: one failure
        gives 0.83, four give 0.67."""
        rate = (self.successes + 1) / (self.successes + self.failures + 2)
        return LEAST_RELIABLE + rate if self.doubtful else 1.0


def read_service(entry: Entry) -> Service:
    """How the skill in an entry served; what is no count is none."""
    uses, successes, failures = (
        count_of(entry.fields.get(name))
        for name in ("usage_count", "success_count", "failure_count")
    )
    return Service(uses, successes, failures, read_instant(entry.fields.get("last_used")))
