"""`engrain archive`: put an entry away."""

from __future__ import annotations

from dataclasses import dataclass

from engrain.adapters.cli.base import ENTRY, Answer, TypedCommand, argument, option
from engrain.adapters.present.records import answer_outcome
from engrain.api.memory import Memory


@dataclass(kw_only=True)
class ArchiveCommand(TypedCommand):
    """Archive an entry: a summary stays, the original is in the history."""

    examples = """
engrain archive old-pooler --reason "the pooler is gone"
engrain archive 01k8 --trust operator
"""
    id: str = argument(ENTRY, "ID")
    reason: str | None = option("kept in the history", "WHY")

    def run_in(self, memory: Memory) -> Answer:
        outcome = memory.archive(self.id, self.reason or "")
        self.warn_of_others(memory, self.id, outcome.id)
        return answer_outcome(outcome)


COMMAND = ArchiveCommand
