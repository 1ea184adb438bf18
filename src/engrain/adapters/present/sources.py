"""Sources as data and as lines for a person."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence

from engrain.adapters.present.records import Data, instant_of
from engrain.adapters.present.text import Style, clean, clean_line, counted
from engrain.language.text.instants import format_instant
from engrain.learn.sources.read_counts import ReadCounts
from engrain.learn.sources.survey import Standing
from engrain.seam.sources import Source

_MOST_PROBLEMS = 10
_MOST_LEFT_OUT = 5
_PASSED = {
    "broken": ("broken line", "broken lines"),
    "disordered": ("time out of order", "times out of order"),
    "encoding": ("file read as Windows-1252", "files read as Windows-1252"),
    "future": ("time in the future", "times in the future"),
    "images": ("image", "images"),
    "long": ("line that is too long", "lines that are too long"),
    "unfinished": ("unfinished last line", "unfinished last lines"),
    "unknown": ("item of an unknown kind", "items of an unknown kind"),
}


def tell_passed(passed: Mapping[str, int]) -> str:
    """What reading passed over or put right, in words; "" for nothing."""
    told = (f"{count} {_PASSED[key][count != 1]}" for key, count in sorted(passed.items()) if count)
    return ", ".join(told)


def describe_problems(read_counts: ReadCounts) -> list[Data]:
    return [
        {"source": problem.source, "file": problem.file, "message": problem.message}
        for problem in read_counts.problems
    ]


def problem_lines(read_counts: ReadCounts, style: Style) -> Iterator[str]:
    for problem in read_counts.problems[:_MOST_LEFT_OUT]:
        where = clean(problem.file or problem.source)
        yield style("warning", f"  left out: {where}: {clean_line(problem.message)}")
    if len(read_counts.problems) > _MOST_LEFT_OUT:
        yield style("warning", f"  and {len(read_counts.problems) - _MOST_LEFT_OUT} more like it")


def describe_source(source: Source) -> Data:
    return {
        "name": source.name,
        "path": source.path,
        "format": source.format or None,
        "trust": source.trust,
        "project": source.project or None,
        "host": source.host or None,
        "match": list(source.match),
    }


def describe_added(source: Source) -> Data:
    return {"added": describe_source(source)}


def added_lines(source: Source, style: Style) -> Iterator[str]:
    yield f"added {style('title', clean_line(source.name))}  {clean(source.path)}"
    yield style("dim", "`engrain extract` reads it now; the jobs do every half hour")


def describe_detected(found: Sequence[Source], kept: Collection[str]) -> Data:
    return {
        "detected": [
            {"host": source.host, "path": source.path, "added": source.path in kept}
            for source in found
        ]
    }


def detected_lines(found: Sequence[Source], kept: Collection[str], style: Style) -> Iterator[str]:
    for source in found:
        told = "is a source" if source.path in kept else f"engrain sources add --host {source.host}"
        yield f"{style('title', source.host)}  {clean(source.path)}"
        yield style("dim", f"  {told}")
    if not found:
        yield "No sessions of Claude Code or Codex on this device."
    yield style("dim", "A folder of notes or transcripts: engrain sources add PATH")


def describe_sources(found: Sequence[Standing]) -> Data:
    return {
        "sources": [
            {
                **describe_source(standing.source),
                "files": standing.files,
                "new": standing.new,
                "read_at": instant_of(standing.read_at),
                "formats": dict(standing.formats),
                "guessed_encoding": standing.guessed,
                "problems": [
                    {"file": problem.file, "message": problem.message}
                    for problem in standing.problems
                ],
            }
            for standing in found
        ]
    }


def source_lines(found: Sequence[Standing], style: Style) -> Iterator[str]:
    for standing in found:
        source = standing.source
        facts = [f"trust: {source.trust}"]
        if source.project:
            facts.append(f"project: {clean_line(source.project)}")
        if source.match:
            facts.append("only " + ", ".join(map(clean_line, source.match)))
        yield f"{style('title', clean_line(source.name))}  {clean(source.path)}"
        yield style("dim", f"  {', '.join(facts)}")
        yield f"  {_standing(standing)}"
        if standing.guessed:
            yield style("dim", f"  {_guessed(standing.guessed)}")
        for problem in standing.problems[:_MOST_PROBLEMS]:
            where = f"{clean(problem.file)}: " if problem.file else ""
            yield style("warning", f"  {where}{clean_line(problem.message)}")
        if len(standing.problems) > _MOST_PROBLEMS:
            yield style("warning", f"  and {len(standing.problems) - _MOST_PROBLEMS} more like it")
    if not found:
        yield "No sources yet: `engrain sources add PATH`, or `engrain sources add` for agents'."


def _guessed(files: Sequence[str]) -> str:
    more = f" and {len(files) - 1} more" if len(files) > 1 else ""
    return f"read as Windows-1252, since it is no UTF-8: {clean(files[0])}{more}"


def _standing(standing: Standing) -> str:
    files = counted(standing.files, "file")
    if standing.read_at is None:
        return f"{files}, not read yet"
    formats = ", ".join(f"{count} {name}" for name, count in sorted(standing.formats.items()))
    new = f"{standing.new} new since" if standing.new else "nothing new since"
    told = f" ({formats})" if formats else ""
    return f"{files}{told}, read {format_instant(standing.read_at)}, {new}"
