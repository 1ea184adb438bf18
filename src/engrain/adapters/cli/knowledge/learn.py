"""`engrain learn`: choose what is learned from, and learn from it now."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from engrain.adapters.cli.base import Answer, MemoryCommand, flag, option
from engrain.adapters.cli.console import counting
from engrain.adapters.cli.knowledge.extract import ExtractFacts
from engrain.adapters.cli.knowledge.reflect import ReflectOnSessions
from engrain.adapters.cli.knowledge.sources import AddSource, ListSources, RemoveSource
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

_MOST = 100
_VISITED = "name=source.name new kept skipped"
_CANDIDATE = "outcome id? source=source.name title~ quoted~ ref~ at@"


@dataclass(kw_only=True)
class FetchNews(MemoryCommand):
    """Fetch what is new in the approved feeds."""

    examples = "engrain learn fetch --dry-run"
    source: str | None = option("only this source", "N")
    limit: int | None = option("at most N of each source", "N")
    dry_run: bool = flag("show what would be fetched; write nothing")

    def check(self) -> None:
        if self.limit is not None and not 1 <= self.limit <= _MOST:
            raise UsageError(f"--limit {self.limit} is not from 1 to {_MOST}")

    def run_in(self, memory: Memory) -> Answer:
        with show_progress(self.console, "looking") as progress:
            done = memory.sources.learn(
                self.source, limit=self.limit, dry_run=self.dry_run, tell=counting(progress)
            )
        data = {
            "dry_run": self.dry_run,
            "sources": [
                (fields(visited, _VISITED) | {"error": clean(visited.error) or None})
                for visited in done.sources
            ],
            "candidates": list_fields(done.candidates, _CANDIDATE),
            "unfinished": done.unfinished,
        }
        return data, _learned_lines(done, dry_run=self.dry_run), bool(done.failed)


def _learned_lines(done: ForwardRun, *, dry_run: bool) -> Iterator[str]:
    count = len(done.candidates)
    summary = counted(count, "candidate") if count else "nothing new"
    yield style("title", ("would be: " if dry_run else "") + summary)
    if not done.sources:
        yield "  nothing is approved: `engrain learn add URL`"
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


COMMAND = {
    "list": ListSources,
    "add": AddSource,
    "remove": RemoveSource,
    "extract": ExtractFacts,
    "reflect": ReflectOnSessions,
    "fetch": FetchNews,
}
