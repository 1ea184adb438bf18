"""`lint`: finds flaws by rules, and mends those it can in one change."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass

from engrain.engine.core.store import Store, try_again
from engrain.engine.lint import fields, files, links
from engrain.engine.lint.flaw import Flaw, Repairs, Rule
from engrain.engine.verbs.records import read_rows
from engrain.model.errors import MalformedError, NotFoundError, UsageError
from engrain.model.note.tiers import EXTERNAL, tier_of
from engrain.seam.rows import CURRENT

RULES: Mapping[str, Rule] = {
    rule.name: rule
    for rule in (
        Rule(files.UNREADABLE, whole=files.find_unreadable),
        Rule(files.COPY, whole=files.find_copies),
        Rule(fields.MISSING, each=fields.find_missing),
        Rule(fields.FIELD, each=fields.find_wrong),
        Rule(fields.KIND, each=fields.find_unknown_kind),
        Rule(fields.RELATION, each=fields.find_unknown_relation),
        Rule(fields.FOLDER, each=fields.find_misfiled),
        Rule(links.BROKEN_LINK, whole=links.find_broken),
        Rule(links.ONE_SIDED, whole=links.find_one_sided),
        Rule(links.DRAWING, each=links.find_undrawn),
        Rule(files.GENERATED, whole=files.find_stale),
    )
}


MOST = 2000
"""Repairs that one change makes: its record is held in memory as a whole."""


@dataclass(slots=True, eq=False)
class Linted:
    """What lint did: the flaws it `found` and those it `mended`, in the change of that name ("" for
    none); `left` are the remaining flaws."""

    found: list[Flaw]
    mended: list[Flaw]
    left: list[Flaw]
    change: str = ""


def lint(store: Store, only: Collection[str] = (), *, fix: bool = False) -> Linted:
    """Find flaws by some rules or by all; with `fix` mend what can be mended. Raises UsageError for
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


def find_rule(name: str) -> Rule:
    """A rule of the table. Raises UsageError."""
    try:
        return RULES[name]
    except KeyError:
        raise UsageError(f"{name!r} is no rule", remedy="use one of " + ", ".join(RULES)) from None


def find_flaws(store: Store, rules: Collection[Rule]) -> list[Flaw]:
    """The flaws by some rules, rule by rule, each by place and line. Entries are read once. The
    index must be ready."""
    found: list[Flaw] = []
    each = [rule.each for rule in rules if rule.each]
    if each:
        for row, entry in read_rows(store, store.index.find(CURRENT.replace(successions=0))):
            for look in each:
                found += look(store, row, entry)
    for rule in rules:
        if rule.whole:
            found += rule.whole(store)
    order = {name: at for at, name in enumerate(RULES)}
    return sorted(found, key=lambda flaw: (order[flaw.rule], flaw.place, flaw.line))


def _gather(store: Store, found: Collection[Flaw]) -> tuple[list[Flaw], Repairs]:
    """The repairs of what can be mended, and of what they are."""
    repairs = Repairs(store)
    mended = []
    done: set[int] = set()
    for flaw in found:
        # What comes from outside changes nothing of the operator's.
        refused = store.actor.trust == EXTERNAL and tier_of(flaw.place) == "T2"
        if flaw.mend is None or len(done) == MOST or refused:
            continue
        try:
            if id(flaw.mend) not in done:  # several flaws of one file may share it
                flaw.mend(repairs)
        except (NotFoundError, MalformedError):
            continue  # it went or broke meanwhile
        done.add(id(flaw.mend))
        mended.append(flaw)
    return mended, repairs
