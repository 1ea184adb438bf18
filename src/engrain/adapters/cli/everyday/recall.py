"""`engrain recall`: find the memories relevant to a question or prompt."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from engrain.adapters.cli.base import (
    Answer,
    Filtered,
    Fresh,
    HereCommand,
    InSession,
    arguments,
    flag,
    option,
    options,
)
from engrain.adapters.cli.reading import read_text
from engrain.adapters.present.outline import outline_lines
from engrain.adapters.present.records import Data, describe_row, fields
from engrain.adapters.present.tasks import describe_task
from engrain.adapters.present.text import (
    AVOID,
    LEFT_OUT,
    NEAREST,
    RELEVANT,
    SKILLS,
    beyond_title,
    cite_place,
    clean,
    clean_line,
    describe_day,
    describe_span,
    excerpt,
    style,
)
from engrain.api.memory import Memory
from engrain.engine.core.recalled import Reasons, Recall, Recalled, TaskRecall


def describe_explanation(recall: Recall) -> Data:
    """`data.explanation`, and for each entry its reasons, in the order of the answer."""
    explanation = recall.explanation
    if explanation is None:
        return {}
    silence = explanation.silence
    return {
        "words": [{"word": word, "passages": count} for word, count in explanation.words],
        "signals": {name: round(value, 4) for name, value in explanation.signals.items()},
        "silence": silence and fields(silence, "value% threshold% reason"),
        **fields(explanation, "lost stages"),
        "results": [
            {**fields(found.row, "id title~"), **_describe_reasons(found.reasons)}
            for found in recall.given
            if found.reasons is not None
        ],
        "cut": [
            {**fields(cut.row, "id title~"), "reason": cut.reason, **_describe_reasons(cut.reasons)}
            for cut in explanation.cut
        ],
    }


def _describe_reasons(reasons: Reasons) -> Data:
    channels = {
        part.channel: {
            "rank": part.rank or None,
            "score": round(part.score, 6),
            "factor": part.factor,
        }
        for part in reasons.parts
    }
    return {"channels": channels, "priors": reasons.priors}


@dataclass(kw_only=True)
class RecallCommand(Filtered, InSession, Fresh, HereCommand):
    """Find the memories relevant to a question or prompt."""

    examples = """
engrain recall "prepared statement does not exist"
engrain recall "rounding of tax" --kind decision --since 30d
git log -1 --format=%B | engrain recall - --json
engrain recall "old pooler" --include-superseded --full
engrain recall "which pooler do we use" --as-of 2026-03-01
engrain recall "release checklist" --phase release --budget 800 --explain
engrain recall "add an endpoint for todos" --profile task --action run_test --json
"""
    query: list[str] = arguments("words, or - for standard input", "Q", required=True)
    limit: int | None = option("at most N results; else the profile's limit", "N", short="-n")
    full: bool = flag("print whole texts, not their beginnings")
    profile: str | None = option(
        "prompt (default), task, associative, tiered or deep", "P", group="how to look"
    )
    budget: int | None = option("at most N tokens of text", "N", group="how to look")
    phase: str | None = option(
        "prefer the kinds used in plan, work, review, release or document", "F", group="how to look"
    )
    action: str | None = option(
        "task: the type of action, such as run_test", "A", group="how to look"
    )
    half_life: float | None = option(
        "an entry of this age counts half", "DAYS", group="how to look"
    )
    without: list[str] = options(
        "leave out this entry, which you already have", "ID", group="how to look"
    )
    explain: bool = flag(
        "explain the rank of each result and what was left out", group="how to look"
    )

    def run_in(self, memory: Memory) -> Answer:
        found = memory.recall(
            read_text(" ".join(self.query)),
            session=self.find_session(memory.journal.current()),
            repeat=True,
            profile=self.profile,
            limit=self.limit,
            budget=self.budget,
            phase=self.phase,
            action=self.action,
            half_life=self.half_life,
            scope=self.scope(),
            loaded=self.without,
            explain=self.explain,
        )
        data: Data = {
            "results": [_describe(one) for one in found.results],
            **describe_task(found),
            **fields(found, "relevance% rejected withheld"),
            "nearest": [_describe(one) for one in found.nearest],
            **fields(found, "over_budget tokens embedder model degraded elsewhere exhausted"),
        }
        if not self.explain:
            return data, _lines(found, self.full)
        explanation = describe_explanation(found)
        vectors = f"{found.embedder} ({found.model})" if found.embedder else "none"
        left = [
            {**fields(cut.row, "id title~"), "why": LEFT_OUT[cut.reason]}
            for cut in (found.explanation.cut if found.explanation else ())
        ]
        why = {**fields(found, "relevance% rejected"), "vectors": vectors, **explanation}
        why = {**why, "cut": left}
        data["explanation"] = explanation
        return data, [*_lines(found, self.full), style("title", "Why"), *outline_lines(why)]


def _describe(found: Recalled) -> Data:
    return {
        **describe_row(found.row),
        "score": round(found.row.score, 6),
        **fields(found, "text part tokens contradicts"),
        **{
            name: details
            for name in ("asking", "fact", "heading", "older", "standing")
            if (details := getattr(found, name))
        },
    }


def _lines(recall: Recall, full: bool) -> Iterator[str]:
    if isinstance(recall, TaskRecall):
        yield from _task_lines(recall, full)
    else:
        for number, found in enumerate(recall.results, 1):
            yield from _entry_lines(found, number, full)
    yield from _silence_lines(recall)
    for number, found in enumerate(recall.nearest, 1):
        yield from _entry_lines(found, number, full)
    if recall.rejected:
        yield style(
            "dim",
            f"Too weak: {recall.withheld} (best relevance {recall.relevance:.2f})."
            " --profile deep shows them all.",
        )
    if recall.over_budget:
        yield style("dim", f"{recall.over_budget} more did not fit the budget: raise --budget.")
    if recall.degraded:
        yield style("warning", f"Answered by reading every file: {recall.degraded}.")


def _task_lines(recall: TaskRecall, full: bool) -> Iterator[str]:
    """Yield each part under its heading; a skill that is among the results too is shown once."""
    parts = {RELEVANT: recall.results, AVOID: recall.avoid_these, SKILLS: recall.applicable_skills}
    numbers: dict[str, int] = {}
    for heading, part in parts.items():
        if part:
            yield style("title", heading)
        again = [found for found in part if found.row.id in numbers]
        for found in again:
            yield f"   {clean_line(found.row.title)}: see {numbers[found.row.id]}"
        if again:
            yield ""
        for found in part:
            if found.row.id not in numbers:
                numbers[found.row.id] = len(numbers) + 1
                yield from _entry_lines(found, len(numbers), full)


def _entry_lines(found: Recalled, number: int, full: bool) -> Iterator[str]:
    row = found.row
    facts = [row.kind, describe_day(found), f"{row.source} said", f"{row.score:.2f}"]
    if row.status != "active":
        facts.insert(0, row.status)
    if not found.fact and (said := describe_span(row)):
        facts.insert(-2, said)
    details = style("dim", f"({clean_line(', '.join(facts))})")
    yield f"{number}. {style('title', cite_place(found))}  {details}"
    yield style("dim", f"   {clean_line(row.id)}  {clean(row.locator)}")
    if found.standing:
        yield style("dim", f"   {found.standing}")
    if found.asking:
        yield style("warning", f"   {found.asking}")
    if found.contradicts:
        yield style("warning", f"   contradicted by {clean_line(', '.join(found.contradicts))}")
    if found.part:
        yield style("dim", "   an excerpt: `engrain show` prints it all")
    text = beyond_title(row.title, found.text)
    body = clean(text) if full else excerpt(text)
    yield from (f"   {line}" for line in body.splitlines())
    yield ""


def _silence_lines(recall: Recall) -> Iterator[str]:
    """Yield why there is no result: nothing matched, or what did was too weak, which follows."""
    if recall.nearest:
        yield from (NEAREST, "")
    elif recall.rejected:
        yield "Nothing surely fits."
    elif recall.exhausted:
        yield "This session has received as much as session.limit allows."
    elif not recall.given and not recall.over_budget:
        yield "Nothing in memory matches."
        if recall.elsewhere:
            yield f"In other projects {recall.elsewhere} do: add --all-projects."


COMMAND = RecallCommand
