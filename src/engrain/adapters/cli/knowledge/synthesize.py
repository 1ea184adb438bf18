"""`engrain synthesize`: rewrite entity summaries and MEMORY.md from current facts."""

from __future__ import annotations

from collections.abc import Iterator

from engrain.adapters.cli.answer import Answer
from engrain.adapters.cli.console import Console
from engrain.adapters.cli.options import Arguments, Command, open_vault
from engrain.adapters.present.records import fields
from engrain.adapters.present.text import Style, clean_line, counted, some_lines
from engrain.api.memory import Memory
from engrain.lifecycle.jobs.job import Report

_MEANINGS = (
    ("summaries", "1 summary written", "{} summaries written"),
    ("settled", "1 fact judged anew", "{} facts judged anew"),
    ("truncated", "1 old fact cut short", "{} old facts cut short"),
    ("patterns", "1 line of MEMORY.md", "{} lines of MEMORY.md"),
    ("own", "1 summary is your own", "{} summaries are your own"),
    ("left", "1 left", "{} left"),
)
_LEFT = "left"
_MOST_LINES = 30


def _synthesize(memory: Memory, args: Arguments, console: Console) -> Answer:
    report = memory.facts.synthesize(args.entity, dry_run=args.dry_run)
    data = {"dry_run": args.dry_run, **fields(report, "counts lines unfinished")}
    return data, _lines(report, console.style, dry_run=args.dry_run)


def _lines(report: Report, style: Style, *, dry_run: bool) -> Iterator[str]:
    counts = report.counts
    some = [
        (one if counts[what] == 1 else many).format(counts[what])
        for what, one, many in _MEANINGS
        if counts.get(what)
    ]
    entities = counts.get("entities", 0)
    would = "would be, of " if dry_run else "of "
    written = ", ".join(some) or "nothing new"
    yield f"{style('title', written)}  {would}{counted(entities, 'entity', 'entities')}"
    lines = sorted(report.lines, key=lambda line: not line.startswith(_LEFT))
    shown = (
        style("warning" if line.startswith(_LEFT) else "dim", f"  {clean_line(line)}")
        for line in lines
    )
    yield from some_lines(shown, _MOST_LINES, style("dim", "  and {} more; --json has them"))


COMMAND = Command(
    _synthesize,
    """
--entity E  only this entity, by any of its names
--dry-run   show what would be written; write nothing
$ engrain synthesize --dry-run
$ engrain synthesize
$ engrain synthesize --entity "Alice Lee"
""",
    opens=open_vault,
)
