"""`engrain recall`: find the memories relevant to a question or prompt."""

from __future__ import annotations

from engrain.adapters.cli.options import (
    FRESH,
    SCOPE,
    SESSION,
    Arguments,
    Command,
    open_from,
    read_scope,
    read_session,
    read_text,
)
from engrain.adapters.present.records import describe_row, describe_task, fields
from engrain.adapters.present.text import (
    AVOID,
    RELEVANT,
    SKILLS,
    cite_place,
    clean,
    clean_line,
    day_of,
    excerpt,
)
from engrain.engine.core.outcomes import TaskRecall

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from engrain.adapters.cli.answer import Answer
    from engrain.adapters.cli.console import Console
    from engrain.adapters.present.records import Data
    from engrain.adapters.present.text import Style
    from engrain.engine.core.outcomes import Recall, Recalled


def _recall(args: Arguments, console: Console) -> Answer:
    query = read_text(" ".join(args.query), console)
    with open_from(args) as memory:
        found = memory.recall(
            query,
            session=read_session(args, memory.journal.current()),
            repeat=True,
            profile=args.profile,
            limit=args.limit,
            budget=args.budget,
            phase=args.phase,
            action=args.action,
            half_life=args.half_life,
            scope=read_scope(args),
            loaded=args.without,
            explain=args.explain,
        )
    if not args.explain:
        return describe_recall(found), recall_lines(found, console.style, args.full)
    from engrain.adapters.cli.everyday.explanation import describe_explanation, explanation_lines

    return describe_recall(found) | {"explanation": describe_explanation(found)}, [
        *recall_lines(found, console.style, args.full),
        *explanation_lines(found, console.style),
    ]


def describe_recall(recall: Recall) -> Data:
    """A recall as the `data` of the envelope."""
    return {
        "results": [_describe(found) for found in recall.results],
        **describe_task(recall),
        "relevance": round(recall.relevance, 4),
        **fields(recall, "rejected withheld"),
        "nearest": [_describe(found) for found in recall.nearest],
        **fields(recall, "over_budget tokens embedder model degraded elsewhere exhausted"),
        "unanswered": [
            {"vault": vault, "message": message} for vault, message in recall.unanswered
        ],
    }


def _describe(found: Recalled) -> Data:
    return {
        **describe_row(found.row),
        "score": round(found.row.score, 6),
        **fields(found, "text part tokens contradicts"),
        **{
            name: details
            for name in ("asking", "fact", "heading", "standing", "vault")
            if (details := getattr(found, name))
        },
    }


def recall_lines(recall: Recall, style: Style, full: bool) -> Iterator[str]:
    """The entries that were found, whole if `full`, or why there are none."""
    if isinstance(recall, TaskRecall):
        yield from _task_lines(recall, style, full)
    else:
        for number, found in enumerate(recall.results, 1):
            yield from _entry_lines(found, number, style, full)
    yield from _silence_lines(recall)
    for number, found in enumerate(recall.nearest, 1):
        yield from _entry_lines(found, number, style, full)
    if recall.over_budget:
        yield style("dim", f"{recall.over_budget} more did not fit the budget: raise --budget.")
    for vault, message in recall.unanswered:
        yield style("warning", f"Without {clean_line(vault)}: {clean_line(message)}.")
    if recall.degraded:
        yield style("warning", f"Answered by reading every file: {recall.degraded}.")


def _task_lines(recall: TaskRecall, style: Style, full: bool) -> Iterator[str]:
    """Each part under its heading; a skill that is among the results too is shown once."""
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
                yield from _entry_lines(found, len(numbers), style, full)


def _entry_lines(found: Recalled, number: int, style: Style, full: bool) -> Iterator[str]:
    row = found.row
    facts = [row.kind, day_of(row.created), f"{row.source} said", f"{row.score:.2f}"]
    if row.status != "active":
        facts.insert(0, row.status)
    details = style("dim", f"({clean_line(', '.join(facts))})")
    yield f"{number}. {style('title', cite_place(found))}  {details}"
    yield style("dim", f"   {clean_line(row.id)}  {clean(row.locator)}")
    if found.vault:
        yield style("dim", f"   in {clean_line(found.vault)}")
    if found.standing:
        yield style("dim", f"   {found.standing}")
    if found.asking:
        yield style("warning", f"   {found.asking}")
    if found.contradicts:
        yield style("warning", f"   contradicted by {clean_line(', '.join(found.contradicts))}")
    if found.part:
        yield style("dim", "   an excerpt: `engrain show` prints it all")
    body = clean(found.text) if full else excerpt(found.text)
    yield from (f"   {line}" for line in body.splitlines())
    yield ""


def _silence_lines(recall: Recall) -> Iterator[str]:
    """Why there is nothing: a search that found nothing is not one that could not be made."""
    if recall.rejected:
        yield "Nothing in memory is about this."
        yield (
            f"Withheld as too weak: {recall.withheld}"
            f" (best relevance {recall.relevance:.2f}). --profile deep shows them all."
        )
        if recall.nearest:
            yield from ("The nearest:", "")
    elif recall.exhausted:
        yield "This session has received as much as session.limit allows."
    elif not recall.given and not recall.over_budget:
        yield "Nothing in memory matches."
        if recall.elsewhere:
            yield f"In other projects {recall.elsewhere} do: add --all-projects."


COMMAND = Command(
    _recall,
    f"""
query=Q+        words, or - for standard input
--limit,-n N/int  at most N results; else the profile's limit
--full          print whole texts, not their beginnings
# how to look
--profile P     prompt (default), task, associative, tiered or deep
--budget N/int  at most N tokens of text
--phase F       prefer the kinds used in plan, work, review, release or document
--action A      task: the type of action, such as run_test
--half-life DAYS/float  an entry of this age counts half
--without ID*   leave out this entry, which you already have
--explain       explain the rank of each result and what was left out
--also VAULT*   ask this vault too; else those of the setting `also`
{FRESH}
{SESSION}{SCOPE}
$ engrain recall "prepared statement does not exist"
$ engrain recall "rounding of tax" --kind decision --since 30d
$ git log -1 --format=%B | engrain recall - --json
$ engrain recall "old pooler" --include-superseded --full
$ engrain recall "which pooler do we use" --as-of 2026-03-01
$ engrain recall "release checklist" --phase release --budget 800 --explain
$ engrain recall "add an endpoint for todos" --profile task --action run_test --json
""",
)
