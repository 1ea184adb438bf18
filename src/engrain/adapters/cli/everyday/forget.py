"""`engrain forget`: mark entries as deleted: their files stay, recall skips them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from engrain.adapters.cli.base import (
    ENTRY,
    Answer,
    Filtered,
    MemoryCommand,
    arguments,
    flag,
    option,
)
from engrain.adapters.cli.deciding import ask, has_person
from engrain.adapters.present.records import answer_outcome, describe_outcome, describe_row
from engrain.adapters.present.text import counted, row_line, some_lines, style
from engrain.api.memory import Memory
from engrain.engine.core.outcomes import DELETED
from engrain.model.errors import NotFoundError, UsageError
from engrain.seam.rows import Row

_FILTERS = (
    "kind", "tag", "status", "tier", "since", "until", "as_of", "known_at", "query",
)  # fmt: skip
_MOST_LISTED = 20


@dataclass(kw_only=True)
class ForgetCommand(Filtered, MemoryCommand):
    """Mark entries as deleted: their files stay, recall skips them."""

    examples = """
engrain forget 01k8 --reason "was about the old service"
engrain forget "Kiln of the north" old-pooler
engrain forget --tag scratch --dry-run
engrain forget --project old-shop --until 90d --yes
"""
    ids: list[str] = arguments(ENTRY, "ID")
    query: str | None = option("having all of these words in the title or text", "TEXT")
    yes: bool = flag("do not ask whether to forget what a filter selects")
    dry_run: bool = flag("list what would be forgotten; change nothing")
    reason: str | None = option("kept in the history", "WHY")

    def run_in(self, memory: Memory) -> Answer:
        reason = self.reason or ""
        if len(self.ids) == 1 and not self.dry_run:
            outcome = memory.forget(self.ids[0], reason)
            self.warn_of_others(memory, self.ids[0], outcome.id)
            return answer_outcome(outcome)
        if self.ids:
            rows, all_of_them = [memory.show(one).row for one in self.ids], False
        else:
            rows, all_of_them = _select(memory, self)
        if self.dry_run:
            return _describe_plan(rows, all_of_them)
        if not self.ids and not self.yes and not _confirm(self, rows, all_of_them):
            return {"forgotten": [], "total": 0}, ["nothing was forgotten"], 1
        outcomes = memory.forget_several([row.id for row in rows], reason)
        for name, row in zip(self.ids, rows, strict=False):
            self.warn_of_others(memory, name, row.id)
        done = [outcome for outcome in outcomes if outcome.outcome == DELETED]
        data = {"forgotten": [describe_outcome(one) for one in outcomes], "total": len(done)}
        lines = [
            *_list(rows),
            f"deleted {_count(len(done), all_of_them)}; `engrain undo` takes it back",
        ]
        return data, lines

    def check(self) -> None:
        filters = [name for name in _FILTERS if getattr(self, name)]
        if self.ids and filters:
            name = filters[0].replace("_", "-")
            raise UsageError(
                f"--{name} selects entries, and so do the names that are given",
                remedy="give one or the other",
            )
        if not self.ids and not filters and not self.project:
            raise UsageError(
                "forget what? Name entries, or give a filter",
                remedy="such as --tag, --project, --until or --query; see `engrain forget --help`",
            )


def _select(memory: Memory, args: ForgetCommand) -> tuple[list[Row], bool]:
    """Return the entries that the filters select, and whether these are all of the vault. Raises
    NotFoundError for none."""
    scope = args.scope()
    project = memory.project if args.project and not args.all_projects else None
    query = args.query or ""
    found = memory.matching(scope, query=query, project=project)
    if found[0]:
        return found
    remedy = "`engrain list` shows what there is"
    elsewhere, _ = memory.matching(replace(scope, all_projects=True), query=query)
    if elsewhere and project is None:
        remedy = f"in other projects {counted(len(elsewhere), 'entry', 'entries')} would match:"
        remedy += " add --all-projects"
    raise NotFoundError("no entry matches; nothing was forgotten", remedy=remedy)


def _describe_plan(rows: Sequence[Row], all_of_them: bool) -> Answer:
    data = {
        "would_forget": [describe_row(row) for row in rows],
        "total": len(rows),
        "all": all_of_them,
    }
    lines = [*map(row_line, rows), f"would forget {_count(len(rows), all_of_them)}"]
    return data, lines


def _confirm(args: ForgetCommand, rows: Sequence[Row], all_of_them: bool) -> bool:
    """Ask whether to forget these. Raises UsageError where nobody can be asked, and where they are
    all entries of the vault."""
    count = _count(len(rows), all_of_them)
    if all_of_them or not has_person(args.console):
        why = "" if all_of_them else ", and there is no terminal to ask for confirmation"
        raise UsageError(
            f"this would forget {count}{why}", remedy="give --yes, or --dry-run to see them"
        )
    args.console.write_lines(_list(rows))
    return ask(args.console, f"{count}: forget them? [y/N]")


def _list(rows: Sequence[Row]) -> Iterator[str]:
    return some_lines(map(row_line, rows), _MOST_LISTED, style("dim", "and {} more"))


def _count(count: int, all_of_them: bool) -> str:
    if all_of_them:
        return f"all {counted(count, 'entry', 'entries')} of this vault"
    return counted(count, "entry", "entries")


COMMAND = ForgetCommand
