"""`engrain evolve`: replace an entry by a newer one."""

from __future__ import annotations

from dataclasses import dataclass

from engrain.adapters.cli.base import ENTRY, Answer, TypedCommand, argument, option, options
from engrain.adapters.cli.reading import read_text
from engrain.adapters.present.records import answer_outcome
from engrain.api.memory import Memory


@dataclass(kw_only=True)
class EvolveCommand(TypedCommand):
    """Replace an entry by a newer one and archive the old one."""

    examples = """
engrain evolve round-tax "We round once per rate now." --reason "audit of September"
engrain evolve 01k8 - < new.md
"""
    id: str = argument(ENTRY, "ID")
    text: str = argument("the new text, or -", "TEXT")
    title: str | None = option("a new title; else the old one", "T")
    tag: list[str] = options("new tags; else the old ones", "T")
    reason: str | None = option("kept in the history", "WHY")

    def run_in(self, memory: Memory) -> Answer:
        text, reason = read_text(self.text), self.reason or ""
        outcome = memory.evolve(
            self.id, text, title=self.title, tags=self.tag or None, reason=reason
        )
        self.warn_of_others(memory, self.id, outcome.other or "", outcome.id)
        return answer_outcome(outcome)


COMMAND = EvolveCommand
