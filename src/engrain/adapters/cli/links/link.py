"""`engrain link`: add or remove a link between two entries."""

from __future__ import annotations

from dataclasses import dataclass

from engrain.adapters.cli.base import ENTRY, Answer, TypedCommand, argument, flag, option
from engrain.adapters.present.records import answer_outcome
from engrain.api.memory import Memory
from engrain.model.links.link import RELATIONS


@dataclass(kw_only=True)
class LinkCommand(TypedCommand):
    """Add or remove a link between two entries."""

    examples = """
engrain link advisory-lock pooler --relation elaborates
engrain link round-tax round-total --relation contradicts --remove
"""
    id: str = argument(f"the entry to change: {ENTRY}", "ID")
    to: str = argument("the entry it points to, named the same way", "TO")
    relation: str = option("", choices=RELATIONS, default="related_to")
    remove: bool = flag("remove the link at both ends")

    def run_in(self, memory: Memory) -> Answer:
        outcome = memory.link(self.id, self.to, self.relation, remove=self.remove)
        self.warn_of_others(memory, self.id, outcome.id)
        return answer_outcome(outcome)


COMMAND = LinkCommand
