"""The places outside of the vault that are learned from: files and feeds."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Literal

from engrain.adapters.cli.base import (
    Answer,
    MemoryCommand,
    argument,
    arguments,
    flag,
    option,
    options,
)
from engrain.adapters.present.outline import table_lines
from engrain.adapters.present.records import Data, fields, list_fields
from engrain.adapters.present.text import bold, clean, clean_line, counted, some_lines, style
from engrain.api.memory import Memory
from engrain.learn.sources.reading import ReadCounts
from engrain.model.errors import UsageError

APPROVED = "name place private"
_SOURCE = "name path format? trust project? host? match"
_COLUMNS = "name trust project match files new read_at formats path"
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


def describe_passed(passed: Mapping[str, int]) -> str:
    """Say what reading passed over or put right, "" for nothing."""
    return ", ".join(
        counted(count, *_PASSED[key]) for key, count in sorted(passed.items()) if count
    )


def describe_reading(counts: ReadCounts) -> Data:
    """Return the number of files that were read, and what was passed over or could not be read."""
    problems = list_fields(counts.problems, "source file message")
    return {"files": counts.files, "passed_over": dict(counts.passed), "problems": problems}


def reading_lines(counts: ReadCounts) -> Iterator[str]:
    """Yield what was passed over, and what could not be read, a line each."""
    if passed := describe_passed(counts.passed):
        yield style("dim", f"  passed over: {passed}")
    lines = (
        f"  left out: {clean(one.file or one.source)}: {clean_line(one.message)}"
        for one in counts.problems
    )
    yield from (style("warning", line) for line in some_lines(lines, _MOST_LEFT_OUT, _MORE))


@dataclass(kw_only=True)
class Reading(MemoryCommand):
    """The arguments that say what is read."""

    paths: list[str] = arguments("files, or folders of them", "PATH")
    source: str | None = option("only what is new in this source", "NAME")
    origin: str | None = None
    dry_run: bool = flag("show what would be done; write nothing")

    def check(self) -> None:
        if self.paths and self.source:
            raise UsageError("what is read is a PATH or --source", remedy="give one of the two")
        if self.origin and not self.paths:
            raise UsageError(
                "--trust is of a PATH: a source has its own",
                remedy="`engrain learn add --trust` says it of a source",
            )


@dataclass(kw_only=True)
class AddSource(MemoryCommand):
    """Learn from a file, a folder, a feed or the sessions of an agent's host."""

    examples = """
engrain learn add --host claude-code
engrain learn add ~/notes/meetings --match '*.md' --project apollo
engrain learn add ~/exports/conversations.json --trust operator
engrain learn add https://blog.example.org/feed.xml
"""
    place: str | None = argument("a path, or the address of a feed", "PLACE", default=None)
    host: str | None = option("the sessions of claude-code, codex or gemini", "H")
    name: str | None = option("its name; else derived from the place", "N")
    private: bool = flag("of an address: it may be in your own network")
    format: str | None = option("the format of its files; else detected", "F")
    origin: Literal["operator", "agent", "external"] | None = option(
        "the origin of the text; else external, of a host's sessions agent", name="--trust"
    )
    match: list[str] = options("only files so named, such as '*.md'", "GLOB")

    def check(self) -> None:
        of_files = any((self.format, self.origin, self.match))
        if self.host and any((self.place, of_files, self.private)):
            raise UsageError("--host takes no place, --format, --trust or --match: they are known")
        if not self.host and not self.place:
            raise UsageError("name a place, or --host", remedy="a file, a folder or an address")
        if self.place and (of_files if self._is_address() else self.private):
            raise UsageError("an address takes --private, and a path --format, --trust and --match")

    def _is_address(self) -> bool:
        return "://" in (self.place or "")

    def run_in(self, memory: Memory) -> Answer:
        project = self.project or ""
        if self.host:
            added = memory.sources.add_host(self.host, name=self.name or "", project=project)
        elif self._is_address():
            return self._approve(memory, self.place or "")
        else:
            added = memory.sources.add(
                self.place or "",
                name=self.name or "",
                format=self.format or "",
                trust=self.origin or "external",
                project=project,
                match=self.match,
            )
        return {"added": fields(added, _SOURCE)}, [
            f"added {bold(added.name)}  {clean(added.path)}",
            style("dim", "`engrain learn extract` reads it now; the jobs do every half hour"),
        ]

    def _approve(self, memory: Memory, address: str) -> Answer:
        added = memory.sources.approve(address, name=self.name or "", private=self.private)
        return {"added": fields(added, APPROVED)}, [
            f"approved {bold(added.name)}  {clean(added.place)}",
            style("dim", "  `engrain jobs run learn` looks at it now, the jobs daily"),
        ]


@dataclass(kw_only=True)
class ListSources(MemoryCommand):
    """List the sources, and how far each was read."""

    examples = "engrain learn list"

    def run_in(self, memory: Memory) -> Answer:
        found, approved = memory.sources.list(), memory.sources.approved()
        data = [
            {
                **fields(one.source, _SOURCE),
                **fields(one, "files new read_at@ formats"),
                "problems": list_fields(one.problems, "file message"),
            }
            for one in found
        ]
        nothing = (
            "No sources yet: `engrain learn add PLACE`, or `--host NAME` for an agent's sessions."
        )
        feeds = list_fields(approved, APPROVED)
        lines = [] if feeds and not data else [*table_lines(data, _COLUMNS, nothing)]
        lines += [*table_lines(feeds, APPROVED, "")] if feeds else []
        for one in found:
            problems = (f"{p.file}: {p.message}" if p.file else p.message for p in one.problems)
            told = (f"{clean(one.source.name)}: {clean_line(problem)}" for problem in problems)
            lines += [style("warning", line) for line in some_lines(told, _MOST_PROBLEMS, _MORE)]
        return {"sources": data, "approved": feeds}, lines


@dataclass(kw_only=True)
class RemoveSource(MemoryCommand):
    """Stop learning from a source."""

    examples = "engrain learn remove meetings"
    name: str = argument("its name", "NAME")

    def run_in(self, memory: Memory) -> Answer:
        if self.name in {one.name for one in memory.sources.approved()}:
            gone = memory.sources.disapprove(self.name)
            lines = [f"removed {gone.name}; what was brought from it stays"]
            return {"removed": gone.name, "place": gone.place}, lines
        removed = memory.sources.remove(self.name)
        lines = [f"removed {removed.name}; what was learned from it stays"]
        return {"removed": removed.name, "path": removed.path}, lines
