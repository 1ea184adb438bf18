"""`engrain sources`: choose the files outside the vault from which facts are extracted."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from engrain.adapters.cli.options import Answer, Arguments, Command
from engrain.adapters.present.records import Data, fields, list_fields
from engrain.adapters.present.text import bold, clean, clean_line, counted, some_lines, style
from engrain.api.memory import Memory
from engrain.language.text.instants import format_local
from engrain.learn.sources.reading import ReadCounts, SourceStanding
from engrain.model.errors import UsageError

_SOURCE = "name path format? trust project? host? match"
_MOST_PROBLEMS = 10
_MOST_LEFT_OUT = 5
_MORE = "  and {} more like it"
_PASSED = {
    "broken": ("broken line", "broken lines"),
    "disordered": ("time out of order", "times out of order"),
    "future": ("time in the future", "times in the future"),
    "images": ("image", "images"),
    "off": ("turn where memory is off", "turns where memory is off"),
    "long": ("line that is too long", "lines that are too long"),
    "unfinished": ("unfinished last line", "unfinished last lines"),
    "unknown": ("item of an unknown kind", "items of an unknown kind"),
}


def tell_passed(passed: Mapping[str, int]) -> str:
    """Say what reading passed over or put right, "" for nothing."""
    return ", ".join(
        counted(count, *_PASSED[key]) for key, count in sorted(passed.items()) if count
    )


def describe_problems(counts: ReadCounts) -> list[Data]:
    """Return what could not be read as plain data."""
    return list_fields(counts.problems, "source file message")


def problem_lines(counts: ReadCounts) -> Iterator[str]:
    """Yield what could not be read, a line each."""
    lines = (
        f"  left out: {clean(one.file or one.source)}: {clean_line(one.message)}"
        for one in counts.problems
    )
    return (style("warning", line) for line in some_lines(lines, _MOST_LEFT_OUT, _MORE))


def check_reading(name: str, args: Arguments) -> None:
    """Raise UsageError for arguments that exclude each other."""
    if args.paths and args.source:
        raise UsageError(f"{name} takes a PATH or --source", remedy="give one of the two")
    if args.origin and not args.paths:
        raise UsageError(
            "--trust is of a PATH: a source has its own",
            remedy="`engrain sources add --trust` says it of a source",
        )


def _check(args: Arguments) -> None:
    if args.action == "list":
        return
    details = args.format or args.origin or args.match
    if args.action == "remove" and not args.place:
        raise UsageError("sources remove takes a name", remedy="`engrain sources list` shows them")
    if args.host and (args.place or details):
        raise UsageError("--host takes no path, --format, --trust or --match: they are known")
    if not args.place and not args.host and (args.name or details):
        raise UsageError("sources add takes a path, or --host", remedy="name a file or a folder")


def _add(memory: Memory, args: Arguments) -> Answer:
    project = args.project or ""
    if args.host:
        added = memory.sources.add_host(args.host, name=args.name or "", project=project)
    elif args.place:
        added = memory.sources.add(
            args.place,
            name=args.name or "",
            format=args.format or "",
            trust=args.origin or "external",
            project=project,
            match=args.match,
        )
    else:
        return _offer(memory)
    return {"added": fields(added, _SOURCE)}, [
        f"added {bold(added.name)}  {clean(added.path)}",
        style("dim", "`engrain extract` reads it now; the jobs do every half hour"),
    ]


def _offer(memory: Memory) -> Answer:
    found = memory.sources.detect()
    kept = {standing.source.path for standing in memory.sources.list()}
    lines = [] if found else ["No sessions of Claude Code or Codex on this device."]
    for one in found:
        detail = "is a source" if one.path in kept else f"engrain sources add --host {one.host}"
        lines.append(f"{style('title', one.host)}  {clean(one.path)}")
        lines.append(style("dim", f"  {detail}"))
    lines.append(style("dim", "A folder of notes or transcripts: engrain sources add PATH"))
    detected = [fields(one, "host path") | {"added": one.path in kept} for one in found]
    return {"detected": detected}, lines


def _list(memory: Memory, _: Arguments) -> Answer:
    found = memory.sources.list()
    data = [
        {
            **fields(one.source, _SOURCE),
            **fields(one, "files new read_at@ formats"),
            "problems": list_fields(one.problems, "file message"),
        }
        for one in found
    ]
    return {"sources": data}, _lines(found)


def _remove(memory: Memory, args: Arguments) -> Answer:
    removed = memory.sources.remove(args.place)
    lines = [f"removed {removed.name}; what was learned from it stays"]
    return {"removed": removed.name, "path": removed.path}, lines


def _lines(found: Sequence[SourceStanding]) -> Iterator[str]:
    for standing in found:
        source = standing.source
        facts = [f"trust: {source.trust}"]
        if source.project:
            facts.append(f"project: {clean_line(source.project)}")
        if source.match:
            facts.append("only " + ", ".join(map(clean_line, source.match)))
        yield f"{bold(source.name)}  {clean(source.path)}"
        yield style("dim", f"  {', '.join(facts)}")
        files = counted(standing.files, "file")
        if standing.read_at is None:
            yield f"  {files}, not read yet"
        else:
            formats = (f"{count} {name}" for name, count in sorted(standing.formats.items()))
            detail = f" ({', '.join(formats)})" if standing.formats else ""
            new = f"{standing.new} new since" if standing.new else "nothing new since"
            yield f"  {files}{detail}, read {format_local(standing.read_at)}, {new}"
        lines = (
            f"  {f'{clean(problem.file)}: ' if problem.file else ''}{clean_line(problem.message)}"
            for problem in standing.problems
        )
        for line in some_lines(lines, _MOST_PROBLEMS, _MORE):
            yield style("warning", line)
    if not found:
        yield "No sources yet: `engrain sources add PATH`, or `engrain sources add` for agents'."


COMMAND = Command(
    [_add, _list, _remove],
    """
<add|list|remove>  add: learn from a file or a folder, without one show which agents' sessions there
               are; list: each with how far it was read; remove: learn from it no more
place=PATH|NAME?  add: a path; remove: a name
--host H       add: the sessions of claude-code, codex or gemini
--name N       add: its name; else that of the folder
--format F     add: the format of its files; else detected
--trust>origin <operator|agent|external>  add: the origin of the text; else external, of a host's
               sessions agent
--match GLOB*  add: only files so named, such as '*.md'
$ engrain sources add --host claude-code
$ engrain sources add ~/notes/meetings --match '*.md' --project apollo
$ engrain sources add ~/exports/conversations.json --trust operator
$ engrain sources list
$ engrain sources remove meetings
""",
    check=_check,
    strict=True,
)
