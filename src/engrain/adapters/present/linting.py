"""What lint came to, as plain data and as text for a person at a terminal."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator

from engrain.adapters.present.records import Data
from engrain.adapters.present.text import Style, clean, clean_line
from engrain.engine.lint.flaw import Flaw
from engrain.engine.lint.run import Linted

_MOST_LINES = 20
"""Flaws of one rule that are shown: --json has them all."""


def describe_lint(linted: Linted, proposed: Collection[Flaw]) -> Data:
    return {
        "change": linted.change or None,
        "mended": [_describe(flaw) for flaw in linted.mended],
        "left": [_describe(flaw) for flaw in linted.left],
        "proposed": [_describe(flaw) for flaw in proposed],
        "counts": dict(Counter(flaw.rule for flaw in linted.found)),
    }


def _describe(flaw: Flaw) -> Data:
    return {
        "rule": flaw.rule,
        "path": flaw.place,
        "line": flaw.line or None,
        "entries": list(flaw.entries),
        "message": flaw.message,
        "mends": flaw.mend is not None,
        "action": flaw.action or None,
        "remedy": flaw.remedy,
    }


def lint_lines(linted: Linted, proposed: Collection[Flaw], style: Style) -> Iterator[str]:
    yield from _listing(linted.mended, style, "good", "mended")
    if linted.change:
        yield f"all in one change: `engrain undo {linted.change}` takes it back"
    yield from _listing(linted.left, style, "warning", "")
    if proposed:
        yield f"{len(proposed)} proposed: `engrain review list` shows what waits for your word"
    mends = sum(1 for flaw in linted.left if flaw.mend)
    if mends:
        yield style("dim", f"{mends} of {len(linted.left)} can be mended: `engrain lint --fix`")
    if not linted.left:
        yield "Nothing is left to say." if linted.mended else "Nothing is wrong."


def _listing(flaws: Collection[Flaw], style: Style, colour: str, what: str) -> Iterator[str]:
    """The flaws, so many of each rule at most."""
    told: Counter[str] = Counter()
    for flaw in flaws:
        told[flaw.rule] += 1
        if told[flaw.rule] > _MOST_LINES:
            continue
        place = f"{clean(flaw.place)}:{flaw.line}" if flaw.line else clean(flaw.place)
        rule = style(colour, f"{what} {flaw.rule}".strip())
        yield f"{place}  {rule}: {clean_line(flaw.message)}"
        if flaw.remedy and not what:
            yield style("dim", f"  {clean_line(flaw.remedy)}")
    for name, count in told.items():
        if count > _MOST_LINES:
            yield style("dim", f"and {count - _MOST_LINES} more of {name}; --json has them")
