"""`engrain check`: find what is wrong in the vault; --fix repairs what has one right form."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator
from dataclasses import dataclass

from engrain.adapters.cli.base import Answer, MemoryCommand, arguments, flag
from engrain.adapters.cli.progress import show_progress
from engrain.adapters.present.records import Data, list_fields
from engrain.adapters.present.text import clean, clean_line, counted, style
from engrain.api.memory import Memory
from engrain.check.run import RULES, CheckResult
from engrain.check.walk import Flaw

_MOST_LINES = 20
"""Flaws of one rule that are shown: --json has them all."""
_COLOURS = {"error": "bad", "warning": "warning", "note": "dim"}


_NAMES = "; ".join(f"{rule.name} ({rule.finds})" for rule in RULES.values())


@dataclass(kw_only=True)
class CheckCommand(MemoryCommand):
    """Find what is wrong in the vault; --fix repairs it."""

    examples = """
engrain check    # exits with 1 if it finds an error
engrain check broken-link one-sided
engrain check --fix     # `engrain undo` takes it back
engrain check --deep
"""
    rules: list[str] = arguments(f"only by these rules: {_NAMES}", "RULE")
    fix: bool = flag("repair what has one right form, in one change")
    deep: bool = flag(
        "also verify the history of every device, and compare every table of the index with a"
        " second one, built from the files"
    )
    accept_missing: bool = flag(
        "record the notes that are reported as missing as removed on purpose"
    )

    def run_in(self, memory: Memory) -> Answer:
        accepted = memory.accept_missing() if self.accept_missing else 0
        with show_progress(self.console, "comparing") as progress:
            result = memory.check(self.rules, fix=self.fix, deep=self.deep, progress=progress)
        names = "rule severity path=place line message remedy fixable"
        data: Data = {
            "accepted": accepted,
            "change": result.change or None,
            "fixed": list_fields(result.fixed, names),
            "findings": list_fields(result.left, names),
            "counts": dict(Counter(flaw.severity for flaw in result.left)),
        }
        lines = [*_lines(result)]
        if self.accept_missing:
            lines.insert(0, f"recorded as removed: {counted(accepted, 'missing note')}")
        return data, lines, not result.sound


def _lines(result: CheckResult) -> Iterator[str]:
    yield from _list(result.fixed, "fixed")
    if result.change:
        yield f"all in one change: `engrain undo {result.change}` takes it back"
    yield from _list(result.left, "")
    if result.left:
        yield describe_counts(result)
    else:
        yield "Nothing else is wrong." if result.fixed else "Nothing is wrong."


def describe_counts(result: CheckResult) -> str:
    """Return the number of flaws of each severity, and how many can be fixed."""
    counts = Counter(flaw.severity for flaw in result.left)
    said = ", ".join(counted(counts[name], name) for name in _COLOURS if counts[name])
    fixable = sum(flaw.fixable for flaw in result.left)
    return f"{said}; {fixable} can be fixed: `engrain check --fix`" if fixable else said


def _list(flaws: Collection[Flaw], done: str) -> Iterator[str]:
    """Yield the flaws, at most `_MOST_LINES` of each rule."""
    shown: Counter[str] = Counter()
    for flaw in flaws:
        shown[flaw.rule] += 1
        if shown[flaw.rule] > _MOST_LINES:
            continue
        place = f"{clean(flaw.place)}:{flaw.line}" if flaw.line else clean(flaw.place)
        colour = "good" if done else _COLOURS[flaw.severity]
        rule = style(colour, f"{done or flaw.severity} {flaw.rule}")
        yield f"{place}  {rule}: {clean_line(flaw.message)}".strip()
        if flaw.remedy and not done:
            yield style("dim", f"  {clean_line(flaw.remedy)}")
    for name, count in shown.items():
        if count > _MOST_LINES:
            yield style("dim", f"and {count - _MOST_LINES} more of {name}; --json has them")


COMMAND = CheckCommand
