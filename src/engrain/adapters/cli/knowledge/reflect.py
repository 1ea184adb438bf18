"""`engrain learn reflect`: keep what was said in agents' sessions."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from engrain.adapters.cli.base import Answer, arguments, option
from engrain.adapters.cli.console import counting
from engrain.adapters.cli.knowledge.sources import Reading, describe_problems, problem_lines
from engrain.adapters.cli.progress import show_progress
from engrain.adapters.present.records import Data, fields
from engrain.adapters.present.text import clean_line, counted, some_lines, style
from engrain.api.memory import Memory
from engrain.learn.reflection.lanes import Routed
from engrain.learn.reflection.run import Reflected
from engrain.learn.sources.reading import ReadCounts

_LANES = {
    "high": "said outright",
    "medium": "likely: proposed once three sessions had it",
    "low": "vague: waits in the inbox",
}
_OUTCOMES = {
    "created": ("good", "kept"),
    "superseding": ("warning", "kept, and replaces what was said before"),
    "disputed": ("warning", "kept, and contradicts what is known"),
    "filed": ("good", "filed from the inbox"),
    "met again": ("good", "met again"),
    "counted": ("dim", "counted"),
    "known": ("dim", "known"),
    "forgotten": ("dim", "was forgotten, and stays so"),
    "outdated": ("dim", "said before what holds now"),
    "refused": ("warning", "can't be kept"),
    "withdrawn": ("warning", "withdrawn"),
    "unmatched": ("dim", "withdrew nothing that is known"),
}
"""What became of what was said: its colour, and words for it."""
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
            "files": counts.files,
            "passed_over": dict(counts.passed),
            "problems": describe_problems(counts),
        }
        return data, _lines(done, counts, dry_run=self.dry_run)


def _describe(routed: Routed) -> Data:
    said = "kind title~ confidence at@"
    return fields(routed, "outcome id? other? session~") | fields(routed.reflection, said)


def _lines(done: Reflected, counts: ReadCounts, *, dry_run: bool) -> Iterator[str]:
    met = Counter(routed.outcome for routed in done.routed)
    outcomes = [f"{met[key]} {words}" for key, (_, words) in _OUTCOMES.items() if met[key]]
    would = "would be: " if dry_run else ""
    yield style("title", would + ("; ".join(outcomes) or "nothing new"))
    read = counted(len(done.sessions), "session")
    yield style("dim", f"  read {read}")
    for lane, meaning in _LANES.items():
        shown = [routed for routed in done.routed if routed.lane == lane]
        if not shown:
            continue
        yield f"{style('title', f'{lane} ({len(shown)})')}  {style('dim', meaning)}"
        lines = map(_line, shown)
        yield from some_lines(lines, _MOST_LINES, style("dim", "  and {} more; --json has them"))
    yield from problem_lines(counts)


def _line(routed: Routed) -> str:
    said = routed.reflection
    named = f" {routed.id}" if routed.id else ""
    other = f" ({routed.other})" if routed.other else ""
    return style(
        _OUTCOMES[routed.outcome][0],
        f"  {routed.outcome}{named}{other}: {clean_line(said.kind)} {said.confidence:.2f}:"
        f" {clean_line(said.title)}",
    )
