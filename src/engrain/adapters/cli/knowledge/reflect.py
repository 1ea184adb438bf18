"""`engrain learn reflect`: keep what was said in agents' sessions."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from engrain.adapters.cli.base import Answer, arguments, option
from engrain.adapters.cli.console import counting
from engrain.adapters.cli.knowledge.sources import Reading, describe_reading, reading_lines
from engrain.adapters.cli.progress import show_progress
from engrain.adapters.present.outline import format_value, table_lines
from engrain.adapters.present.records import Data, fields
from engrain.adapters.present.text import counted, some_lines, style
from engrain.api.memory import Memory
from engrain.learn.reflection.lanes import Routed
from engrain.learn.reflection.run import Reflected
from engrain.learn.sources.reading import ReadCounts

_LANES = ("high", "medium", "low")
"""Said outright; likely, proposed once three sessions had it; vague, waits in the inbox."""
_MOST_LINES = 50


@dataclass(kw_only=True)
class ReflectOnSessions(Reading):
    """Save what you stated in agents' sessions."""

    examples = """
engrain learn reflect
engrain learn reflect ~/.claude/projects/-home-ada-billing --dry-run
engrain learn reflect --source claude-code
"""
    paths: list[str] = arguments(
        "transcripts, or folders of them; without one every session that was not reflected on yet",
        "PATH",
    )
    origin: Literal["agent", "external"] | None = option(
        "of a PATH: agent where it is a session of yours, external waits in the inbox; else by its"
        " format",
        name="--trust",
    )

    def run_in(self, memory: Memory) -> Answer:
        with show_progress(self.console, "reading") as progress:
            done, counts = memory.sessions.reflect(
                self.paths,
                source=self.source,
                project=self.project,
                trust=self.origin or "",
                dry_run=self.dry_run,
                tell=counting(progress),
            )
        data = {
            "dry_run": self.dry_run,
            **fields(done, "sessions#"),
            "lanes": {
                lane: [_describe(routed) for routed in done.routed if routed.lane == lane]
                for lane in _LANES
            },
            **describe_reading(counts),
        }
        return data, _lines(done, counts, dry_run=self.dry_run)


def _describe(routed: Routed) -> Data:
    said = "kind title~ confidence at@"
    return fields(routed, "outcome id? other? session~") | fields(routed.reflection, said)


def _lines(done: Reflected, counts: ReadCounts, *, dry_run: bool) -> Iterator[str]:
    met = Counter(routed.outcome for routed in done.routed)
    would = "would be: " if dry_run else ""
    yield style("title", would + (format_value(met) if met else "nothing new"))
    yield style("dim", f"  read {counted(len(done.sessions), 'session')}")
    rows = [
        fields(routed, "lane outcome id?") | fields(routed.reflection, "kind confidence title~")
        for routed in done.routed
    ]
    if rows:
        lines = table_lines(rows, "lane outcome id kind confidence title", "")
        yield from some_lines(lines, _MOST_LINES, style("dim", "  and {} more; --json has them"))
    yield from reading_lines(counts)
