"""`engrain merge`: make one note of two."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from engrain.adapters.cli.base import ENTRY, Answer, TypedCommand, argument, flag, option
from engrain.adapters.cli.deciding import ask, has_person
from engrain.adapters.present.outline import outline_lines
from engrain.adapters.present.records import fields
from engrain.adapters.present.text import bold, style
from engrain.api.memory import Memory
from engrain.lifecycle.reviewing.joining import Merged
from engrain.model.errors import UsageError


@dataclass(kw_only=True)
class MergeCommand(TypedCommand):
    """Make one note of two; the newer text leads."""

    examples = """
engrain merge kiln-schedule "Firing the kiln"
engrain merge 01k8abcd 01k9efgh --dry-run
engrain merge 01k8abcd 01k9efgh --yes --json
"""
    id: str = argument(ENTRY, "ID")
    other: str = argument("the other entry, by the same", "OTHER")
    yes: bool = flag("do not ask, also where their kinds differ")
    dry_run: bool = flag("show what would change; change nothing")
    reason: str | None = option("kept in the history", "WHY")

    def run_in(self, memory: Memory) -> Answer:
        reason = self.reason or ""
        plan = memory.merge(self.id, self.other, reason, dry_run=True)
        both = (plan.kept.id, plan.gone.id)
        for name in (self.id, self.other):
            self.warn_of_others(memory, name, *both)
        if self.dry_run:
            return _describe(plan), _lines(plan, "would merge")
        if not self.yes and not _confirm(self, plan):
            return {"merged": None}, ["nothing was merged"], 1
        merged = memory.merge(*both, reason)
        return _describe(merged), _lines(merged, "merged")


def _confirm(args: MergeCommand, plan: Merged) -> bool:
    """Ask a person whether to merge. Raises UsageError for different kinds where nobody is there,
    since only one kind stays."""
    if has_person(args.console):
        args.console.write_lines(_lines(plan, "would merge"))
        return ask(args.console, "Merge them? [y/N]")
    if plan.kinds:
        raise UsageError(
            f"they are of different kinds, {' and '.join(plan.kinds)}: {plan.kinds[0]} would stay",
            remedy="give --yes to merge them all the same, or `engrain link` them",
        )
    return True


def _describe(merged: Merged) -> dict[str, object]:
    return {
        **fields(merged, "id=kept.id path=kept.path title=kept.title kind=kept.kind"),
        "superseded": merged.gone.id,
        "kinds": list(merged.kinds),
        "linking": list(merged.linking),
    }


def _lines(merged: Merged, did: str) -> Iterator[str]:
    yield f"{did} {merged.gone.title} into {bold(merged.kept.title)}"
    yield from outline_lines(_describe(merged))
    if did == "merged":
        yield style("dim", "`engrain undo` takes it back")


COMMAND = MergeCommand
