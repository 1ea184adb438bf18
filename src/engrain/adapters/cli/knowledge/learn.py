"""`engrain learn`: bring what is new in the approved places."""

from __future__ import annotations

from collections.abc import Iterator

from engrain.adapters.cli.console import counting
from engrain.adapters.cli.options import Answer, Arguments, Command
from engrain.adapters.cli.progress import show_progress
from engrain.adapters.present.records import fields, list_fields
from engrain.adapters.present.text import (
    beyond_title,
    bold,
    clean,
    clean_line,
    counted,
    excerpt,
    style,
)
from engrain.api.memory import Memory
from engrain.learn.forward.run import ForwardRun, Visited
from engrain.model.errors import UsageError

_ADDING = ("name", "private")
_PLACES: dict[str, tuple[str, str | None]] = {
    "add": ("a URL", "name one"),
    "list": ("no name", None),
    "remove": ("a name", "`engrain learn sources list` shows them"),
}
"""What each action of `sources` takes as its place, and what to do where that is not given."""
_MOST = 100
_APPROVED = "name place private"
_VISITED = "name=source.name new kept skipped"
_CANDIDATE = "outcome id? source=source.name title~ quoted~ ref~ at@"


def _check(args: Arguments) -> None:
    act = args.act or "list"
    for name in _ADDING if args.action == "sources" and act != "add" else ():
        if getattr(args, name):
            raise UsageError(f"learn sources {act} takes no --{name}")
    if args.limit is not None and not 1 <= args.limit <= _MOST:
        raise UsageError(f"--limit {args.limit} is not from 1 to {_MOST}")


def _sources(memory: Memory, args: Arguments) -> Answer:
    act = args.act or "list"
    if bool(args.place) == (act == "list"):
        what, remedy = _PLACES[act]
        raise UsageError(f"learn sources {act} takes {what}", remedy=remedy)
    return _ACTS[act](memory, args)


def _add(memory: Memory, args: Arguments) -> Answer:
    added = memory.sources.approve(args.place, name=args.name or "", private=args.private)
    line = "  `engrain learn run` looks at it now, the jobs daily"
    return {"added": fields(added, _APPROVED)}, [
        f"approved {bold(added.name)}  {clean(added.place)}",
        style("dim", line),
    ]


def _list(memory: Memory, _: Arguments) -> Answer:
    found = memory.sources.approved()
    lines = []
    for one in found:
        lines.append(f"{bold(one.name)}  {clean(one.place)}")
        if one.private:
            lines.append(style("dim", "  may be in a private network"))
    nothing = ["Nothing is approved yet: `engrain learn sources add URL`."]
    return {"sources": list_fields(found, _APPROVED)}, lines or nothing


def _remove(memory: Memory, args: Arguments) -> Answer:
    removed = memory.sources.disapprove(args.place)
    lines = [f"removed {removed.name}; what was brought from it stays"]
    return {"removed": removed.name, "place": removed.place}, lines


def _run(memory: Memory, args: Arguments) -> Answer:
    with show_progress(args.console, "looking") as progress:
        done = memory.sources.learn(
            args.source, limit=args.limit, dry_run=args.dry_run, tell=counting(progress)
        )
    data = {
        "dry_run": args.dry_run,
        "sources": [
            (fields(visited, _VISITED) | {"error": clean(visited.error) or None})
            for visited in done.sources
        ],
        "candidates": list_fields(done.candidates, _CANDIDATE),
        "unfinished": done.unfinished,
    }
    return data, _learned_lines(done, dry_run=args.dry_run), bool(done.failed)


def _learned_lines(done: ForwardRun, *, dry_run: bool) -> Iterator[str]:
    count = len(done.candidates)
    summary = counted(count, "candidate") if count else "nothing new"
    yield style("title", ("would be: " if dry_run else "") + summary)
    if not done.sources:
        yield "  nothing is approved: `engrain learn sources add URL`"
    for visited in done.sources:
        yield from _visited_lines(visited)
    for candidate in done.candidates:
        named = f"  {style('dim', candidate.id)}" if candidate.id else ""
        yield f"{candidate.outcome}  {bold(candidate.title)}{named}"
        yield f"  {excerpt(beyond_title(candidate.title, candidate.quoted))}"
        yield style("dim", f"  {clean_line(candidate.ref)}")
    if done.unfinished:
        yield style("warning", "  some sources are left for the next run")
    if done.candidates and not dry_run:
        yield style("dim", "`engrain review list` shows what needs your decision")


def _visited_lines(visited: Visited) -> Iterator[str]:
    name = clean_line(visited.source.name)
    if visited.error:
        yield style("bad", f"  {name}: {clean_line(visited.error)}")
        return
    yield style("dim", f"  {name}: {visited.new} new, {visited.kept} kept")


_ACTS = {"add": _add, "list": _list, "remove": _remove}

COMMAND = Command(
    [_sources, _run],
    """
<sources|run>  sources: manage approved sources; run: fetch from them now
act=<add|list|remove>?  sources: approve, list or remove a source
place=URL|NAME?  sources: of add, or of remove
--name N      sources: its name; else derived from the address
--private     sources: allow an address of your own network
--source N    run: only this source
--limit N/int  run: at most N of each source
--dry-run     run: show what would be fetched; write nothing
$ engrain learn sources add https://blog.example.org/feed.xml
$ engrain learn sources list
$ engrain learn run --dry-run
""",
    check=_check,
    strict=True,
)
