"""`engrain rename`: rename a note and update every link to it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from engrain.adapters.cli.base import ENTRY, Answer, TypedCommand, argument, flag
from engrain.adapters.present.records import describe_pairs, fields
from engrain.adapters.present.text import (
    bold,
    clean,
    clean_line,
    counted,
    report_lines,
    some_lines,
    style,
)
from engrain.api.memory import Memory
from engrain.engine.links.renaming import Renamed

_MOST_CHANGED = 20


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
        return data, _lines(renamed)


def _lines(renamed: Renamed) -> Iterator[str]:
    said = "renamed" if renamed.changes or not renamed.changed else "would rename"
    yield f"{said} {clean_line(renamed.old_title)} to {bold(renamed.title)}"
    yield style("dim", f"  {clean(renamed.old_locator)} -> {clean(renamed.locator)}")
    yield f"  {renamed.links} links in {counted(len(renamed.changed), 'note')}"
    changed = (f"    {clean(path)}" for path in renamed.changed)
    for line in some_lines(changed, _MOST_CHANGED, "    and {} more"):
        yield style("dim", line)
    yield from report_lines(renamed.left, "  left")
    for change in renamed.changes:
        yield style("dim", f"`engrain undo {change}` takes it back")


COMMAND = RenameCommand
