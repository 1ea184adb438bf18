"""What a synthesis did, as plain data and as text for a person at a terminal."""

from __future__ import annotations

from collections.abc import Iterator

from engrain.adapters.present.records import Data
from engrain.adapters.present.text import Style, clean_line
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


def describe_synthesis(report: Report, *, dry_run: bool) -> Data:
    return {
        "dry_run": dry_run,
        "counts": report.counts,
        "lines": list(report.lines),
        "unfinished": report.unfinished,
    }


def synthesis_lines(report: Report, style: Style, *, dry_run: bool) -> Iterator[str]:
    counts = report.counts
    some = [
        (one if counts[what] == 1 else many).format(counts[what])
        for what, one, many in _MEANINGS
        if counts.get(what)
    ]
    entities = counts.get("entities", 0)
    would = "would be, of " if dry_run else "of "
    told = ", ".join(some) or "nothing new"
    yield f"{style('title', told)}  {would}{entities} {'entity' if entities == 1 else 'entities'}"
    lines = sorted(report.lines, key=lambda line: not line.startswith(_LEFT))
    for line in lines[:_MOST_LINES]:
        yield style("warning" if line.startswith(_LEFT) else "dim", f"  {clean_line(line)}")
    if len(lines) > _MOST_LINES:
        yield style("dim", f"  and {len(lines) - _MOST_LINES} more; --json has them")
