"""`engrain learn extract`: extract facts about people and projects from conversations."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from engrain.adapters.cli.base import Answer, arguments, option
from engrain.adapters.cli.console import counting
from engrain.adapters.cli.knowledge.sources import (
    Reading,
    describe_problems,
    problem_lines,
    tell_passed,
)
from engrain.adapters.cli.progress import show_progress
from engrain.adapters.present.records import Data, fields
from engrain.adapters.present.text import clean_line, counted, some_lines, style
from engrain.api.memory import Memory
from engrain.learn.extraction.run import Drawn, Extracted
from engrain.learn.sources.reading import ReadCounts

_WORDS = {
    "found": "would be added or met again",
    "created": "added",
    "superseding": "added, and what they replace turned historical",
    "disputed": "added, and dispute what is known",
    "historical": "added as held once",
    "reinforced": "met again",
    "unchanged": "known from there",
    "refused": "refused",
}
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
        data = {
            "dry_run": self.dry_run,
            **fields(done, "outcomes turns conversations refused"),
            "files": counts.files,
            "facts": [_describe(drawn) for drawn in done.drawn],
            "passed_over": dict(counts.passed),
            "problems": describe_problems(counts),
        }
        return data, _lines(done, counts, dry_run=self.dry_run)


def _describe(drawn: Drawn) -> Data:
    draft = "entity content type=entity_type edge source ref at@ valid_from@"
    became: Data = {"outcome": "found", "slug": None, "id": None, "others": [], "reason": ""}
    if drawn.outcome:
        became = fields(drawn.outcome, "outcome slug id others reason")
    return fields(drawn.draft, draft) | became


def _lines(done: Extracted, counts: ReadCounts, *, dry_run: bool) -> Iterator[str]:
    outcomes = [(done.outcomes[key], words) for key, words in _WORDS.items() if done.outcomes[key]]
    facts = "; ".join(f"{count} {words}" for count, words in outcomes) or "nothing new"
    read = f"{counted(done.turns, 'turn')} of {counted(len(done.conversations), 'conversation')}"
    yield f"{style('title', 'facts: ' + facts)}"
    yield style("dim", f"  read {read}")
    shown = (
        _line(drawn)
        for drawn in done.drawn
        if dry_run or (drawn.outcome and drawn.outcome.outcome != "unchanged")
    )
    yield from some_lines(shown, _MOST_LINES, style("dim", "  and {} more; --json has them"))
    for reason, count in done.refused.items():
        yield style("warning", f"  refused {count}: {clean_line(reason)}")
    if passed := tell_passed(counts.passed):
        yield style("dim", f"  passed over: {passed}")
    yield from problem_lines(counts)


def _line(drawn: Drawn) -> str:
    outcome, where = "would add", clean_line(drawn.draft.entity)
    if drawn.outcome:
        outcome, where = drawn.outcome.outcome, drawn.outcome.slug
    text = f"  {outcome:<11} {where}: {clean_line(drawn.draft.content)}"
    return style("good" if outcome in ("created", "superseding") else "dim", text)
