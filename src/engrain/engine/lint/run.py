"""Lint: finds flaws by rules, and fixes those it can in one change."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace

from engrain.engine.core.store import Store, try_again
from engrain.engine.lint import fields, links
from engrain.engine.lint.flaw import Flaw, LintRule, Repairs
from engrain.engine.verbs.records import read_rows
from engrain.model.errors import MalformedError, NotFoundError, UsageError
from engrain.model.note.tiers import EXTERNAL, tier_of
from engrain.seam.rows import CURRENT

RULES: Mapping[str, LintRule] = {
    rule.name: rule
    for rule in (
        LintRule(fields.MISSING, each=fields.find_missing),
        LintRule(fields.FIELD, each=fields.find_wrong),
        LintRule(fields.KIND, each=fields.find_unknown_kind),
        LintRule(fields.RELATION, each=fields.find_unknown_relation),
        LintRule(fields.FOLDER, each=fields.find_misfiled),
        LintRule(links.BROKEN_LINK, whole=links.find_broken),
        LintRule(links.ONE_SIDED, whole=links.find_one_sided),
        LintRule(links.DRAWING, each=links.find_undrawn),
    )
}


MOST = 2000
"""Repairs that one change makes: its record is held in memory as a whole."""


@dataclass(slots=True, eq=False)
class Linted:
    """The result of lint: the flaws `found` and those `mended`, in the change of that name ("" for
    none); `left` are the remaining flaws."""

    found: list[Flaw]
    mended: list[Flaw]
    left: list[Flaw]
    change: str = ""


def lint(store: Store, only: Collection[str] = (), *, fix: bool = False) -> Linted:
    """Find flaws by some rules or by all; with `fix` fix what can be fixed. Raises UsageError for
    an unknown rule, ConflictError where others keep writing the same files."""
    rules = [find_rule(name) for name in only] or list(RULES.values())

    def mend() -> Linted:
        store.require_index(scan=True)
        found = find_flaws(store, rules)
        if not fix:
            return Linted(found, [], found)
        mended, repairs = _gather(store, found)
        change = repairs.commit()
        if not mended:
            return Linted(found, [], found)
        store.require_index(scan=True)
        return Linted(found, mended, find_flaws(store, rules), change)

    return try_again(mend)


def find_rule(name: str) -> LintRule:
    """A rule of the table. Raises UsageError."""
    try:
        return RULES[name]
    except KeyError:
        raise UsageError(f"{name!r} is no rule", remedy="use one of " + ", ".join(RULES)) from None


def find_flaws(store: Store, rules: Collection[LintRule]) -> list[Flaw]:
    """Find the flaws by some rules, sorted by rule, place and line. Entries are read once. The
    index must be ready."""
    found: list[Flaw] = []
    each = [rule.each for rule in rules if rule.each]
    if each:
        for row, entry in read_rows(store, store.index.find(replace(CURRENT, successions=0))):
            for look in each:
                found += look(store, row, entry)
    for rule in rules:
        if rule.whole:
            found += rule.whole(store)
    order = list(RULES)
    return sorted(found, key=lambda flaw: (order.index(flaw.rule), flaw.place, flaw.line))


def _gather(store: Store, found: Collection[Flaw]) -> tuple[list[Flaw], Repairs]:
    """Return the flaws that can be fixed, and their repairs."""
    repairs = Repairs(store)
    mended = []
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
        mended.append(flaw)
    return mended, repairs
