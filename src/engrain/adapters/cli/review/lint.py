"""`engrain lint`: find flaws in notes and links; --fix repairs them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator

from engrain.adapters.cli.options import Answer, Arguments, Command
from engrain.adapters.present.records import Data, fields
from engrain.adapters.present.text import clean, clean_line, style
from engrain.api.memory import Memory
from engrain.engine.lint.flaw import Flaw
from engrain.engine.lint.run import RULES, Linted

_MOST_LINES = 20
"""Flaws of one rule that are shown: --json has them all."""


def _lint(memory: Memory, args: Arguments) -> Answer:
    fix = args.fix and not args.dry_run
    linted = memory.lint(args.only, fix=fix)
    data: Data = {
        "change": linted.change or None,
        "mended": _describe(linted.mended),
        "left": _describe(linted.left),
        "counts": dict(Counter(flaw.rule for flaw in linted.found)),
    }
    return data, _lines(linted), bool(linted.left)


def _describe(flaws: Collection[Flaw]) -> list[Data]:
    names = "rule path=place line? entries message remedy"
    return [{**fields(flaw, names), "mends": flaw.mend is not None} for flaw in flaws]


def _lines(linted: Linted) -> Iterator[str]:
    yield from _listing(linted.mended, "good", "fixed")
    if linted.change:
        yield f"all in one change: `engrain undo {linted.change}` takes it back"
    yield from _listing(linted.left, "warning", "")
    mends = sum(1 for flaw in linted.left if flaw.mend)
    if mends:
        yield style("dim", f"{mends} of {len(linted.left)} can be fixed: `engrain lint --fix`")
    if not linted.left:
        yield "Nothing else is wrong." if linted.mended else "Nothing is wrong."


def _listing(flaws: Collection[Flaw], colour: str, what: str) -> Iterator[str]:
    """Yield the flaws, at most `_MOST_LINES` of each rule."""
    shown: Counter[str] = Counter()
    for flaw in flaws:
        shown[flaw.rule] += 1
        if shown[flaw.rule] > _MOST_LINES:
            continue
        place = f"{clean(flaw.place)}:{flaw.line}" if flaw.line else clean(flaw.place)
        rule = style(colour, f"{what} {flaw.rule}".strip())
        yield f"{place}  {rule}: {clean_line(flaw.message)}"
        if flaw.remedy and not what:
            yield style("dim", f"  {clean_line(flaw.remedy)}")
    for name, count in shown.items():
        if count > _MOST_LINES:
            yield style("dim", f"and {count - _MOST_LINES} more of {name}; --json has them")


COMMAND = Command(
    _lint,
    f"""
--fix         repair what has one right form. Leaves with 0 where nothing is left, and with 1 where
              something is
--dry-run     with --fix: show what would be repaired
--only RULE*  only by this rule, or several: {", ".join(RULES)}
$ engrain lint
$ engrain lint --only broken-link --only one-sided
$ engrain lint --fix --dry-run
$ engrain lint --fix     # `engrain undo` takes it back
""",
)
