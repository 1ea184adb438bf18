"""`engrain rename`: rename a note and update every link to it."""

from __future__ import annotations

from dataclasses import dataclass

from engrain.adapters.cli.base import ENTRY, Answer, TypedCommand, argument, flag
from engrain.adapters.present.outline import outline_lines
from engrain.adapters.present.records import describe_pairs, fields
from engrain.api.memory import Memory


@dataclass(kw_only=True)
class RenameCommand(TypedCommand):
    """Rename a note and update every link to it."""

    examples = """
engrain rename pg-lock "Advisory locks in PostgreSQL"
engrain rename 01k8abcd "Roadmap 2027" --alias
engrain rename notes/Plan.md "Plan for spring" --dry-run
"""
    id: str = argument(ENTRY, "ID")
    title: str = argument("the new title", "TITLE")
    alias: bool = flag("keep the old title as an alias")
    dry_run: bool = flag("show what would change; change nothing")

    def run_in(self, memory: Memory) -> Answer:
        renamed = memory.rename(self.id, self.title, alias=self.alias, dry_run=self.dry_run)
        self.warn_of_others(memory, self.id, renamed.id)
        data = {
            **fields(renamed, "id title slug path=locator links changed changes"),
            "before": fields(renamed, "title=old_title path=old_locator"),
            "left": describe_pairs(renamed.left, "reason"),
        }
        said = "renamed" if renamed.changes or not renamed.changed else "would rename"
        undo = [f"`engrain undo {change}` takes it back" for change in renamed.changes]
        first = f"{said} {renamed.old_title} to {renamed.title}"
        return data, [first, *outline_lines(data), *undo]


COMMAND = RenameCommand
