"""`engrain consolidate`: derive patterns and mistakes to avoid from episodes."""

from __future__ import annotations

from engrain.adapters.cli.options import Answer, Arguments, Command, read_when
from engrain.adapters.present.records import fields
from engrain.adapters.present.text import clean_line, counted, style
from engrain.api.memory import Memory


def _consolidate(memory: Memory, args: Arguments) -> Answer:
    project = args.project
    since = read_when(args.since)
    report = memory.episodes.consolidate(since=since, project=project, dry_run=args.dry_run)
    data = {"dry_run": args.dry_run, **fields(report, "counts lines unfinished")}
    some = [
        counted(count, what.removesuffix("s"), what)
        for what, count in report.counts.items()
        if count and what != "episodes"
    ]
    found = style("title", ", ".join(some) or "nothing new")
    would = "would be, of " if args.dry_run else "of "
    lines = [f"{found}  {would}{counted(report.counts.get('episodes', 0), 'episode')}"]
    for line in report.lines:
        lines.append(style("dim" if line.startswith("left") else "good", f"  {clean_line(line)}"))
    return data, lines


COMMAND = Command(
    _consolidate,
    """
--since WHEN  look again at episodes since: a date, or 7d, 12h; else consolidate.hours. Those that
              no pattern refers to are looked at in any case
--dry-run     show what would be written; write nothing
$ engrain consolidate
$ engrain consolidate --dry-run
$ engrain consolidate --since 7d --project billing
""",
)
