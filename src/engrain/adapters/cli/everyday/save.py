"""`engrain save`: file one memory."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from engrain.adapters.cli.base import Answer, HereCommand, TypedCommand, argument, option, options
from engrain.adapters.cli.reading import read_date, read_end, read_text
from engrain.adapters.present.records import answer_outcome
from engrain.model.errors import IndexUnavailableError, NotFoundError, UsageError

if TYPE_CHECKING:
    from engrain.api.memory import Memory


_FACTORS = ("surprise", "goal", "social", "utility")
"""Options that together make a weight (S3.3)."""


@dataclass(kw_only=True)
class SaveCommand(TypedCommand, HereCommand):
    """Save one memory."""

    examples = """
engrain save --kind fix --title "Pooler drops prepared statements" --tag postgres -
engrain save "Prefer small pull requests" --kind preference --trust operator
engrain save --kind commitment --due 2026-10-01 "I will send the report."
engrain save --until 2026-12-18 "The staging database is frozen."
engrain save --kind decision --created 2026-09-01 "We round tax once per rate."
"""
    text: str | None = argument("the text, or - for standard input", "TEXT", default=None)
    title: str | None = option("the title; else the first heading or line", "T")
    kind: str | None = option("preference, fix, decision, …; else detected", "K")
    tag: list[str] = options("a tag; may be repeated", "T")
    status: str | None = option("active (the default), inbox, …", "S")
    slug: str | None = option("the file's name; else made from the title", "S")
    created: str | None = option("when it happened; else now", "WHEN")
    until: str | None = option(
        "up to when it holds; a date alone means the end of that day", "WHEN"
    )
    confidence: float | None = option("from 0 to 1", "C")
    weight: float | None = option("from 0 to 1; else estimated", "W")
    surprise: float | None = option("from 0 to 1: it contradicted what was believed", "F")
    goal: float | None = option("from 0 to 1: it serves the project's goals", "F")
    social: float | None = option("from 0 to 1: it is about somebody who matters", "F")
    utility: float | None = option("from 0 to 1: it proved useful", "F")
    derived_from: list[str] = options("what it was drawn from: an id, a slug or a title", "ID")
    ref: str | None = option("where it comes from: a session (else the current one), a URL", "REF")
    due: str | None = option("of a commitment: the day it is due", "DATE")

    def run_in(self, memory: Memory) -> Answer:
        factors = {
            name: getattr(self, name) for name in _FACTORS if getattr(self, name) is not None
        }
        if factors and self.weight is not None:
            raise UsageError(
                "--weight and the factors exclude each other", remedy="give it, or factors"
            )
        outcome = memory.save(
            read_text(self.text),
            title=self.title,
            kind=self.kind,
            tags=self.tag or None,
            project=self.project,
            status=self.status,
            slug=self.slug,
            created=read_date(self.created),
            valid_to=read_end(self.until),
            confidence=self.confidence,
            weight=factors or self.weight,
            derived_from=[_find_source(memory, name) for name in self.derived_from],
            source="cli",
            ref=self.ref or memory.journal.current() or None,
            due=self.due,
        )
        outcome.like = memory.find_older(outcome)
        return answer_outcome(outcome)


def _find_source(memory: Memory, name: str) -> str:
    """Return the id of a source; a name that no entry has stays as it is."""
    try:
        return memory.show(name).row.id
    except (NotFoundError, IndexUnavailableError):
        return name


COMMAND = SaveCommand
