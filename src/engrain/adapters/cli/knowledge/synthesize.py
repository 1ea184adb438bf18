"""`engrain synthesize`: rewrite entity summaries and MEMORY.md from current facts."""

from __future__ import annotations

from engrain.adapters.cli.options import Answer, Arguments, Command
from engrain.adapters.present.records import fields
from engrain.adapters.present.text import clean_line, counted, some_lines, style
from engrain.api.memory import Memory

_MEANINGS = {
    "summaries": ("summary written", "summaries written"),
    "settled": ("fact judged anew", "facts judged anew"),
    "truncated": ("old fact cut short", "old facts cut short"),
    "patterns": ("line of MEMORY.md", "lines of MEMORY.md"),
    "own": ("summary is your own", "summaries are your own"),
    "left": ("left", "left"),
}
_LEFT = "left"
_MOST_LINES = 30


def _synthesize(memory: Memory, args: Arguments) -> Answer:
    report = memory.facts.synthesize(args.entity, dry_run=args.dry_run)
    data = {"dry_run": args.dry_run, **fields(report, "counts lines unfinished")}
    counts = report.counts
    some = [
        counted(counts[what], one, many)
        for what, (one, many) in _MEANINGS.items()
        if counts.get(what)
    ]
    written = style("title", ", ".join(some) or "nothing new")
    would = "would be, of " if args.dry_run else "of "
    first = f"{written}  {would}{counted(counts.get('entities', 0), 'entity', 'entities')}"
    shown = (
        style("warning" if line.startswith(_LEFT) else "dim", f"  {clean_line(line)}")
        for line in sorted(report.lines, key=lambda line: not line.startswith(_LEFT))
    )
    more = style("dim", "  and {} more; --json has them")
    return data, [first, *some_lines(shown, _MOST_LINES, more)]


COMMAND = Command(
    _synthesize,
    """
--entity E  only this entity, by any of its names
--dry-run   show what would be written; write nothing
$ engrain synthesize --dry-run
$ engrain synthesize
$ engrain synthesize --entity "Alice Lee"
""",
)
