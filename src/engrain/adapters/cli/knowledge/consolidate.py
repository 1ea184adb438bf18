"""`engrain consolidate`: derive patterns and mistakes to avoid from episodes."""

from __future__ import annotations

from collections.abc import Iterator

from engrain.adapters.cli.answer import Answer
from engrain.adapters.cli.console import Console
from engrain.adapters.cli.options import Arguments, Command, open_vault, read_when
from engrain.adapters.present.records import fields
from engrain.adapters.present.text import Style, clean_line, counted
from engrain.api.memory import Memory
from engrain.lifecycle.jobs.job import Report

_LEFT = "left"


def _consolidate(memory: Memory, args: Arguments, console: Console) -> Answer:
    project = getattr(args, "project", None)
    since = read_when(args.since)
    report = memory.episodes.consolidate(since=since, project=project, dry_run=args.dry_run)
    data = {"dry_run": args.dry_run, **fields(report, "counts lines unfinished")}
    return data, _lines(report, console.style, dry_run=args.dry_run)


def _lines(report: Report, style: Style, *, dry_run: bool) -> Iterator[str]:
    counts = report.counts
    episodes = counts.get("episodes", 0)
    some = [
        f"{count} {what.removesuffix('s') if count == 1 else what}"
        for what, count in counts.items()
        if count and what != "episodes"
    ]
    found = ", ".join(some) or "nothing new"
    would = "would be, of " if dry_run else "of "
    yield f"{style('title', found)}  {would}{counted(episodes, 'episode')}"
    for line in report.lines:
        yield style("dim" if line.startswith(_LEFT) else "good", f"  {clean_line(line)}")


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
    opens=open_vault,
)
