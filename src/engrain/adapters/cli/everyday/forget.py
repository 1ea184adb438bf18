"""`engrain forget`: mark entries as deleted: their files stay, recall skips them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from engrain.adapters.cli.deciding import ask, has_person
from engrain.adapters.cli.options import (
    ENTRY,
    SCOPE,
    Answer,
    Arguments,
    Command,
    read_scope,
    read_when,
    tell_others,
)
from engrain.adapters.present.records import answer_outcome, describe_outcome, describe_row
from engrain.adapters.present.text import counted, row_line, some_lines, style
from engrain.api.memory import Memory
from engrain.engine.core.outcomes import DELETED
from engrain.model.errors import NotFoundError, UsageError
from engrain.seam.rows import Row

_FILTERS = (
    "kind", "tag", "status", "tier", "since", "until", "as_of", "known_at", "older_than", "query",
)  # fmt: skip
_MOST_LISTED = 20


def _check(args: Arguments) -> None:
    filters = [name for name in _FILTERS if getattr(args, name)]
    if args.ids and filters:
        name = filters[0].replace("_", "-")
        raise UsageError(
            f"--{name} selects entries, and so do the names that are given",
            remedy="give one or the other",
        )
    if not args.ids and not filters and not args.project:
        raise UsageError(
            "forget what? Name entries, or give a filter",
            remedy="such as --tag, --project, --older-than or --query; see `engrain forget --help`",
        )


def _forget(memory: Memory, args: Arguments) -> Answer:
    reason = args.reason or ""
    if len(args.ids) == 1 and not args.dry_run:
        outcome = memory.forget(args.ids[0], reason)
        tell_others(memory, args, args.ids[0], outcome.id)
        return answer_outcome(outcome)
    if args.ids:
        rows, all_of_them = [memory.show(one).row for one in args.ids], False
    else:
        rows, all_of_them = _select(memory, args)
    if args.dry_run:
        return _tell_plan(rows, all_of_them)
    if not args.ids and not args.yes and not _confirm(args, rows, all_of_them):
        return {"forgotten": [], "total": 0}, ["nothing was forgotten"], 1
    outcomes = memory.forget_several([row.id for row in rows], reason)
    for name, row in zip(args.ids, rows, strict=False):
        tell_others(memory, args, name, row.id)
    done = [outcome for outcome in outcomes if outcome.outcome == DELETED]
    data = {"forgotten": [describe_outcome(one) for one in outcomes], "total": len(done)}
    lines = [
        *_list(rows),
        f"deleted {_count(len(done), all_of_them)}; `engrain undo` takes it back",
    ]
    return data, lines


def _select(memory: Memory, args: Arguments) -> tuple[list[Row], bool]:
    """Return the entries that the filters select, and whether these are all of the vault. Raises
    NotFoundError for none."""
    scope = read_scope(args)
    if args.older_than:
        before = read_when(args.older_than)
        scope = replace(scope, until=min(before or 0.0, scope.until or float("inf")))
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


def _tell_plan(rows: Sequence[Row], all_of_them: bool) -> Answer:
    data = {
        "would_forget": [describe_row(row) for row in rows],
        "total": len(rows),
        "all": all_of_them,
    }
    lines = [*map(row_line, rows), f"would forget {_count(len(rows), all_of_them)}"]
    return data, lines


def _confirm(args: Arguments, rows: Sequence[Row], all_of_them: bool) -> bool:
    """Ask whether to forget these. Raises UsageError where nobody can be asked, and where they are
    all entries of the vault."""
    count = _count(len(rows), all_of_them)
    if all_of_them or not has_person(args):
        why = "" if all_of_them else ", and there is no terminal to ask for confirmation"
        raise UsageError(
            f"this would forget {count}{why}", remedy="give --yes, or --dry-run to see them"
        )
    args.console.write_lines(_list(rows))
    return ask(args, f"{count}: forget them? [y/N]")


def _list(rows: Sequence[Row]) -> Iterator[str]:
    return some_lines(map(row_line, rows), _MOST_LISTED, style("dim", "and {} more"))


def _count(count: int, all_of_them: bool) -> str:
    if all_of_them:
        return f"all {counted(count, 'entry', 'entries')} of this vault"
    return counted(count, "entry", "entries")


COMMAND = Command(
    _forget,
    f"""
ids=ID*            {ENTRY}
--older-than SPAN  created longer ago than 90d, 2w, 12h, or before a date
--query TEXT       having all of these words in the title or text
--yes              do not ask whether to forget what a filter selects
--dry-run          list what would be forgotten; change nothing
--reason WHY       kept in the history
{SCOPE}
$ engrain forget 01k8 --reason "was about the old service"
$ engrain forget "Kiln of the north" old-pooler
$ engrain forget --tag scratch --dry-run
$ engrain forget --project old-shop --older-than 90d --yes
""",
    check=_check,
)
