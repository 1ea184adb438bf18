"""`engrain learn`: bring what is new in places that were approved, or ask them a question."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from engrain.adapters.cli.answer import Answer
from engrain.adapters.cli.console import Console
from engrain.adapters.cli.options import Arguments, Command, open_from
from engrain.adapters.present.failures import EXIT_ERROR, EXIT_OK
from engrain.adapters.present.records import fields
from engrain.adapters.present.text import (
    Style,
    clean,
    clean_line,
    counted,
    day_of,
    excerpt,
    some_lines,
)
from engrain.learn.forward.candidates import Candidate
from engrain.learn.forward.research import Answer as Research
from engrain.learn.forward.run import Learned, Visited
from engrain.model.errors import UsageError
from engrain.seam.sources import Approved

_ADDING = ("name", "kind", "match", "host", "private")
_PLACES: dict[str, tuple[str, str | None]] = {
    "add": ("a URL or a path", "name one"),
    "list": ("no name", None),
    "remove": ("a name", "`engrain learn sources list` shows them"),
}
"""What each action of `sources` takes as its place, and what to do where that is not given."""
_MOST = 100
_MOST_PROBLEMS = 5
_APPROVED = "name kind place match hosts private"
_VISITED = "name=source.name kind=source.kind new changed kept skipped"
_CANDIDATE = (
    "outcome id? source=source.name title~ quoted~ ref~ at@ relevance=score reason~"
    " touches=touched project"
)


def _check_sources(args: Arguments) -> None:
    act = args.act or "list"
    for name in _ADDING if act != "add" else ():
        if getattr(args, name):
            raise UsageError(f"learn sources {act} takes no --{name}")
    if bool(args.place) == (act == "list"):
        what, remedy = _PLACES[act]
        raise UsageError(f"learn sources {act} takes {what}", remedy=remedy)


def _check(args: Arguments) -> None:
    if args.action == "sources":
        _check_sources(args)
    if args.keep and args.query is None:
        raise UsageError("--keep needs --query", remedy="without --query a run keeps what matters")
    if args.query is not None and args.dry_run:
        raise UsageError("--query keeps nothing by itself", remedy="leave out --dry-run")
    if args.limit is not None and not 1 <= args.limit <= _MOST:
        raise UsageError(f"--limit {args.limit} is not from 1 to {_MOST}")


def _sources(args: Arguments, console: Console) -> Answer:
    return _ACTS[args.act or "list"](args, console)


def _add(args: Arguments, console: Console) -> Answer:
    with open_from(args) as memory:
        added = memory.sources.approve(
            args.place,
            name=args.name or "",
            kind=args.kind or "",
            match=args.match,
            hosts=args.host,
            private=args.private,
        )
    line = f"  {added.kind}; `engrain learn run` looks at it now, the jobs daily"
    return {"added": fields(added, _APPROVED)}, [
        f"approved {console.style('title', clean_line(added.name))}  {clean(added.place)}",
        console.style("dim", line),
    ]


def _list(args: Arguments, console: Console) -> Answer:
    with open_from(args) as memory:
        found = memory.sources.approved()
    lines = [line for one in found for line in _approved_lines(one, console.style)]
    nothing = ["Nothing is approved yet: `engrain learn sources add URL|PATH`."]
    return {"sources": [fields(one, _APPROVED) for one in found]}, lines or nothing


def _approved_lines(approved: Approved, style: Style) -> Iterator[str]:
    facts = [approved.kind]
    if approved.match:
        facts.append("only " + ", ".join(map(clean_line, approved.match)))
    if approved.hosts:
        facts.append("may lead to " + ", ".join(map(clean_line, approved.hosts)))
    if approved.private:
        facts.append("may be in a private network")
    yield f"{style('title', clean_line(approved.name))}  {clean(approved.place)}"
    yield style("dim", f"  {', '.join(facts)}")


def _remove(args: Arguments, _: Console) -> Answer:
    with open_from(args) as memory:
        removed = memory.sources.disapprove(args.place)
    lines = [f"removed {removed.name}; what was brought from it stays"]
    return {"removed": removed.name, "place": removed.place}, lines


def _run(args: Arguments, console: Console) -> Answer:
    if args.query is not None:
        return _research(args, console)
    with open_from(args) as memory, console.progress("looking") as progress:
        done = memory.sources.learn(
            args.source, limit=args.limit, dry_run=args.dry_run, tell=_telling(progress)
        )
    data = {
        "dry_run": args.dry_run,
        "sources": [_describe_visited(visited) for visited in done.sources],
        "candidates": [fields(candidate, _CANDIDATE) for candidate in done.candidates],
        "unfinished": done.unfinished,
    }
    lines = _learned_lines(done, console.style, dry_run=args.dry_run)
    return data, lines, EXIT_ERROR if done.failed else EXIT_OK


def _research(args: Arguments, console: Console) -> Answer:
    with open_from(args) as memory, console.progress("looking") as progress:
        answer, kept = memory.sources.research(
            args.query, args.source, limit=args.limit, keep=args.keep, tell=_telling(progress)
        )
    finding = (
        "number source=source.source.name title=passage.item.title~ heading=passage.heading~"
        " quoted~ ref=passage.item.ref~ at=passage.item.at@ score"
    )
    data = {
        **fields(answer, "query=question~ form~ passages"),
        "sources": [_describe_visited(visited) for visited in answer.sources],
        "summary": [fields(claim, "text~ cites") for claim in answer.claims],
        "findings": [fields(found, finding) for found in answer.findings],
        "candidates": [fields(candidate, _CANDIDATE) for candidate in kept],
    }
    code = EXIT_ERROR if answer.failed else EXIT_OK
    return data, _answer_lines(answer, kept, console.style), code


def _telling(progress: Callable[[int, int | None], object] | None) -> Callable[[int], object]:
    return (lambda count: progress(count, None)) if progress else (lambda _: None)


def _describe_visited(visited: Visited) -> dict[str, object]:
    problems = [clean(problem) for problem in visited.problems]
    error = clean(visited.error) or None
    return {**fields(visited, _VISITED), "error": error, "problems": problems}


def _learned_lines(done: Learned, style: Style, *, dry_run: bool) -> Iterator[str]:
    count = len(done.candidates)
    summary = counted(count, "candidate") if count else "nothing new that matters"
    yield style("title", ("would be: " if dry_run else "") + summary)
    if not done.sources:
        yield "  nothing is approved: `engrain learn sources add URL|PATH`"
    for visited in done.sources:
        yield from _visited_lines(visited, style)
    for candidate in done.candidates:
        named = f"  {style('dim', candidate.id)}" if candidate.id else ""
        yield f"{candidate.outcome}  {style('title', clean_line(candidate.title))}{named}"
        yield f"  {excerpt(candidate.quoted)}"
        yield style("dim", f"  {clean_line(candidate.ref)}")
        yield style("dim", f"  {candidate.score:.2f}: {clean_line(candidate.reason)}")
    if done.unfinished:
        yield style("warning", "  some sources are left for the next run")
    if done.candidates and not dry_run:
        yield style("dim", "`engrain review list` shows what needs your decision")


def _answer_lines(answer: Research, kept: Sequence[Candidate], style: Style) -> Iterator[str]:
    yield style("title", clean_line(answer.question))
    places = counted(len(answer.sources), "source")
    yield style("dim", f"  {answer.passages} passages of {places}, by {clean_line(answer.form)}")
    for claim in answer.claims:
        cites = "".join(f"[{number}]" for number in claim.cites)
        yield f"{clean_line(claim.text)} {cites}"
    for found in answer.findings:
        item = found.passage.item
        where = clean_line(found.passage.heading.rpartition(" > ")[2])
        title = clean_line(item.title) + (f" › {where}" if where else "")
        yield ""
        yield f"[{found.number}] {style('title', title)}"
        yield f"   {clean_line(found.quoted)}"
        day = f"  {day_of(item.at)}" if item.at is not None else ""
        yield style(
            "dim", f"   {clean_line(item.ref)}{day}  ({clean_line(found.source.source.name)})"
        )
    if not answer.findings:
        yield "Nothing there answers it."
    for visited in answer.sources:
        if visited.error:
            yield from _visited_lines(visited, style)
    if kept:
        yield style("dim", f"{len(kept)} went to the inbox; `engrain review list` shows them")


def _visited_lines(visited: Visited, style: Style) -> Iterator[str]:
    name = clean_line(visited.source.name)
    if visited.error:
        yield style("bad", f"  {name}: {clean_line(visited.error)}")
        return
    counts = [f"{visited.new} new", f"{visited.changed} changed", f"{visited.kept} kept"]
    yield style("dim", f"  {name}: {', '.join(counts)}")
    problems = (f"    left out: {clean_line(problem)}" for problem in visited.problems)
    for line in some_lines(problems, _MOST_PROBLEMS, "    and {} more like it"):
        yield style("warning", line)


_ACTS = {"add": _add, "list": _list, "remove": _remove}

COMMAND = Command(
    [_sources, _run],
    """
<sources|run>  sources: manage approved sources; run: fetch from them now
act=<add|list|remove>?  sources: approve, list or remove a source
place=URL|PATH|NAME?  sources: of add, or of remove
--name N      sources: its name; else derived from the address
--kind K      sources: add it as feed, url (one page), folder or repository; else detected
--match GLOB*  sources: add only files so named
--host H*     sources: another host it may redirect to
--private     sources: allow an address of your own network
--source N    run: only this source
--query Q     run: search the sources and quote what answers
--limit N/int  run: at most N
--keep        run: with --query, save the findings to the inbox
--dry-run     run: show what would be fetched; write nothing
$ engrain learn sources add https://blog.example.org/feed.xml
$ engrain learn sources add ~/code/parser --kind repository --match 'CHANGELOG*'
$ engrain learn sources list
$ engrain learn run --dry-run
$ engrain learn run --query "how does the parser handle tabs" --keep
""",
    check=_check,
    strict=True,
)
