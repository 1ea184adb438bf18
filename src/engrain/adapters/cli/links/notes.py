"""`engrain link`, `rename` and `merge`: change how notes are called and joined."""

from __future__ import annotations

from collections.abc import Iterator

from engrain.adapters.cli.deciding import ask, has_person
from engrain.adapters.cli.options import (
    ENTRY,
    TRUST,
    Answer,
    Arguments,
    Command,
    one_of,
    open_typed,
    tell_others,
)
from engrain.adapters.present.records import answer_outcome, describe_pairs, fields
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
from engrain.lifecycle.reviewing.joining import Merged
from engrain.model.errors import UsageError
from engrain.model.links.link import RELATIONS


def _link(memory: Memory, args: Arguments) -> Answer:
    outcome = memory.link(args.id, args.to, args.relation, remove=args.remove)
    tell_others(memory, args, args.id, outcome.id)
    return answer_outcome(outcome)


LINK = Command(
    _link,
    f"""
id=ID     the entry to change: {ENTRY}
to=TO     the entry it points to, named the same way
--relation {one_of(RELATIONS)}=related_to
--remove  remove the link at both ends
$ engrain link advisory-lock pooler --relation elaborates
$ engrain link round-tax round-total --relation contradicts --remove
""",
    opens=open_typed,
)


_MOST_CHANGED = 20


def _rename(memory: Memory, args: Arguments) -> Answer:
    renamed = memory.rename(args.id, args.title, alias=args.alias, dry_run=args.dry_run)
    tell_others(memory, args, args.id, renamed.id)
    data = {
        **fields(renamed, "id title slug path=locator links changed changes"),
        "before": fields(renamed, "title=old_title path=old_locator"),
        "left": describe_pairs(renamed.left, "reason"),
    }
    return data, _lines_rename(renamed)


def _lines_rename(renamed: Renamed) -> Iterator[str]:
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


RENAME = Command(
    _rename,
    f"""
id=ID        {ENTRY}
title=TITLE  the new title
--alias      keep the old title as an alias
--dry-run    show what would change; change nothing
{TRUST}
$ engrain rename pg-lock "Advisory locks in PostgreSQL"
$ engrain rename 01k8abcd "Roadmap 2027" --alias
$ engrain rename notes/Plan.md "Plan for spring" --dry-run
""",
    opens=open_typed,
)


_MOST_NAMED = 20


def _merge(memory: Memory, args: Arguments) -> Answer:
    reason = args.reason or ""
    plan = memory.merge(args.id, args.other, reason, dry_run=True)
    both = (plan.kept.id, plan.gone.id)
    for name in (args.id, args.other):
        tell_others(memory, args, name, *both)
    if args.dry_run:
        return _describe(plan), _lines_merge(plan, "would merge")
    if not args.yes and not _confirm(args, plan):
        return {"merged": None}, ["nothing was merged"], 1
    merged = memory.merge(*both, reason)
    return _describe(merged), _lines_merge(merged, "merged")


def _confirm(args: Arguments, plan: Merged) -> bool:
    """Ask a person whether to merge. Raises UsageError for different kinds where nobody is there,
    since only one kind stays."""
    if has_person(args):
        args.console.write_lines(_lines_merge(plan, "would merge"))
        return ask(args, "Merge them? [y/N]")
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


def _lines_merge(merged: Merged, did: str) -> Iterator[str]:
    kept, gone = merged.kept, merged.gone
    yield f"{did} {clean_line(gone.title)} into {bold(kept.title)}"
    yield style("dim", f"  {clean_line(kept.id)}  {clean(kept.path)}")
    yield style("dim", f"  supersedes {clean_line(gone.id)}, which is in the archive")
    if merged.kinds:
        yield style("warning", f"  it is a {merged.kinds[0]}; the other was a {merged.kinds[1]}")
    if merged.linking:
        yield f"  links follow in {counted(len(merged.linking), 'note')}"
        places = (f"    {clean(place)}" for place in merged.linking)
        for line in some_lines(places, _MOST_NAMED, "    and {} more"):
            yield style("dim", line)
    if did == "merged":
        yield style("dim", "  `engrain undo` takes it back")


MERGE = Command(
    _merge,
    f"""
id=ID         {ENTRY}
other=OTHER   the other entry, by the same
--yes         do not ask, also where their kinds differ
--dry-run     show what would change; change nothing
--reason WHY  kept in the history
{TRUST}
$ engrain merge kiln-schedule "Firing the kiln"
$ engrain merge 01k8abcd 01k9efgh --dry-run
$ engrain merge 01k8abcd 01k9efgh --yes --json
""",
)
