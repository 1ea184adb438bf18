"""What a consolidation did, as plain data and as text for a person at a terminal."""

from __future__ import annotations

from collections.abc import Iterator

from engrain.adapters.present.records import Data
from engrain.adapters.present.text import Style, clean_line, counted
from engrain.lifecycle.jobs.job import Report

_LEFT = "left"


def describe_consolidation(report: Report, *, dry_run: bool) -> Data:
    return {
        "dry_run": dry_run,
        "counts": report.counts,
        "lines": list(report.lines),
        "unfinished": report.unfinished,
    }


def consolidation_lines(report: Report, style: Style, *, dry_run: bool) -> Iterator[str]:
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
