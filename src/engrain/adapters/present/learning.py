"""Forward learning as data and as lines for a person."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from engrain.adapters.present.records import Data, instant_of
from engrain.adapters.present.text import Style, clean, clean_line, counted, day_of, excerpt
from engrain.learn.forward.candidates import Candidate
from engrain.learn.forward.research import Answer
from engrain.learn.forward.run import Learned, Visited
from engrain.seam.outside import Approved

_MOST_PROBLEMS = 5


def describe_approved(approved: Approved) -> Data:
    return {
        "name": approved.name,
        "kind": approved.kind,
        "place": approved.place,
        "match": list(approved.match),
        "hosts": list(approved.hosts),
        "private": approved.private,
    }


def approved_lines(found: Sequence[Approved], style: Style) -> Iterator[str]:
    for approved in found:
        facts = [approved.kind]
        if approved.match:
            facts.append("only " + ", ".join(map(clean_line, approved.match)))
        if approved.hosts:
            facts.append("may lead to " + ", ".join(map(clean_line, approved.hosts)))
        if approved.private:
            facts.append("may be in a private network")
        yield f"{style('title', clean_line(approved.name))}  {clean(approved.place)}"
        yield style("dim", f"  {', '.join(facts)}")
    if not found:
        yield "Nothing is approved yet: `engrain learn sources add URL|PATH`."


def added_lines(approved: Approved, style: Style) -> Iterator[str]:
    yield f"approved {style('title', clean_line(approved.name))}  {clean(approved.place)}"
    yield style("dim", f"  {approved.kind}; `engrain learn run` looks at it now, the jobs daily")


def describe_learned(done: Learned, *, dry_run: bool) -> Data:
    return {
        "dry_run": dry_run,
        "sources": [_describe_visited(visited) for visited in done.sources],
        "candidates": [describe_candidate(candidate) for candidate in done.candidates],
        "unfinished": done.unfinished,
    }


def learned_lines(done: Learned, style: Style, *, dry_run: bool) -> Iterator[str]:
    count = len(done.candidates)
    told = counted(count, "candidate") if count else "nothing new that matters"
    yield style("title", ("would be: " if dry_run else "") + told)
    if not done.sources:
        yield "  nothing is approved: `engrain learn sources add URL|PATH`"
    for visited in done.sources:
        yield from _visited_lines(visited, style)
    for candidate in done.candidates:
        yield from _candidate_lines(candidate, style)
    if done.unfinished:
        yield style("warning", "  some sources are left for the next run")
    if done.candidates and not dry_run:
        yield style("dim", "`engrain review list` shows what waits for your word")


def describe_candidate(candidate: Candidate) -> Data:
    return {
        "outcome": candidate.outcome,
        "id": candidate.id or None,
        "source": candidate.source.name,
        "title": clean(candidate.title),
        "quoted": clean(candidate.quoted),
        "ref": clean(candidate.ref),
        "at": instant_of(candidate.at),
        "relevance": candidate.score,
        "reason": clean(candidate.reason),
        "touches": list(candidate.touched),
        "project": candidate.project,
    }


def describe_answer(answer: Answer, kept: Sequence[Candidate]) -> Data:
    return {
        "query": clean(answer.question),
        "form": clean(answer.form),
        "passages": answer.passages,
        "sources": [_describe_visited(visited) for visited in answer.sources],
        "summary": [{"text": clean(one.text), "cites": list(one.cites)} for one in answer.claims],
        "findings": [
            {
                "number": found.number,
                "source": found.source.source.name,
                "title": clean(found.passage.item.title),
                "heading": clean(found.passage.heading),
                "quoted": clean(found.quoted),
                "ref": clean(found.passage.item.ref),
                "at": instant_of(found.passage.item.at),
                "score": found.score,
            }
            for found in answer.findings
        ],
        "candidates": [describe_candidate(candidate) for candidate in kept],
    }


def answer_lines(answer: Answer, kept: Sequence[Candidate], style: Style) -> Iterator[str]:
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


def _describe_visited(visited: Visited) -> Data:
    return {
        "name": visited.source.name,
        "kind": visited.source.kind,
        "new": visited.new,
        "changed": visited.changed,
        "kept": visited.kept,
        "skipped": visited.skipped,
        "error": clean(visited.error) or None,
        "problems": [clean(problem) for problem in visited.problems],
    }


def _visited_lines(visited: Visited, style: Style) -> Iterator[str]:
    name = clean_line(visited.source.name)
    if visited.error:
        yield style("bad", f"  {name}: {clean_line(visited.error)}")
        return
    told = [f"{visited.new} new", f"{visited.changed} changed", f"{visited.kept} kept"]
    yield style("dim", f"  {name}: {', '.join(told)}")
    for problem in visited.problems[:_MOST_PROBLEMS]:
        yield style("warning", f"    left out: {clean_line(problem)}")
    if len(visited.problems) > _MOST_PROBLEMS:
        yield style("warning", f"    and {len(visited.problems) - _MOST_PROBLEMS} more like it")


def _candidate_lines(candidate: Candidate, style: Style) -> Iterator[str]:
    named = f"  {style('dim', candidate.id)}" if candidate.id else ""
    yield f"{candidate.outcome}  {style('title', clean_line(candidate.title))}{named}"
    yield f"  {excerpt(candidate.quoted)}"
    yield style("dim", f"  {clean_line(candidate.ref)}")
    yield style("dim", f"  {candidate.score:.2f}: {clean_line(candidate.reason)}")
