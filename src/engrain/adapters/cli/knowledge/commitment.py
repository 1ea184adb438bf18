"""`engrain commitment`: promises."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import ClassVar

from engrain.adapters.cli.base import (
    ENTRY,
    AllProjects,
    Answer,
    MemoryCommand,
    argument,
    option,
    options,
)
from engrain.adapters.cli.reading import list_here
from engrain.adapters.present.outline import table_lines
from engrain.adapters.present.records import describe_outcome, fields
from engrain.adapters.present.text import day_of, elsewhere_lines, outcome_lines
from engrain.api.memory import Memory
from engrain.model.experience.commitments import BROKEN, KEPT, OPEN, STATES


@dataclass(kw_only=True)
class ListCommitments(AllProjects, MemoryCommand):
    """List promises."""

    examples = "engrain commitment list --state open"
    state: list[str] = options("only these", choices=STATES)

    def run_in(self, memory: Memory) -> Answer:
        found, elsewhere = list_here(
            lambda everywhere: memory.work.commitments(self.state, all_projects=everywhere),
            self.all_projects,
        )
        now = time.time()
        names = "id=entry.id path=entry.path title=entry.title state project=entry.project"
        listed = [
            fields(one, f"{names} hash=entry.hash")
            | {"due": None if one.due is None else day_of(one.due), "overdue": one.overdue(now)}
            for one in found
        ]
        lines = table_lines(listed, "state due overdue id title", "No commitments.")
        data = {"commitments": listed, "elsewhere": elsewhere}
        return data, [*lines, *elsewhere_lines(elsewhere)]


@dataclass(kw_only=True)
class KeepCommitment(MemoryCommand):
    """Mark a promise as kept."""

    examples = 'engrain commitment keep 01k8 --note "sent on Friday"'
    state: ClassVar[str] = KEPT
    id: str = argument(ENTRY, "ID")
    note: str | None = option("the reason, kept in the history", "TEXT")

    def run_in(self, memory: Memory) -> Answer:
        outcome = memory.work.settle_commitment(self.id, self.state, self.note or "")
        return {**describe_outcome(outcome), "state": self.state}, outcome_lines(outcome)


class BreakCommitment(KeepCommitment):
    """Mark a promise as broken."""

    examples = 'engrain commitment break weekly-report --note "the data came too late"'
    state = BROKEN


class ReopenCommitment(KeepCommitment):
    """Mark a promise as open."""

    examples = "engrain commitment reopen 01k8"
    state = OPEN


COMMAND = {
    "list": ListCommitments,
    "keep": KeepCommitment,
    "break": BreakCommitment,
    "reopen": ReopenCommitment,
}
