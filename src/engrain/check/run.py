"""Checks a vault: walks over it, finds flaws by rules, and fixes those it can in one change."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass

from engrain.check.flaw import Flaw, Repairs
from engrain.check.rules import ERROR, RULES, CheckRule, find_rule
from engrain.check.walk import walk
from engrain.engine.core.store import Store, try_again
from engrain.model.errors import IndexUnavailableError, MalformedError, NotFoundError
from engrain.model.note.tiers import EXTERNAL, tier_of
from engrain.seam.derived import Progress

MOST = 2000
"""Repairs that one change makes: its record is held in memory as a whole."""


@dataclass(slots=True, eq=False)
class CheckResult:
    """The result of a check: the flaws `found`, those `fixed` in the change of that name ("" for
    none), and those `left`."""

    found: list[Flaw]
    fixed: list[Flaw]
    left: list[Flaw]
    change: str = ""

    @property
    def sound(self) -> bool:
        """Whether no error is left."""
        return not any(flaw.severity == ERROR for flaw in self.left)


def check(
    store: Store,
    only: Collection[str] = (),
    *,
    fix: bool = False,
    deep: bool = False,
    progress: Progress | None = None,
) -> CheckResult:
    """Find flaws by some rules, or by all but the slow ones, which `deep` adds; with `fix` fix what
    can be fixed. An index that proves damaged is rebuilt. Raises UsageError for an unknown rule,
    ConflictError where others keep writing the same files, IndexUnavailableError."""
    rules = [find_rule(name) for name in only]
    rules = rules or [rule for rule in RULES.values() if deep or not rule.deep]
    quick = [rule for rule in rules if not rule.deep]

    def attempt() -> CheckResult:
        store.require_index(scan=True)
        found = find_flaws(store, rules, progress)
        fixed, repairs = _gather(store, found) if fix else ([], None)
        if repairs is None or not fixed:
            return CheckResult(found, [], found)
        change = repairs.commit()
        store.require_index(scan=True)
        slow = [flaw for flaw in found if RULES[flaw.rule].deep and flaw not in fixed]
        return CheckResult(found, fixed, _sort([*slow, *find_flaws(store, quick)]), change)

    try:
        return try_again(attempt)
    except IndexUnavailableError:
        return try_again(attempt)


def find_flaws(
    store: Store, rules: Collection[CheckRule], progress: Progress | None = None
) -> list[Flaw]:
    """Find the flaws by some rules, sorted by rule, place and line. Every file is read once. The
    index must be ready."""
    found: list[Flaw] = []
    looks = [(rule, rule.each) for rule in rules if rule.each]
    for file in walk(store) if looks else ():
        for rule, look in looks:
            found += _name(rule, look(file))
    for rule in rules:
        if rule.whole:
            found += _name(rule, rule.whole(store, progress))
    return _sort(found)


def _name(rule: CheckRule, flaws: Iterator[Flaw]) -> Iterator[Flaw]:
    for flaw in flaws:
        flaw.rule, flaw.severity = rule.name, rule.severity
        yield flaw


def _sort(flaws: list[Flaw]) -> list[Flaw]:
    order = list(RULES)
    return sorted(flaws, key=lambda flaw: (order.index(flaw.rule), flaw.place, flaw.line))


def _gather(store: Store, found: Collection[Flaw]) -> tuple[list[Flaw], Repairs]:
    """Return the flaws that can be fixed, and their repairs."""
    repairs = Repairs(store)
    fixed = []
    done: set[int] = set()
    for flaw in found:
        # An external actor changes nothing of the operator's.
        refused = store.actor.trust == EXTERNAL and tier_of(flaw.place) == "T2"
        if flaw.mend is None or len(done) == MOST or refused:
            continue
        try:
            if id(flaw.mend) not in done:  # several flaws of one file may share it
                flaw.mend(repairs)
        except (NotFoundError, MalformedError):
            continue  # it vanished or broke meanwhile
        done.add(id(flaw.mend))
        fixed.append(flaw)
    return fixed, repairs
