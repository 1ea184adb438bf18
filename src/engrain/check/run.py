"""The table of rules of `engrain check`, and a check of a vault: a walk over it that finds flaws by
the rules, and fixes those it can in one change.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import KW_ONLY, dataclass
from typing import TypeAlias

from engrain.check import files, notes
from engrain.check.walk import Flaw, Repairs, WalkedFile, walk
from engrain.engine.core.store import Store, try_again
from engrain.model.errors import IndexUnavailableError, MalformedError, NotFoundError, UsageError
from engrain.model.note.tiers import EXTERNAL, tier_of
from engrain.seam.derived import Progress

ERROR, WARNING, NOTE = "error", "warning", "note"

LookAtFile: TypeAlias = "Callable[[WalkedFile], Iterator[Flaw]]"
LookAtStore: TypeAlias = "Callable[[Store, Progress | None], Iterator[Flaw]]"


@dataclass(frozen=True, slots=True)
class CheckRule:
    """A rule: its name, its severity, what it finds, and the function that finds it in each file of
    the walk or in the whole store. A finding has its own fix. A `deep` rule is slow: it runs with
    `--deep`, or if it is named."""

    name: str
    severity: str
    finds: str
    _: KW_ONLY
    each: LookAtFile | None = None
    whole: LookAtStore | None = None
    deep: bool = False


RULES: Mapping[str, CheckRule] = {
    rule.name: rule
    for rule in (
        CheckRule("unreadable", ERROR, "files that can't be read", whole=files.find_unreadable),
        CheckRule("merge-marks", ERROR, "marks of a merge by git", whole=files.find_merge_marks),
        CheckRule("missing", ERROR, "many notes gone at once", whole=files.find_missing_notes),
        CheckRule("stale", ERROR, "files unlike their index", each=files.find_stale),
        CheckRule("index", ERROR, "tables unlike the files", whole=files.find_differing, deep=True),
        CheckRule("history", ERROR, "altered changes", whole=files.find_broken_chains, deep=True),
        CheckRule("obstacle", ERROR, "what is in a note's place", whole=files.find_obstacles),
        CheckRule("copy", WARNING, "conflict copies", whole=files.find_conflict_copies),
        CheckRule("circle", WARNING, "notes that replace each other", whole=notes.find_circles),
        CheckRule("missing-field", WARNING, "no id, kind or date", each=notes.find_missing),
        CheckRule("field", WARNING, "values of the wrong type", each=notes.find_wrong),
        CheckRule("kind", WARNING, "unknown kinds", each=notes.find_unknown_kind),
        CheckRule("relation", WARNING, "unknown relations", each=notes.find_unknown_relation),
        CheckRule("folder", WARNING, "notes in another kind's folder", each=notes.find_misfiled),
        CheckRule("broken-link", WARNING, "links to nothing", each=notes.find_broken),
        CheckRule("one-sided", WARNING, "links without inverse", whole=notes.find_one_sided),
        CheckRule("drawing", WARNING, "links that no graph shows", each=notes.find_undrawn),
        CheckRule("doubtful", NOTE, "doubtful replacements", whole=notes.find_doubtful),
        CheckRule("disputed", NOTE, "facts that can't all be so", whole=files.find_disputes),
        CheckRule("map", NOTE, "maps out of date", whole=files.find_old_maps),
        CheckRule("removed", NOTE, "notes removed by others", whole=files.find_removed_notes),
    )
}


def find_rule(name: str) -> CheckRule:
    """Return a rule of the table. Raises UsageError."""
    try:
        return RULES[name]
    except KeyError:
        raise UsageError(f"{name!r} is no rule", remedy="use one of " + ", ".join(RULES)) from None


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
