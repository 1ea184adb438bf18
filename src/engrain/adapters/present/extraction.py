"""What an extraction came to, as data and as lines for a person."""

from __future__ import annotations

from collections.abc import Iterator

from engrain.adapters.present.records import Data, instant_of
from engrain.adapters.present.sources import describe_problems, problem_lines, tell_passed
from engrain.adapters.present.text import Style, clean_line, counted
from engrain.learn.extraction.run import Drawn, Extracted
from engrain.learn.sources.read_counts import ReadCounts

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
_QUIET = ("unchanged",)
_MOST_LINES = 50


def describe_extraction(done: Extracted, read_counts: ReadCounts, *, dry_run: bool) -> Data:
    return {
        "dry_run": dry_run,
        "form": done.form,
        "outcomes": dict(done.outcomes),
        "turns": done.turns,
        "files": read_counts.files,
        "conversations": dict(done.conversations),
        "facts": [_describe(drawn) for drawn in done.drawn],
        "refused": dict(done.refused),
        "passed_over": dict(read_counts.passed),
        "lost": dict(done.lost),
        "trouble": done.trouble,
        "problems": describe_problems(read_counts),
    }


def extraction_lines(
    done: Extracted, read_counts: ReadCounts, style: Style, *, dry_run: bool
) -> Iterator[str]:
    told = [(done.outcomes[key], words) for key, words in _WORDS.items() if done.outcomes[key]]
    facts = "; ".join(f"{count} {words}" for count, words in told) or "nothing new"
    read = f"{counted(done.turns, 'turn')} of {counted(len(done.conversations), 'conversation')}"
    yield f"{style('title', 'facts: ' + facts)}"
    yield style("dim", f"  read {read} by {clean_line(done.form)}")
    shown = [drawn for drawn in done.drawn if dry_run or _is_told(drawn)]
    for drawn in shown[:_MOST_LINES]:
        yield _line(drawn, style)
    if len(shown) > _MOST_LINES:
        yield style("dim", f"  and {len(shown) - _MOST_LINES} more; --json has them")
    for reason, count in done.refused.items():
        yield style("warning", f"  refused {count}: {clean_line(reason)}")
    if done.trouble:
        yield style("warning", f"  left to the rules: {clean_line(done.trouble)}")
    if passed := tell_passed(read_counts.passed):
        yield style("dim", f"  passed over: {passed}")
    yield from problem_lines(read_counts, style)


def _describe(drawn: Drawn) -> Data:
    draft, outcome = drawn.draft, drawn.outcome
    return {
        "entity": draft.entity,
        "content": draft.content,
        "type": draft.entity_type,
        "edge": list(draft.edge) if draft.edge else None,
        "source": draft.source,
        "ref": draft.ref,
        "at": instant_of(draft.at),
        "valid_from": instant_of(draft.valid_from),
        "outcome": outcome.outcome if outcome else "found",
        "slug": outcome.slug if outcome else None,
        "id": outcome.id if outcome else None,
        "others": list(outcome.others) if outcome else [],
        "reason": outcome.reason if outcome else "",
    }


def _is_told(drawn: Drawn) -> bool:
    return drawn.outcome is not None and drawn.outcome.outcome not in _QUIET


def _line(drawn: Drawn, style: Style) -> str:
    outcome = drawn.outcome.outcome if drawn.outcome else "would add"
    where = drawn.outcome.slug if drawn.outcome else clean_line(drawn.draft.entity)
    text = f"  {outcome:<11} {where}: {clean_line(drawn.draft.content)}"
    return style("good" if outcome in ("created", "superseding") else "dim", text)
