"""`engrain learn extract`: extract facts about people and projects from conversations."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
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
from engrain.learn.extraction.run import Drawn, Extracted
from engrain.learn.sources.reading import ReadCounts

_MOST_LINES = 50


@dataclass(kw_only=True)
class ExtractFacts(Reading):
    """Extract facts about people and projects from conversations."""

    examples = """
engrain learn extract meeting.md
engrain learn extract ~/notes/meetings --trust operator
engrain learn extract --source standups --dry-run
engrain learn extract
"""
    paths: list[str] = arguments(
        "files and folders: agents' sessions, chats, exports of ChatGPT and Claude, meeting notes,"
        " transcripts; without one what is new in the sources",
        "PATH",
    )
    origin: Literal["operator", "agent", "external"] | None = option(
        "of a PATH: the origin of the text; else external, of a host's sessions agent",
        name="--trust",
    )

    def run_in(self, memory: Memory) -> Answer:
        with show_progress(self.console, "reading") as progress:
            done, counts = memory.facts.extract(
                self.paths,
                source=self.source,
                trust=self.origin,
                dry_run=self.dry_run,
                tell=counting(progress),
            )
        facts = [_describe(drawn) for drawn in done.drawn]
        data = {
            "dry_run": self.dry_run,
            **fields(done, "outcomes turns conversations refused"),
            "facts": facts,
            **describe_reading(counts),
        }
        return data, _lines(done, counts, facts)


def _describe(drawn: Drawn) -> Data:
    draft = "entity content type=entity_type edge source ref at@ valid_from@"
    became: Data = {"outcome": "found", "slug": None, "id": None, "others": [], "reason": ""}
    if drawn.outcome:
        became = fields(drawn.outcome, "outcome slug id others reason")
    return fields(drawn.draft, draft) | became


def _lines(done: Extracted, counts: ReadCounts, facts: Sequence[Data]) -> Iterator[str]:
    outcomes = {key: count for key, count in done.outcomes.items() if count}
    yield style("title", f"facts: {format_value(outcomes) if outcomes else 'nothing new'}")
    read = f"{counted(done.turns, 'turn')} of {counted(len(done.conversations), 'conversation')}"
    yield style("dim", f"  read {read}")
    if shown := [fact for fact in facts if fact["outcome"] != "unchanged"]:
        lines = table_lines(shown, "outcome entity content", "")
        yield from some_lines(lines, _MOST_LINES, style("dim", "  and {} more; --json has them"))
    yield from reading_lines(counts)
    if done.refused:
        yield style("warning", f"  refused: {format_value(done.refused)}")
