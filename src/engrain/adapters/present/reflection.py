"""What a reflection came to, and what triage did, as data and as lines for a person."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from engrain.adapters.present.records import Data, instant_of
from engrain.adapters.present.sources import describe_problems, problem_lines
from engrain.adapters.present.text import Style, clean, clean_line, counted
from engrain.learn.reflection.lanes import Routed
from engrain.learn.reflection.run import Reflected
from engrain.learn.sources.read_counts import ReadCounts
from engrain.lifecycle.jobs.job import Report

_LANES = {
    "high": "said outright",
    "medium": "likely: proposed once three sessions had it",
    "low": "vague: waits in the inbox",
}
_OUTCOMES = {
    "created": "kept",
    "superseding": "kept, and replaces what was said before",
    "disputed": "kept, and contradicts what is known",
    "filed": "filed from the inbox",
    "met again": "met again",
    "counted": "counted",
    "known": "known",
    "forgotten": "was forgotten, and stays so",
    "outdated": "said before what holds now",
    "refused": "can't be kept",
}
_STYLES = {
    "superseding": "warning",
    "disputed": "warning",
    "refused": "warning",
    "counted": "dim",
    "known": "dim",
    "forgotten": "dim",
    "outdated": "dim",
}
_MOST_LINES = 50


def describe_reflection(done: Reflected, read_counts: ReadCounts, *, dry_run: bool) -> Data:
    return {
        "dry_run": dry_run,
        "form": done.form,
        "sessions": len(done.sessions),
        "lanes": {
            lane: [_describe(routed) for routed in done.routed if routed.lane == lane]
            for lane in _LANES
        },
        "files": read_counts.files,
        "passed_over": dict(read_counts.passed),
        "problems": describe_problems(read_counts),
    }


def reflection_lines(
    done: Reflected, read_counts: ReadCounts, style: Style, *, dry_run: bool
) -> Iterator[str]:
    counts = Counter(routed.outcome for routed in done.routed)
    told = [f"{counts[outcome]} {words}" for outcome, words in _OUTCOMES.items() if counts[outcome]]
    would = "would be: " if dry_run else ""
    yield style("title", would + ("; ".join(told) or "nothing new"))
    read = counted(len(done.sessions), "session")
    yield style("dim", f"  read {read} by {clean_line(done.form)}")
    for lane, meaning in _LANES.items():
        shown = [routed for routed in done.routed if routed.lane == lane]
        if not shown:
            continue
        yield f"{style('title', f'{lane} ({len(shown)})')}  {style('dim', meaning)}"
        for routed in shown[:_MOST_LINES]:
            yield style(_STYLES.get(routed.outcome, "good"), f"  {_line(routed)}")
        if len(shown) > _MOST_LINES:
            yield style("dim", f"  and {len(shown) - _MOST_LINES} more; --json has them")
    yield from problem_lines(read_counts, style)


def describe_triage(report: Report, *, dry_run: bool) -> Data:
    return {
        "dry_run": dry_run,
        "counts": report.counts,
        "lines": list(report.lines),
        "unfinished": report.unfinished,
    }


def triage_lines(report: Report, style: Style, *, dry_run: bool) -> Iterator[str]:
    some = [f"{count} {what}" for what, count in report.counts.items() if count]
    would = "would be " if dry_run and some else ""
    yield style("title", would + (", ".join(some) or "nothing in the inbox asks for anything"))
    for line in report.lines:
        yield f"  {clean_line(line)}"
    if report.counts.get("proposed") and not dry_run:
        yield style("dim", "  `engrain review list` shows what waits for your word")


def _line(routed: Routed) -> str:
    said = routed.reflection
    named = f" {routed.id}" if routed.id else ""
    other = f" ({routed.other})" if routed.other else ""
    return (
        f"{routed.outcome}{named}{other}: {clean_line(said.kind)} {said.confidence:.2f}:"
        f" {clean_line(said.title)}"
    )


def _describe(routed: Routed) -> Data:
    said = routed.reflection
    return {
        "outcome": routed.outcome,
        "id": routed.id or None,
        "other": routed.other or None,
        "kind": said.kind,
        "title": clean(said.title),
        "confidence": said.confidence,
        "habit": said.habit,
        "session": clean(routed.session),
        "turn": clean(said.key),
        "at": instant_of(said.at),
    }
